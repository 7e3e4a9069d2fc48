"""Losses as torch functions, over flat and padded batches."""

import numpy as np
import pytest
import torch

from rankine.adapters.torch import loss as torch_loss
from rankine.errors import InputError
from rankine.losses import get

from ..cases import normalised_sample


@pytest.fixture(scope="module")
def data():
    return normalised_sample(20)


@pytest.mark.parametrize("name", ["svm-ndcg@10", "svm-map:tight", "ranksvm", "consistent-dcg", "listmle", "squared"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gradients_are_ours(data, name, dtype):
    rng = np.random.default_rng(0)
    order = rng.permutation(data.n_documents)
    scores = rng.normal(size=data.n_documents)
    values, grad = get(name).value_and_grad(
        scores.astype("float32" if dtype == torch.float32 else "float64"), data.y, data.ptr
    )
    s = torch.tensor(scores[order], dtype=dtype, requires_grad=True)
    total = torch_loss(name, reduction="sum")(s, torch.tensor(data.y[order]), data.qid[order])
    total.backward()
    precise = 1e-4 if dtype == torch.float32 else 1e-9
    assert float(total.detach()) == pytest.approx(values.sum(), rel=precise)
    assert s.grad.numpy() == pytest.approx(grad[order], rel=precise, abs=precise * np.abs(grad).max())


@pytest.mark.parametrize(
    "name", ["listnet", "listmle", "ranksvm-l2", "consistent-ndcg", "squared-dcg", "softmax-ndcg@3"]
)
def test_gradcheck_where_smooth(name):
    rng = np.random.default_rng(1)
    y = torch.tensor([2, 0, 1, 0, 1, 2, 0])
    qid = torch.tensor([1, 1, 1, 1, 2, 2, 2])
    made = torch_loss(name, reduction="none")
    s = torch.tensor(rng.normal(size=7), requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: made(x, y, qid), (s,), atol=1e-5)


def test_padded_batches_are_flat_ones(data):
    m = int(np.diff(data.ptr).max())
    scores = torch.zeros(data.n_queries, m, dtype=torch.float64)
    labels, mask = torch.zeros_like(scores), torch.zeros_like(scores, dtype=torch.bool)
    rng = np.random.default_rng(2)
    flat = rng.normal(size=data.n_documents)
    for q, (a, b) in enumerate(zip(data.ptr[:-1], data.ptr[1:], strict=True)):
        scores[q, : b - a], labels[q, : b - a] = torch.tensor(flat[a:b]), torch.tensor(data.y[a:b])
        mask[q, : b - a] = True
    scores.requires_grad_()
    one = torch_loss("svm-ndcg@10", reduction="none")(scores, labels, mask=mask)
    one.sum().backward()
    values, grad = get("svm-ndcg@10").value_and_grad(flat, data.y, data.ptr)
    assert one.detach().numpy() == pytest.approx(values)
    assert scores.grad[mask].numpy() == pytest.approx(grad)
    assert (scores.grad[~mask] == 0).all()


def test_what_goes_together():
    s = torch.zeros(4, requires_grad=True)
    y, q = torch.tensor([1, 0, 1, 0]), torch.tensor([1, 1, 2, 2])
    made = torch_loss("listnet")
    with pytest.raises(InputError, match="flat batch"):
        made(s[:, None], y[:, None], q)  # what a network returns: squeeze it first
    with pytest.raises(InputError, match="flat batch"):
        made(s, y, q, mask=torch.ones(4))
    with pytest.raises(InputError, match="floating-point"):
        made(y, y, q)
    slope = torch.autograd.grad(made(s, y, q), s, create_graph=True)[0]
    with pytest.raises(RuntimeError, match=r"differentiable|grad"):
        slope.sum().backward()


def test_rows_without_documents():
    scores = torch.tensor([[0.5, 0.0], [1.0, 2.0], [0.0, 0.0]], dtype=torch.float64, requires_grad=True)
    labels = torch.tensor([[1, 0], [1, 0], [1, 0]])
    mask = torch.tensor([[True, True], [False, False], [True, True]])
    each = torch_loss("ranksvm", reduction="none")(scores, labels, mask=mask)
    assert each.detach().tolist() == pytest.approx([0.5, 0.0, 1.0])
    each.sum().backward()
    assert scores.grad[1].tolist() == [0.0, 0.0]
    none = torch_loss("ranksvm")(scores, labels, mask=torch.zeros(3, 2))
    none.backward()
    assert float(none.detach()) == 0.0
