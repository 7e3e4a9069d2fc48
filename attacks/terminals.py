"""Hostile names and words through every command on a terminal: no control character from a file may reach it.

Files and folders, utterances, words, document ids, feature names and queries hold escape sequences, C1 controls and
overrides of direction. All commands run on a pseudo-terminal; what they print may hold the program's own styling
(colours, bold, moving the cursor) and nothing else.

    python -m attacks.terminals --count 200 --seed 0
"""

from __future__ import annotations

import json
import os
import pty
import random
import re
import select
import sys
import tempfile
import time
from pathlib import Path

from .scenes import Scene, command, perform, place, slf

# what the program itself sends: colours, bold, erasing a line, moving up, showing and hiding the cursor
OWN = re.compile(r"\x1b\[(?:\d+(?:;\d+)*)?m|\x1b\[2?K|\x1b\[1?A|\x1b\[\?25[lh]|\r")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
MARK = "EVIL"
PIECES = (
    "\x1b[31m", "\x1b]0;title\x07", "\x1b[2J", "\x9b31m", "\x9d0;x\x9c", "\u202e", "\u2066", "\x08\x08", "\x0c", "\x7f",
    "\x1bP", "\x1b]8;;http://x\x1b\\", "[bold]", "[/b]", "\u0085", "é",
)  # fmt: skip


def hostile(rng: random.Random, blanks: bool = False) -> str:
    """A name that begins with the mark and holds some controls; without blanks and line breaks."""
    text = MARK + "".join(rng.choice(PIECES) + rng.choice("abc") for _ in range(rng.randint(1, 4)))
    return text if blanks else re.sub(r"\s", "", text)


def prepare(folder: Path, rng: random.Random) -> list[Scene]:
    """Hostile files in a folder, and the commands that print of them."""
    import rankine as rk
    from rankine.sample import judged_set
    from rankine.spoken import Archive
    from rankine.spoken.index.settings import Settings

    name, word, query = hostile(rng).replace("/", ""), hostile(rng), hostile(rng)
    data = judged_set(n_queries=3)
    ids = [hostile(rng) + str(i) for i in range(data.n_documents)]
    features = [hostile(rng) + str(i) for i in range(data.n_features)]
    judged = rk.RankingData(data.X, data.y, data.qid, ids, features)
    set_file, parquet = f"{name}.txt", f"{name}.parquet"
    rows = (" ".join(f"{j}:{x:g}" for j, x in enumerate(row, 1)) for row in data.X.tolist())
    lines = zip(data.y.astype(int), data.qid, rows, ids, strict=True)
    (folder / set_file).write_text("".join(f"{y} qid:{q} {row} #docid = {i}\n" for y, q, row, i in lines))
    rk.save_table(judged, folder / parquet)
    rk.LinearRanker(loss="ranksvm", normalise="zscore").fit(judged).save(folder / f"{name}.json")
    (folder / f"{name}.qrels").write_text("".join(f"{query} 0 {d} 1\n" for d in ids[:3]))
    for run in "ab":
        (folder / f"{name}{run}.run").write_text(
            "".join(f"{query} Q0 {d} {i} {-i} {name}\n" for i, d in enumerate(ids[:3], 1))
        )
    (folder / f"{name}.bad").write_text(f"{word} {word}\n")
    (folder / "bad.json").write_text(json.dumps({"rankine": word, "kind": word, "format": word}))
    lattices = folder / "lattices"
    lattices.mkdir()
    (lattices / f"{name}.slf").write_bytes(slf(word.replace("=", ""), "printing"))
    (lattices / f"broken{name}.slf").write_text(f"VERSION=1.0\nN=1 L={word}\n")
    archive = Archive.create(folder / "archive", Settings({"word": "words"}))
    archive.lattices.index(lattices)
    archive.judgments.store.query(hostile(rng, blanks=True))
    commands = [
        ["describe", set_file], ["describe", parquet], ["describe", parquet, "-o", "json"],
        ["describe", parquet, "-o", "csv"], ["describe", f"{name}.bad"], ["describe", f"{name}.absent"],
        ["rank", f"{name}.json", set_file], ["evaluate", f"{name}.qrels", f"{name}a.run", "-q"],
        ["evaluate", f"{name}.qrels", f"{name}a.run", "-q", "-o", "json"],
        ["evaluate", f"{name}.qrels", f"{name}a.run", "-q", "-o", "csv"],
        ["compare", f"{name}.qrels", f"{name}a.run", f"{name}b.run", "--details", "2"],
        ["train", set_file, "-o", f"{name}.new.json", "--loss", "svm-map"], ["convert", set_file, "-"],
        ["bound", "bad.json", set_file], ["rank", "bad.json", set_file], ["evaluate", f"{name}.bad", f"{name}a.run"],
        ["train", set_file, "-o", "x.json", "--loss", word], ["evaluate", "-m", word, f"{name}.qrels", f"{name}a.run"],
        [f"--{word}"], ["train", f"--{word}"], [word],
        ["export", f"{name}.json", "--to", "opensearch", "-o", f"{name}.out"],
        ["spoken", "inspect", "lattices", "--workers", "1"], ["spoken", "pspl", "lattices", "--workers", "1"],
        ["spoken", "cn", "lattices", "--workers", "1"], ["spoken", "search", "archive", "printing"],
        ["spoken", "search", "archive", word], ["spoken", "search", "archive", "printing", "-o", "json"],
        ["spoken", "search", "archive", "printing", "-o", "trec"], ["spoken", "subtitles", "archive", name],
        ["spoken", "judgments", "archive"], ["spoken", "delete", "archive", word, "--yes"], ["spoken", "check", name],
        ["spoken", "index", "archive", "lattices", "--workers", "1"], ["spoken", "judge", "archive", "printing"],
        ["spoken", "convert", "lattices", f"{name}.ctm", "--workers", "1"], ["spoken", "play", "archive", f"{name}@0"],
        ["spoken", "show", "lattices", "-o", f"{name}.svg"], ["spoken", "weights", "archive", "--use", word],
        ["consistency", word], ["tune", set_file, "--folder", f"{name}.jobs", "-C", word],
    ]  # fmt: skip
    return [Scene(" ".join(map(ascii, c)), c, stdin=b"y\nq\n") for c in commands]


def on_terminal(scene: Scene, folder: Path) -> bytes:
    """What a command prints on a terminal."""
    child, terminal = pty.fork()
    if not child:
        os.environ.update(TERM="xterm", COLUMNS="200", LINES="50")
        os.chdir(folder)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)
        try:
            code = perform(scene)
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException as error:
            os.write(2, f"bug: {error!r}".encode("ascii", "backslashreplace"))
            code = 99
        os._exit(code)
    output, deadline = b"", time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 0.5)[0]:
            continue
        try:
            block = os.read(terminal, 1 << 16)
        except OSError:  # the end, on Linux
            break
        if not block:
            break
        output += block
    os.close(terminal)
    os.waitpid(child, 0)
    return output


def problem(output: bytes) -> str:
    """What a terminal got that it should not."""
    text = output.decode("utf-8", "replace")
    left = CONTROL.search(OWN.sub("", text))
    if left:
        rest = OWN.sub("", text)
        return f"{left[0]!r} reached the terminal: {rest[max(left.start() - 60, 0) : left.end() + 40]!r}"
    for wrong in ("Traceback", "bug:", "bug in Rankine"):
        if wrong in text:
            return f"{wrong}: {text[-600:]!r}"
    for match in OWN.finditer(text):  # our own styling never stands within a name
        before = text[max(match.start() - 40, 0) : match.start()]
        if re.search(MARK + r"\S*$", before) and match[0] in ("\x1b[31m", "\x1b[2J"):
            return f"styling within a name: {before!r}"
    return ""


def attack(count: int, seed: int, minutes: float = 1e9) -> list[str]:
    """Run at least ``count`` commands; print counts and failures; the failures."""
    failures: list[str] = []
    runs = hits = rounds = 0
    deadline = time.monotonic() + 60 * minutes
    while runs < count and time.monotonic() < deadline:
        rng = random.Random(f"{seed} {rounds}")
        with tempfile.TemporaryDirectory(prefix="rankine-terminals-", dir=place()) as temporary:
            for scene in prepare(Path(temporary), rng)[: count - runs]:
                output = on_terminal(scene, Path(temporary))
                runs += 1
                hits += MARK.encode() in output
                what = problem(output)
                if what:
                    failures.append(f"seed {seed}, round {rounds}, {scene.name}: {what}")
                    print(failures[-1], flush=True)
        rounds += 1
    print(f"{runs} commands, {hits} of them showed a hostile name, {len(failures)} failures (seed {seed})")
    return failures


if __name__ == "__main__":
    command(attack, __doc__, count=200, names="")
