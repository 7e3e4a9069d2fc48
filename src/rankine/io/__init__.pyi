"""The public names of the room; see ``__init__.py``."""

from .delimited import load_csv as load_csv
from .delimited_write import save_csv as save_csv
from .letor import load_letor as load_letor
from .letor_write import save_letor as save_letor
from .preferences import load_preferences as load_preferences
from .table import from_table as from_table
from .table import load_table as load_table
from .table import save_table as save_table
from .trec import TrecTable as TrecTable
from .trec import load_qrels as load_qrels
from .trec import load_run as load_run
from .trec_prefs import JudgmentGroups as JudgmentGroups
from .trec_prefs import load_groups as load_groups
from .trec_write import save_qrels as save_qrels
from .trec_write import save_run as save_run
