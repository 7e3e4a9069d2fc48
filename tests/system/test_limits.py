"""Limits: what a file may ask for, set in one place."""

import numpy as np
import pytest
import scipy.sparse as sp

from rankine.arrays import dense
from rankine.errors import InputError
from rankine.system import limits


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5GB", "many", "1PB", "9" * 20])
def test_a_size_that_is_none_is_refused(text):
    with pytest.raises(InputError, match="expected a size such as 500MB"):
        limits.size_of(text)


def test_the_environment_sets_size_and_features(monkeypatch):
    assert (limits.max_size(), limits.max_size(whole=True), limits.max_features()) == (64 << 30, 256 << 20, 1 << 20)
    monkeypatch.setenv(limits.SIZE, "3kb")
    monkeypatch.setenv(limits.FEATURES, "7")
    assert (limits.max_size(), limits.max_size(whole=True), limits.max_features()) == (3072, 3072, 7)
    for text in ("0", "2147483648", "x", "-3"):
        monkeypatch.setenv(limits.FEATURES, text)
        with pytest.raises(InputError, match="from 1 to 2147483647"):
            limits.max_features()


def test_a_meter_refuses_too_much_and_too_much_of_little(monkeypatch):
    meter = limits.Meter("x.gz")
    meter.add(limits.FREE, 1)
    with pytest.raises(InputError, match=r"x\.gz: 2 bytes unpack to 64 MB or more, over 200 times as much"):
        meter.add(401, 2)
    monkeypatch.setenv(limits.SIZE, "1GB")  # allowed by name
    meter = limits.Meter("x.gz")
    meter.add(1 << 30, 1)
    with pytest.raises(InputError, match=r"x\.gz: more than 1 GB, the most that is read \(--max-size"):
        meter.add(1, 1)


def test_a_number_that_would_take_long_is_refused():
    for token in ("1", "-2.5e-7", "1/3", "word", "", "1e100000"):
        limits.check_decimal(token)
    for token in ("1e100001", "1e" + "9" * 5000, "0." + "1" * 10_001):
        with pytest.raises(InputError, match="x, line 1: the"):
            limits.check_decimal(token, "x, line 1")


def test_a_matrix_that_does_not_fit_is_refused_before_it_is_made():
    wide = sp.csr_array((np.ones(1), ([0], [2**31 - 2])), shape=(2**20, 2**31 - 1))
    with pytest.raises(InputError, match="GiB as a dense matrix, more than this machine has"):
        dense(wide)
    assert 0 < limits.memory() < 1 << 45
