"""Tables in memory: pandas, polars, DuckDB, Arrow, structured arrays, and matrices whose columns have numbers only.

Anything with the Arrow interface (``__arrow_c_stream__``) is a table. No library is imported for it but pyarrow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import as_ids, check_finite, column
from ...data.ranking_data import RankingData
from ...errors import InputError
from ..notes import said
from .columns import ColumnNames, Columns, choose, feature_places

if TYPE_CHECKING:
    import pyarrow as pa

ROLES = ("label", "qid", "doc_id")


def is_matrix(table: Any) -> bool:
    """Whether something is a sparse matrix or an array of two dimensions."""
    return hasattr(table, "tocsr") or (isinstance(table, np.ndarray) and not table.dtype.names and table.ndim == 2)


def is_column(given: Any) -> bool:
    """Whether a column is named, rather than its values given.

    >>> is_column("grade"), is_column(3), is_column([0, 1])
    (True, True, False)
    """
    return given is None or isinstance(given, (str, bool)) or (hasattr(given, "__index__") and not np.ndim(given))


def from_matrix(X: Any, roles: dict[str, Any], features: Any, where: str | None, ungraded: bool = False) -> RankingData:
    """Judged rankings from a matrix; grades and ids are some of its columns, or stand apart."""
    if hasattr(X, "tocsr"):
        import scipy.sparse as sp

        X = sp.csr_array(X)
    columns, values = _columns(ColumnNames(None, X.shape[1], where), roles, features, ungraded, X.shape[0])
    for role, place in _places(columns).items():
        values[role] = column(X, place)
    if columns.features != list(range(X.shape[1])):
        X = X[:, columns.features]
    return RankingData(X, values["label"], values["qid"], values.get("doc_id"))


def from_columns(
    table: pa.Table, roles: dict[str, Any], features: Any, where: str | None, ungraded: bool = False
) -> RankingData:
    """Judged rankings from a table with one column for each feature; grades and ids may stand apart."""
    names = table.column_names
    called = ColumnNames(names, len(names), where)
    columns, values = _columns(called, roles, features, ungraded, table.num_rows)
    odd = called.odd(columns.features) if features is None else []
    if odd:
        said(f"{where or 'the table'}: features include {' and '.join(odd)}")
    for role, place in _places(columns).items():
        values[role] = (numbers if role == "label" else ids)(table, names[place], where)
    titles = [names[place] for place in columns.features]
    X = np.column_stack([numbers(table, title, where) for title in titles])
    return RankingData(X, values["label"], values["qid"], values.get("doc_id"), titles)


def _columns(
    names: ColumnNames, roles: dict[str, Any], features: Any, ungraded: bool, n: int
) -> tuple[Columns, dict[str, Any]]:
    """The columns of a table, and the values that stand apart from it."""
    values = {role: given for role, given in roles.items() if not is_column(given)}
    label, qid, doc_id = (None if role in values else roles[role] for role in ROLES)
    columns = choose(names, label, qid, doc_id, features, apart=values, ungraded=ungraded)
    if columns.label < 0 and "label" not in values:
        said(f"{names.where or 'the table'}: without grades (all are 0)")
        values["label"] = np.zeros(n)
    return columns, values


def _places(columns: Columns) -> dict[str, int]:
    """The places of grades and ids that are columns."""
    places = zip(ROLES, columns[:3], strict=True)
    return {role: place for role, place in places if isinstance(place, int) and place >= 0}


def own_selection(data: RankingData, roles: dict[str, Any], features: Any, where: str | None) -> RankingData:
    """Data of Rankine's own layout with the features that are given; its other columns have fixed names."""
    for role, given in roles.items():
        if given is not None and not (isinstance(given, str) and given == role):
            raise InputError(f"the table has Rankine's own layout, its {role} cannot be chosen", where)
    if features is None:
        return data
    names = ColumnNames(data.feature_names, data.n_features, where)
    return data.select(feature_places(names, features, {"label": None}))


def as_table(frame: Any) -> pa.Table:
    """Whatever Arrow can read, as a table of Arrow."""
    import pyarrow as pa

    if isinstance(frame, pa.RecordBatchReader):
        return frame.read_all()
    if isinstance(frame, np.ndarray):
        return _structured(frame)
    library = type(frame).__module__.split(".")[0]
    if hasattr(frame, "collect") and not hasattr(frame, "__arrow_c_stream__"):
        raise InputError(f"a {type(frame).__name__} of {library} is not computed yet: call collect() first")
    try:
        if library == "pandas":
            return pa.Table.from_pandas(_dense_frame(frame), preserve_index=False)
        arrow = getattr(frame, "to_arrow_table", None)  # relations of older releases of DuckDB
        return arrow() if arrow is not None and not hasattr(frame, "__arrow_c_stream__") else pa.table(frame)
    except (TypeError, ValueError, AttributeError) as error:
        reason = " ".join(" ".join(map(str, error.args)).split())
        raise InputError(f"expected a table or frame with one column per name: {reason}") from None


def _dense_frame(frame: Any) -> Any:
    """A frame of pandas whose sparse columns are ordinary ones."""
    sparse = [i for i, kind in enumerate(getattr(frame, "dtypes", ())) if type(kind).__name__ == "SparseDtype"]
    if not sparse or len(set(frame.columns)) < len(frame.columns):
        return frame
    return frame.assign(**{frame.columns[i]: frame.iloc[:, i].sparse.to_dense() for i in sparse})


def _structured(array: np.ndarray) -> pa.Table:
    """A structured array as a table; a field of several numbers becomes several columns."""
    import pyarrow as pa

    if not array.dtype.names or array.ndim != 1:
        raise InputError(f"expected a structured array of one dimension or a matrix, got {array.dtype}, {array.ndim}-d")
    columns: dict[str, Any] = {}
    for name in array.dtype.names:
        field = array[name]
        if np.ma.is_masked(field):
            raise InputError(f"column {name!r} has masked values: fill or drop them first")
        flat = field.reshape(len(field), -1) if field.ndim > 1 else None
        parts = {name: field} if flat is None else {f"{name}{i + 1}": flat[:, i] for i in range(flat.shape[1])}
        for part, values in parts.items():
            if part in columns:
                raise InputError(f"there are two columns {part!r}")
            try:
                columns[part] = pa.array(_plain(np.asarray(values)))
            except (pa.ArrowException, TypeError, ValueError) as error:
                raise InputError(f"column {part!r} holds {values.dtype}, not numbers or ids: {error}") from None
    return pa.table(columns)


def _plain(values: np.ndarray) -> np.ndarray:
    """Values of a type that Arrow has."""
    kind = values.dtype.kind
    if kind == "S":
        return np.char.decode(values, "utf-8").astype(object)
    if kind == "f" and values.dtype.itemsize > 8:
        return values.astype(np.float64)
    return values.astype(values.dtype.newbyteorder("="), copy=False)


def numbers(table: pa.Table, name: str, where: str | None = None) -> np.ndarray:
    """A column of finite numbers: whole, decimal, floating, true or false, or categories that are numbers."""
    import pyarrow as pa

    values = table[name]
    if pa.types.is_dictionary(values.type):
        if not _is_numeric(values.type.value_type):
            raise InputError(f"column {name!r} holds categories of {values.type.value_type}, not numbers", where)
        values = values.cast(values.type.value_type)
    kind = values.type
    if pa.types.is_null(kind) and len(values):
        raise InputError(f"column {name!r} has no values", where)
    if not _is_numeric(kind):
        raise InputError(f"column {name!r} holds {kind}, not numbers", where)
    _check_missing(values, name, where)
    if pa.types.is_decimal(kind):  # by way of text, which is rounded once
        values = values.cast(pa.string()).cast(pa.float64())
    array = values.to_numpy()
    array = array.astype(np.float32) if array.dtype == np.float16 else array
    if array.dtype.kind == "f":
        check_finite(array, f"{where}, column {name!r}" if where else f"column {name!r}")
    return array


def _is_numeric(kind: Any) -> bool:
    import pyarrow as pa

    t = pa.types
    return t.is_integer(kind) or t.is_floating(kind) or t.is_boolean(kind) or t.is_decimal(kind)


def _check_missing(values: pa.ChunkedArray, name: str, where: str | None) -> None:
    if values.null_count:
        row = int(np.argmax(values.is_null().to_numpy()))
        raise InputError(f"column {name!r} has {values.null_count} missing values, the first in row {row}", where)


def ids(table: pa.Table, name: str, where: str | None = None) -> np.ndarray:
    """A column of ids: whole numbers or strings."""
    import pyarrow as pa

    values = table[name]
    _check_missing(values, name, where)
    flat = values.combine_chunks() if values.num_chunks != 1 else values.chunk(0)
    if pa.types.is_decimal(flat.type):  # whole numbers of DuckDB's sums
        try:
            flat = flat.cast(pa.int64())
        except pa.ArrowInvalid:
            raise InputError(f"column {name!r} holds decimals that are no 64-bit whole numbers", where) from None
    if pa.types.is_dictionary(flat.type):
        names = flat.dictionary.to_numpy(zero_copy_only=False)
        array = names[flat.indices.to_numpy(zero_copy_only=False)]
    else:
        array = flat.to_numpy(zero_copy_only=False)
    return as_ids(array, f"{where}, column {name!r}" if where else f"column {name!r}")
