"""Ctrl-C and SIGTERM, in processes of their own: acknowledged, said what is kept, and the exit code."""

import signal
import subprocess
import sys
import threading

import pytest

from rankine.system import signals as interrupt

HEAD = """
import os, signal, sys, time
from rankine.system.signals import check, keeping, partial_result, results_are_whole, watched
def ready():
    print("ready", flush=True)
"""
SLEEP = """
    keeping("all but this")
    ready()
    time.sleep(60)
"""
# the main thread is in a call of a library, and the signal arrives in another one
DEAF = """
    import ctypes, threading
    sleep = ctypes.CDLL(None).sleep
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    threading.Timer(0.3, ready).start()  # from within the call
    sleep(60)
"""


def run(body, *signals, wait_for=b"stopping"):
    """Run a script within ``watched``; send each signal when the answer to the one before is there."""
    script = f"{HEAD}\nwith watched():{body}"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    watchdog = threading.Timer(60, process.kill)
    watchdog.start()
    assert process.stdout.readline() == b"ready\n"
    lines = []
    for number in signals:
        process.send_signal(number)
        if len(lines) == 1:
            break
        lines.append(process.stderr.readline())
        assert wait_for in lines[0]
    lines += process.stderr.readlines()
    code = process.wait()
    watchdog.cancel()
    process.stdout.close()
    process.stderr.close()
    return code, b"".join(lines).decode()


def test_ctrl_c_stops_and_says_what_is_kept():
    code, text = run(SLEEP, signal.SIGINT)
    assert code == 130
    assert (
        text == "rankine: stopping (Ctrl-C again: at once); kept: all but this\nrankine: stopped; kept: all but this\n"
    )


def test_sigterm():
    code, text = run(SLEEP, signal.SIGTERM)
    assert code == 143
    assert text == "rankine: stopping; kept: all but this\nrankine: stopped; kept: all but this\n"


def test_a_second_ctrl_c_ends_a_process_that_is_not_in_python(tmp_path):
    body = f"""
    from rankine.system.temporary import temporary_beside, temporary_folder
    from pathlib import Path
    with temporary_beside(Path({str(tmp_path / "out.txt")!r})) as file, temporary_folder("rankine-") as folder:
        file.write_text("half")
        {DEAF.replace(chr(10) + "    ", chr(10) + "        ").strip()}
    """
    code, text = run(body, signal.SIGINT, signal.SIGINT)
    assert code == 130
    assert text == "rankine: stopping (Ctrl-C again: at once); kept: what is written, whole\nrankine: ended\n"
    assert list(tmp_path.iterdir()) == []


def test_sigterm_does_not_wait_for_ever():
    code, text = run(f"\n    from rankine.system import signals; signals.PATIENCE = 0.1{DEAF}", signal.SIGTERM)
    assert code == 143
    assert text.endswith("rankine: ended\n")


def test_an_interrupt_that_python_ignores_is_raised_again():
    body = """
    class Deaf:
        def __del__(self):
            ready()
            time.sleep(60)
    deaf = Deaf()
    del deaf
    time.sleep(60)
"""
    code, text = run(body, signal.SIGINT)
    assert code == 130
    assert "Exception ignored" not in text
    assert "stopped" in text


def test_an_interrupt_that_was_swallowed_is_raised_at_the_next_step():
    body = """
    try:
        ready()
        time.sleep(60)
    except KeyboardInterrupt:
        pass
    check()
    keeping("never")
"""
    code, text = run(body, signal.SIGINT)
    assert code == 130
    assert "never" not in text


def test_a_partial_result_where_it_counts():
    body = """
    with results_are_whole(False):
        try:
            ready()
            time.sleep(60)
        except KeyboardInterrupt:
            partial_result()
        check()
        keeping("the best so far")
"""
    code, text = run(body, signal.SIGINT)
    assert code == 130
    assert text.endswith("rankine: stopped; kept: the best so far\n")


def test_a_library_that_lets_no_other_thread_run():
    """The lock of Python is held in a call, so the thread that watches does not run either."""
    body = """
    import ctypes, threading
    sleep = ctypes.PyDLL(None).sleep  # a PyDLL keeps the lock
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    os.write(1, b"ready\\n")
    sleep(60)
"""
    code, text = run(body, signal.SIGINT, signal.SIGINT)
    assert code in (130, -9)
    assert text.startswith("rankine: stopping")


def test_only_whole_results():
    with interrupt.results_are_whole(), pytest.raises(KeyboardInterrupt):
        interrupt.partial_result()
    interrupt.partial_result()
    interrupt.check()


def test_everything_is_as_before_afterwards():
    handlers = [signal.getsignal(number) for number in interrupt.SIGNALS]
    hook = sys.unraisablehook
    with interrupt.watched():
        assert [signal.getsignal(number) for number in interrupt.SIGNALS] != handlers
    assert [signal.getsignal(number) for number in interrupt.SIGNALS] == handlers
    assert sys.unraisablehook is hook
    assert "rankine-signals" not in [thread.name for thread in threading.enumerate()]


def test_a_signal_that_was_ignored_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupt.watched():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
