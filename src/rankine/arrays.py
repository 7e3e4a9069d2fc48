"""Arrays from whatever users bring: numbers, ids, feature matrices; checked once, copied only where needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import InputError
from .system.limits import check_dense

Features = Any  # np.ndarray or scipy.sparse.csr_array

_CHUNK = 1 << 22


def column_names(X: Any) -> list[str] | None:
    """The column names of a frame or table, None for an array."""
    names = getattr(X, "column_names", None)
    names = getattr(X, "columns", None) if names is None else names
    return None if names is None else [str(n) for n in names]


def as_features(X: Any) -> Features:
    """An array, sparse matrix, frame or table as dense float or CSR; no copy where none is needed."""
    if hasattr(X, "tocsr"):
        import scipy.sparse as sp

        csr = sp.csr_array(X)
        try:
            csr.check_format(full_check=True)  # kernels rely on it: SciPy itself does not look at indices
        except ValueError as error:
            raise InputError(f"X is not a valid sparse matrix: {error}") from None
        if not csr.has_canonical_format:  # the caller's matrix is left as it is
            csr = csr.copy()
            csr.sum_duplicates()
        return csr if csr.dtype in (np.float32, np.float64) else csr.astype(np.float64)
    if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "to_numpy") and not hasattr(X, "column_names"):
        import pyarrow as pa

        X = pa.table(X)  # such as a relation of DuckDB
    if hasattr(X, "column_names"):
        X = np.column_stack([column.to_numpy() for column in X.columns]) if X.num_columns else np.empty((X.num_rows, 0))
    elif hasattr(X, "to_numpy"):
        X = X.to_numpy()
    return as_numbers(X, "X", ndim=2, dtypes=(np.float32, np.float64))


def widened(X: Features, before: int, after: int) -> Features:
    """X with so many columns of zeros before and behind its own.

    >>> widened(np.array([[1.0]]), 1, 2)
    array([[0., 1., 0., 0.]])
    """
    if before == after == 0:
        return X
    n = before + X.shape[1] + after
    if isinstance(X, np.ndarray):
        check_dense(X.shape[0], n, X.itemsize)
        out = np.zeros((X.shape[0], n), X.dtype)
        out[:, before : n - after] = X
        return out
    import scipy.sparse as sp

    return sp.csr_array((X.data, X.indices + before, X.indptr), shape=(X.shape[0], n))


def as_ids(ids: Any, name: str) -> np.ndarray:
    """Ids as an integer, string or object array of one dimension."""
    array = ids.to_numpy(zero_copy_only=False) if type(ids).__module__.startswith("pyarrow") else np.asarray(ids)
    if array.ndim != 1:
        raise InputError(f"{name} must have one dimension, got {array.ndim}")
    kind = array.dtype.kind
    try:
        if kind in "iU":
            return array
        if kind == "f":
            missing = np.flatnonzero(np.isnan(array))
            if len(missing):
                raise InputError("an id is missing", f"{name}, row {missing[0]}")
        if (kind == "f" and (array == np.floor(array)).all()) or kind == "u":
            if len(array) and not -(2.0**63) <= array.min() <= array.max() < 2.0**63:
                raise InputError(f"{name} must fit 64-bit whole numbers: use strings")
            return array.astype(np.int64) if kind == "f" or array.dtype.itemsize == 8 else array
        if kind == "S":
            return np.char.decode(array, "utf-8")
        if kind in "OT":
            return _object_ids(array.astype(object, copy=False), name)
    except (OverflowError, UnicodeDecodeError) as error:
        raise InputError(f"{name} must be 64-bit whole numbers or strings: {error}") from None
    raise InputError(f"{name} must be whole numbers or strings, all of one type; got {array.dtype}")


def _object_ids(objects: np.ndarray, name: str) -> np.ndarray:
    value_types = set(map(type, objects.tolist()))
    if value_types <= {str}:
        return objects
    if all(issubclass(t, (int, np.integer)) and t is not bool for t in value_types):
        return objects.astype(np.int64)
    for row, value in enumerate(objects.tolist()):
        if value is None or value != value or type(value).__name__ in ("NAType", "NaTType"):
            raise InputError("an id is missing", f"{name}, row {row}")
    types = ", ".join(sorted(t.__name__ for t in value_types))
    raise InputError(f"{name} must be whole numbers or strings, all of one type; got {types}")


def per_row(values: np.ndarray, ptr: np.ndarray) -> np.ndarray:
    """A value per query, repeated for its rows; ``ptr`` holds the bounds of the queries.

    >>> per_row(np.array([7, 3]), np.array([0, 2, 3]))
    array([7, 7, 3])
    """
    return np.repeat(values, np.diff(ptr))


def dense(X: Any, dtype: Any = None) -> np.ndarray:
    """A feature matrix as a dense array, of the same dtype by default.

    >>> import scipy.sparse as sp
    >>> dense(sp.csr_array([[0.0, 1.0]]))
    array([[0., 1.]])
    """
    if not hasattr(X, "toarray"):
        return np.asarray(X, dtype)
    check_dense(X.shape[0], X.shape[1], np.dtype(X.dtype if dtype is None else dtype).itemsize)
    return np.asarray(X.toarray(), dtype)


def column(X: Any, j: int, dtype: Any = None) -> np.ndarray:
    """One column of a feature matrix as a dense array, of the same dtype by default; then a view where X is dense.

    >>> column(np.array([[1.0, 2.0], [3.0, 4.0]]), 1)
    array([2., 4.])
    """
    return np.asarray(X[:, [j]].toarray().ravel() if hasattr(X, "toarray") else X[:, j], dtype)


def check_finite(values: Any, name: str) -> None:
    """Raise with the row (and column) of the first NaN or infinite value.

    >>> check_finite(np.array([1.0, np.nan]), "y")
    Traceback (most recent call last):
    rankine.errors.InputError: y, row 1: expected a finite number, got nan
    """
    flat = values if isinstance(values, np.ndarray) else values.data
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(flat.sum()):
            return
    flat = flat.ravel()
    for start in range(0, flat.size, _CHUNK):
        bad = np.flatnonzero(~np.isfinite(flat[start : start + _CHUNK]))
        if len(bad):
            at = int(start + bad[0])
            if not isinstance(values, np.ndarray):
                row = int(np.searchsorted(values.indptr, at, side="right")) - 1
                where = f"{name}, row {row}, column {values.indices[at]}"
            elif values.ndim == 1:
                where = f"{name}, row {at}"
            else:
                where = f"{name}, row {at // values.shape[1]}, column {at % values.shape[1]}"
            raise InputError(f"expected a finite number, got {flat[at]}", where)


def as_numbers(values: Any, name: str, ndim: int = 1, dtypes: tuple = (np.float64,)) -> np.ndarray:
    """Real numbers as a C-contiguous array of one of the dtypes (the last one by default), without a needless copy.

    >>> as_numbers([1j], "y")
    Traceback (most recent call last):
    rankine.errors.InputError: y must hold numbers only: got complex128
    """
    if np.ma.is_masked(values):
        raise InputError(f"{name} has masked values: fill or drop them first")
    try:
        array = np.asarray(values)
        if array.dtype.kind in "cmMV":
            raise TypeError(f"got {array.dtype}")
        if array.dtype not in dtypes:
            array = array.astype(dtypes[-1])
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must hold numbers only: {error}") from None
    if array.ndim != ndim:
        raise InputError(f"{name} must have {'one dimension' if ndim == 1 else 'two dimensions'}, got {array.ndim}")
    return np.ascontiguousarray(array)


def check_whole(name: str, value: Any, low: int, high: int | None = None) -> None:
    """Raise unless a parameter is a whole number within its bounds.

    >>> check_whole("n_rounds", 2.5, 1)
    Traceback (most recent call last):
    rankine.errors.InputError: n_rounds must be a whole number, at least 1; got 2.5
    """
    good = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not good or value < low or (high is not None and value > high):
        bounds = f"at least {low}" if high is None else f"between {low} and {high}"
        raise InputError(f"{name} must be a whole number, {bounds}; got {value!r}")


def check_positive(name: str, value: Any) -> None:
    """Raise unless a parameter is a positive number.

    >>> check_positive("C", 0)
    Traceback (most recent call last):
    rankine.errors.InputError: C must be a positive number, got 0
    """
    if not (isinstance(value, (int, float, np.number)) and 0 < value < np.inf):
        raise InputError(f"{name} must be a positive number, got {value!r}")
