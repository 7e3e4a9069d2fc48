"""Helpers over arrays: the same answers for dense and sparse matrices."""

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp

from rankine.arrays import as_features, column, dense, per_row
from rankine.errors import InputError


@pytest.mark.parametrize("layout", [sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_columns_and_dense_copies_of_a_sparse_matrix(layout, dtype):
    X = (np.arange(12.0).reshape(4, 3) * (np.arange(12).reshape(4, 3) % 2)).astype(dtype)
    S = layout(X)
    assert dense(S).dtype == dtype
    assert np.array_equal(dense(S), X)
    for j in range(3):
        assert np.array_equal(column(S, j), X[:, j])
        assert column(S, j).dtype == dtype


def test_a_dense_matrix_is_not_copied():
    X = np.ones((3, 2))
    assert dense(X) is X
    assert np.shares_memory(column(X, 1), X)


def test_a_value_per_query_is_repeated_for_its_rows():
    assert per_row(np.array([7.0, 8.0, 9.0]), np.array([0, 1, 1, 4])).tolist() == [7.0, 9.0, 9.0, 9.0]


@pytest.mark.parametrize(("columns", "ends"), [([0, 7], [0, 1, 2]), ([0, -1], [0, 1, 2]), ([0, 1], [0, 5, 2])])
def test_a_sparse_matrix_that_points_outside_is_refused(columns, ends):
    X = sp.csr_array(np.eye(2))
    X.indices, X.indptr = np.array(columns, np.int32), np.array(ends, np.int32)
    with pytest.raises(InputError, match="not a valid sparse matrix"):
        as_features(X)


def test_whatever_has_the_interface_of_arrow_is_a_matrix_of_its_columns():
    class Relation:
        def __init__(self, table):
            self.__arrow_c_stream__ = table.__arrow_c_stream__

    X = as_features(Relation(pa.table({"a": [1.5, 2.0], "b": [3, 4]})))
    assert X.tolist() == [[1.5, 3], [2, 4]]
