"""The public names of the room; see ``__init__.py``."""

from .letor.reader import load_letor as load_letor
from .letor.writer import save_letor as save_letor
from .tables.csv import load_csv as load_csv
from .tables.csv_writer import save_csv as save_csv
from .tables.parquet import from_table as from_table
from .tables.parquet import load_table as load_table
from .tables.parquet import save_table as save_table
from .trec.groups import JudgmentGroups as JudgmentGroups
from .trec.groups import load_groups as load_groups
from .trec.preferences import load_preferences as load_preferences
from .trec.reader import TrecTable as TrecTable
from .trec.reader import load_qrels as load_qrels
from .trec.reader import load_run as load_run
from .trec.writer import save_qrels as save_qrels
from .trec.writer import save_run as save_run
