"""All attacks, one after the other: ``python -m attacks --minutes 30``. The exit code is 1 if one found something."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

# each is a module of this folder, with its arguments for a run of so many minutes
ATTACKS = {
    "names": lambda minutes: ["--count", str(round(20 * minutes))],
    "bombs": lambda minutes: [],
    "terminals": lambda minutes: ["--minutes", f"{0.05 * minutes:.2f}"],
    "disks": lambda minutes: ["--minutes", f"{0.1 * minutes:.2f}"],
    "signals": lambda minutes: ["--minutes", f"{0.1 * minutes:.2f}"],
    "guarantees": lambda minutes: ["--count", str(round(17 * minutes))],
    "certificates": lambda minutes: ["--count", str(round(67 * minutes))],
    "structural": lambda minutes: ["--count", str(round(20 * minutes))],
    "histories": lambda minutes: ["--count", str(round(20 * minutes)), "--kills", str(round(6 * minutes))],
    "kills": lambda minutes: ["--count", str(round(34 * minutes))],
    "web": lambda minutes: ["--count", str(round(67 * minutes)), "--rounds", str(round(1 * minutes))],
    "judging": lambda minutes: ["--count", str(round(10 * minutes))],
    "recognition": lambda minutes: ["--count", "50", "--minutes", f"{0.1 * minutes:.2f}"],
    "mutations": lambda minutes: ["--count", "1000000000", "--minutes", f"{0.5 * minutes:.2f}"],
}


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m attacks", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30.0, help="about how long it may take")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other inputs")
    parser.add_argument("--only", nargs="+", choices=list(ATTACKS), help="only these attacks")
    options = parser.parse_args()
    failed = []
    for name in options.only or ATTACKS:
        print(f"\n== {name}", flush=True)
        began = time.monotonic()
        arguments = [sys.executable, "-m", f"attacks.{name}", "--seed", str(options.seed)]
        code = subprocess.run([*arguments, *ATTACKS[name](options.minutes)], check=False).returncode
        print(f"{name}: {'all well' if code == 0 else f'FAILED (exit code {code})'}, {time.monotonic() - began:.0f} s")
        failed += [name] if code else []
    print(f"\n{len(failed)} of {len(options.only or ATTACKS)} attacks found something" + ": " * bool(failed), *failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
