"""Parquet, Arrow IPC, and frames in memory.

Rankine's own layout is one record batch with the columns ``label``, ``qid``, ``doc_id`` and, for dense data, a
fixed-size list ``features`` (for CSR, lists ``indices`` and ``values``). An Arrow file in it is memory-mapped: the
feature matrix is a view of the file, and it is not validated again. Any other table works too, one column per
feature.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict

import numpy as np
from msgspec import Meta

from ...arrays import per_row
from ...data.ranking_data import Numbering, Preferences, RankingData
from ...errors import InputError, naming
from ...system.files import replacing
from ...system.limits import Meter
from ...system.records import checked, parsed
from ..paths import ARROW, PARQUET, several
from .columns import Column
from .frames import as_table, from_columns, from_matrix, ids, is_matrix, numbers, own_selection

if TYPE_CHECKING:
    import pyarrow as pa

_ENDINGS = ARROW + PARQUET
_FORMAT = 1


def save_table(data: RankingData, path: str | os.PathLike) -> None:
    """Write Parquet (.parquet, .pq) or Arrow IPC (.arrow, .feather, .ipc), replaced only when complete.

    >>> import tempfile
    >>> data = RankingData([[0.5, 1.0]], [2], ["a"], feature_names=["bm25", "age"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_table(data, folder + "/set.arrow")
    ...     load_table(folder + "/set.arrow").feature_names
    ('bm25', 'age')
    """
    suffix = _suffix(path)
    if isinstance(data.y, Preferences):
        raise InputError("a table holds grades, this data set has preferences")
    table = _to_arrow(data)
    with replacing(path) as temporary:
        if suffix in ARROW:
            import pyarrow as pa

            with pa.OSFile(str(temporary), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)
        else:
            import pyarrow.parquet as pq

            pq.write_table(table, str(temporary))


@several
def load_table(
    path: str | os.PathLike,
    label: Column | None = None,
    qid: Column | None = None,
    doc_id: Column | None = None,
    features: Any = None,
    ungraded: bool = False,
) -> RankingData:
    """Read Parquet or Arrow IPC; column names are only needed for tables that Rankine did not write.

    Args:
        path: a .parquet, .pq, .arrow, .feather or .ipc file; or several, a folder, a pattern.
        label: the column of grades, by name or by number from 1; by default one of label, grade, relevance, rel, y.
        qid: the column of query ids; by default one of qid, query_id, query.
        doc_id: the column of document ids; by default one of doc_id, docid, docno, document_id, document, if any.
        features: names, numbers or patterns, as for :func:`load_csv`; by default all other columns.
        ungraded: whether there may be no column of grades; all grades are then 0.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_table(RankingData([[0.5]], [2], ["a"]), folder + "/set.parquet")
    ...     load_table(folder + "/set.parquet").y
    array([2.])
    """
    import pyarrow as pa

    suffix = _suffix(path)
    try:
        if suffix in ARROW:
            table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
        else:
            table = _read_parquet(str(path))
        table.validate(full=True)
        own = (table.schema.metadata or {}).get(b"rankine") is not None
        data = from_table(table, label, qid, doc_id, features, str(path), ungraded) if own else None
    except (InputError, FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except (pa.ArrowException, OSError, ValueError, LookupError, TypeError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise InputError(f"not a readable {suffix[1:]} file ({reason})", str(path)) from None
    with naming(str(path)):
        return from_table(table, label, qid, doc_id, features, str(path), ungraded) if data is None else data


def _read_parquet(path: str) -> pa.Table:
    """A Parquet file, if it is not out of proportion; texts that repeat are kept once."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    meter, packed = Meter(path), os.stat(path).st_size
    with pq.ParquetFile(path) as file:
        schema = file.schema_arrow
        # what columns say of themselves is left alone: pyarrow ends the process on some that are damaged
        meter.add(file.metadata.num_rows * sum(_width(f.type) for f in schema), packed)
        texts = [f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)]
    if not any(pa.types.is_list(f.type) or pa.types.is_large_list(f.type) for f in schema):
        return pq.read_table(path, read_dictionary=texts)
    batches = []
    with pq.ParquetFile(path, read_dictionary=texts) as file:
        for batch in file.iter_batches():  # lists may be of any length: they count as they come
            meter.add(batch.nbytes, packed)
            batches.append(batch)
    return pa.Table.from_batches(batches, schema=batches[0].schema if batches else schema)


def _width(kind: pa.DataType) -> int:
    """Bytes of a value in memory, as far as its type tells."""
    import pyarrow as pa

    if pa.types.is_fixed_size_list(kind):
        return int(kind.list_size) * _width(kind.value_type)
    return int(kind.bit_width) // 8 if pa.types.is_integer(kind) or pa.types.is_floating(kind) else 1


def from_table(
    table: Any,
    label: Any = None,
    qid: Any = None,
    doc_id: Any = None,
    features: Any = None,
    where: str | None = None,
    ungraded: bool = False,
) -> RankingData:
    """Judged rankings from a table in memory.

    Args:
        table: a frame of pandas or polars, a relation of DuckDB, a table or record batches of Arrow, a structured array
            of NumPy, a dict of columns, or anything else with the interface of Arrow; or a matrix: an array of two
            dimensions, or a sparse one of SciPy, whose columns have numbers only.
        label: the column of grades, by name or by number from 1; or the grades themselves, one for each row. By
            default one of label, grade, relevance, rel, y.
        qid: the column of query ids, or the ids; by default one of qid, query_id, query.
        doc_id: the column of document ids, or the ids; by default one of doc_id, docid, docno, document_id, document.
        features: names, numbers or patterns, as for :func:`load_csv`; by default all other columns.
        where: what errors call the table.
        ungraded: whether there may be no column of grades, as in new data that is to be ranked; all grades are then 0.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"qid": [1, 1], "label": [0, 1], "bm25": [0.5, 2.0]})
    >>> from_table(frame).feature_names
    ('bm25',)
    >>> from_table(frame[["bm25"]], label=[0, 1], qid=["a", "a"]).query_ids
    array(['a'], dtype='<U1')
    """
    import pyarrow as pa

    roles = {"label": label, "qid": qid, "doc_id": doc_id}
    if is_matrix(table):
        return from_matrix(table, roles, features, where, ungraded)
    if not isinstance(table, pa.Table):
        table = as_table(table)
    metadata = (table.schema.metadata or {}).get(b"rankine")
    if metadata is not None:
        return own_selection(_from_own(table, metadata, where), roles, features, where)
    return from_columns(table, roles, features, where, ungraded)


def _suffix(path: str | os.PathLike) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in _ENDINGS:
        raise InputError(f"expected a file name ending in one of {', '.join(_ENDINGS)}", str(path))
    return suffix


def _to_arrow(data: RankingData) -> pa.Table:
    import pyarrow as pa

    names = list(data.feature_names) if data.feature_names else None
    layout: dict[str, Any] = {"format": _FORMAT, "n_features": data.n_features, "feature_names": names}
    if data.numbering is not None:
        layout["numbering"] = list(data.numbering)
    columns: dict[str, Any] = {"label": pa.array(data.y), "qid": _id_column(data.qid, repeats=True)}
    if data.doc_ids is not None:
        columns["doc_id"] = _id_column(data.doc_ids, repeats=False)
    if data.query_weight is not None:
        columns["query_weight"] = pa.array(per_row(data.query_weight, data.ptr))
    if data.doc_weight is not None:
        columns["doc_weight"] = pa.array(data.doc_weight)
    if data.is_sparse:
        ptr = pa.array(data.X.indptr.astype(np.int64))
        columns["indices"] = pa.LargeListArray.from_arrays(ptr, pa.array(data.X.indices.astype(np.int32)))
        columns["values"] = pa.LargeListArray.from_arrays(ptr, pa.array(data.X.data))
    else:
        columns["features"] = pa.FixedSizeListArray.from_arrays(pa.array(data.X.ravel()), data.n_features)
    return pa.table(columns).replace_schema_metadata({"rankine": json.dumps(layout)})


def _id_column(ids: np.ndarray, repeats: bool) -> Any:
    import pyarrow as pa

    if ids.dtype.kind in "iu":
        return pa.array(ids)
    texts = pa.array(ids.tolist(), pa.large_string())
    return texts.dictionary_encode() if repeats else texts


class TableLayout(TypedDict):
    """What Rankine's own layout says of itself."""

    n_features: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    feature_names: list[str] | None
    numbering: NotRequired[tuple[Literal[0, 1], bool]]


class LayoutVersion(TypedDict):
    """The version of the layout."""

    format: int


def _from_own(table: pa.Table, metadata: bytes, where: str | None) -> RankingData:
    what = "a table of Rankine's own layout"
    content = parsed(metadata, what, where)
    version = checked(content, LayoutVersion, what, where)["format"]
    if version != _FORMAT:
        raise InputError(f"written in format {version} by a newer Rankine, this one reads {_FORMAT}", where)
    layout = checked(content, TableLayout, what, where)
    n, names = layout["n_features"], layout["feature_names"]
    if names is not None and len(names) != n:
        raise InputError(f"{len(names)} names for {n} features", where)
    if table.num_rows == 0:
        raise InputError("the table has no rows", where)
    needed = ["label", "qid", *(["features"] if "features" in table.column_names else ["indices", "values"])]
    for name in needed:
        if table.column_names.count(name) != 1:
            raise InputError(f"Rankine's own layout without a {name} column, or with two", where)
    table = table.combine_chunks() if any(c.num_chunks != 1 for c in table.columns) else table
    X = _own_dense(table["features"], n, where) if "features" in needed else _own_sparse(table, n, where)
    labels = numbers(table, "label", where).astype(np.float64, copy=False)
    documents = (lambda: ids(table, "doc_id", where)) if "doc_id" in table.column_names else None
    data = RankingData.from_valid(X, labels, ids(table, "qid", where), documents, names)
    if "numbering" in layout:
        data.numbering = Numbering(*layout["numbering"])
    weights = {
        name: numbers(table, name, where).astype(np.float64)[data.order]
        for name in ("query_weight", "doc_weight")
        if name in table.column_names
    }
    if "query_weight" in weights:
        weights["query_weight"] = weights["query_weight"][data.ptr[:-1]]
    with naming(where or "table"):
        return data.with_weights(**weights) if weights else data


def _own_dense(column: pa.ChunkedArray, n: int, where: str | None) -> np.ndarray:
    """The features as a view of the table."""
    import pyarrow as pa

    lists = column.chunk(0)
    kind = lists.type
    if not pa.types.is_fixed_size_list(kind) or kind.list_size != n or kind.value_type not in _floats():
        raise InputError(f"expected {n} floats in each row of features, got {lists.type}", where)
    if lists.null_count or lists.flatten().null_count:
        raise InputError("features have missing values", where)
    return lists.flatten().to_numpy().reshape(len(lists), n)


def _own_sparse(table: pa.Table, n: int, where: str | None) -> Any:
    """The features as CSR; their places are checked, for kernels trust them."""
    import pyarrow as pa
    import scipy.sparse as sp

    indices, values = table["indices"].chunk(0), table["values"].chunk(0)
    for lists, types in ((indices, [pa.int32()]), (values, _floats())):
        if not pa.types.is_large_list(lists.type) or lists.type.value_type not in types:
            raise InputError(f"expected lists of {types[0]} in sparse features, got {lists.type}", where)
        if lists.null_count or lists.flatten().null_count:
            raise InputError("features have missing values", where)
    ptr, places = values.offsets.to_numpy(), indices.flatten().to_numpy()
    if not np.array_equal(ptr - ptr[0], indices.offsets.to_numpy() - indices.offsets[0].as_py()):
        raise InputError("the rows of indices and of values have different lengths", where)
    if len(places) and not 0 <= places.min() <= places.max() < n:
        raise InputError(f"an index is not between 0 and {n - 1}", where)
    X = sp.csr_array((values.flatten().to_numpy(), places, ptr - ptr[0]), shape=(table.num_rows, n))
    if not X.has_canonical_format:
        raise InputError("the indices of a row do not increase", where)
    return X


def _floats() -> list[Any]:
    import pyarrow as pa

    return [pa.float32(), pa.float64()]
