"""Losses as differentiable torch functions, over flat batches with query ids or padded ones with a mask."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.ranking_data import group_rows
from ..errors import InputError, needs
from ..losses import Loss, resolve

torch = needs("torch", "torch")


class _Function(torch.autograd.Function):  # type: ignore[name-defined]
    """Values of queries, with the gradient that came along."""

    @staticmethod
    def forward(context: Any, scores: Any, labels: Any, ids: Any, loss: Loss) -> Any:
        groups = group_rows(ids)
        s = scores.detach().cpu().double().numpy()
        rows = slice(None) if groups.order is None else groups.order
        values, grad = loss.value_and_grad(s[rows], labels[rows], groups.ptr)
        out = np.empty_like(grad)
        out[rows] = grad
        query = np.empty(len(grad), np.int64)
        query[rows] = np.repeat(np.arange(len(values)), np.diff(groups.ptr))
        context.grad = torch.as_tensor(out, dtype=scores.dtype, device=scores.device)
        context.query = torch.as_tensor(query, device=scores.device)
        return torch.as_tensor(values, dtype=scores.dtype, device=scores.device)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(context: Any, outer: Any) -> Any:
        return context.grad * outer[context.query], None, None, None


class RankingLoss(torch.nn.Module):  # type: ignore[name-defined]
    """A loss of Rankine as a torch module.

    Call it with (scores, labels, qid) of a flat batch, or with (scores, labels, mask=…) of a padded one, whose rows are
    queries; the mask is true where there is a document. A row without documents has the value 0. There is no second
    derivative.
    """

    def __init__(self, loss: Loss, reduction: str = "mean") -> None:
        super().__init__()
        if reduction not in ("mean", "sum", "none"):
            raise InputError(f"reduction must be mean, sum or none (a value per query), got {reduction!r}")
        self.loss, self.reduction = loss, reduction

    def forward(self, scores: Any, labels: Any, qid: Any = None, mask: Any = None) -> Any:
        """The loss; its gradient is that of ``value_and_grad``."""
        if not (torch.is_tensor(scores) and scores.is_floating_point()):
            raise InputError("scores must be a tensor of floating-point numbers")
        labels = torch.as_tensor(labels)
        if scores.dim() == 2 and qid is None:
            values = self._padded(scores, labels, mask)
        elif scores.dim() == 1 and qid is not None and mask is None:
            values = self._flat(scores, labels, qid)
        else:
            raise InputError(
                "expected a flat batch with query ids (and no mask), or a padded one of shape (queries, documents) "
                f"without ids; got scores of shape {tuple(scores.shape)}"
            )
        return values if self.reduction == "none" else values.mean() if self.reduction == "mean" else values.sum()

    def _flat(self, scores: Any, labels: Any, qid: Any) -> Any:
        ids = qid.detach().cpu().numpy() if torch.is_tensor(qid) else np.asarray(qid)
        y = labels.detach().cpu().double().numpy()
        if ids.ndim != 1 or y.ndim != 1 or not len(ids) == len(y) == len(scores) or len(ids) == 0:
            raise InputError(
                f"{len(scores)} scores, labels of shape {y.shape} and query ids of shape {ids.shape} do not go together"
            )
        return _Function.apply(scores, y, ids, self.loss)

    def _padded(self, scores: Any, labels: Any, mask: Any) -> Any:
        present = torch.ones_like(scores, dtype=torch.bool) if mask is None else torch.as_tensor(mask).bool()
        if present.shape != scores.shape or labels.shape != scores.shape:
            raise InputError(
                f"scores, labels and mask must have one shape, got {tuple(scores.shape)}, {tuple(labels.shape)}, "
                f"{tuple(present.shape)}"
            )
        row = torch.arange(len(scores), device=scores.device)[:, None].expand(scores.shape)[present]
        used = present.any(dim=1)
        if not used.any():
            return scores.sum(dim=1) * 0.0
        values = self._flat(scores[present], labels[present], row)
        return torch.zeros(len(scores), dtype=scores.dtype, device=scores.device).masked_scatter(used, values)


def loss(name: str | Loss, *, reduction: str = "mean", **options: Any) -> RankingLoss:
    """The loss of this name as a torch module; options are those of the loss.

    >>> scores = torch.tensor([0.0, 0.0], requires_grad=True)
    >>> value = loss("svm-ndcg@10")(scores, torch.tensor([1, 0]), torch.tensor([7, 7]))
    >>> value.backward()
    >>> scores.grad
    tensor([-1.,  1.])
    """
    return RankingLoss(resolve(name, options), reduction)
