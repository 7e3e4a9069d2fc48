"""The public names of the room; see ``__init__.py``."""

from .recognisers.command import Command as Command
from .recognisers.pocketsphinx import PocketSphinx as PocketSphinx
from .recognisers.pocketsphinx import read_words as read_words
from .recognisers.table import Recogniser as Recogniser
from .recognisers.table import SegmentError as SegmentError
from .recognisers.vosk import Vosk as Vosk
from .recognisers.whisper import Whisper as Whisper
from .run import Recognised as Recognised
from .run import recognise as recognise
