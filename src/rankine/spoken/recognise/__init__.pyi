"""The public names of the room; see ``__init__.py``."""

from .command import Command as Command
from .pocketsphinx import PocketSphinx as PocketSphinx
from .pocketsphinx import read_words as read_words
from .run import Recognised as Recognised
from .run import recognise as recognise
from .table import Recogniser as Recogniser
from .table import SegmentError as SegmentError
from .vosk import Vosk as Vosk
from .whisper import Whisper as Whisper
