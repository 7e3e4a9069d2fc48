"""``rankine rank``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from ..io.formats import DataReading
from ..system.console import say
from .shared import common as c

if TYPE_CHECKING:
    import numpy as np

    from ..data.ranking_data import RankingData


def command(
    model: Annotated[str, typer.Argument(help="A model that `rankine train` wrote.")],
    data: c.JudgedData,
    output: Annotated[str, typer.Option("-o", "--output", help="Where the result goes; - is standard output.")] = "-",
    scores: Annotated[bool, typer.Option("--scores", help="One score per line in the data's order, no run.")] = False,
    tag: Annotated[str | None, typer.Option(help="The run's name; by default rankine.")] = None,
    documents: Annotated[
        str | None,
        typer.Option(help="A file with the name of each document, one per line in the data's order."),
    ] = None,
    reading: DataReading = c.NOTHING_SAID,
) -> None:
    """Rank documents with a model: a TREC run, or plain scores.

    `rankine rank model.json test.txt > test.run`

    Where the data has no document names, a run has numbers, 1 to n within each query; `--documents` gives names.
    A table need not have grades.
    """
    import numpy as np

    from ..errors import InputError
    from ..io import TrecTable, save_run
    from ..system.files import open_target

    option = "--tag" if tag is not None else "--documents" if documents is not None else None
    if scores and option is not None:
        raise InputError(f"--scores writes numbers alone, and {option} is of a run: pass one of them")
    c.check_output(output, [model, *data, documents])
    fitted = c.load_model(model)
    judged = c.load_data(data, replace(reading, ungraded=True))
    names = None if scores else _names(judged, c.listed(data), documents)
    predictions = fitted.predict(judged)
    if names is None:
        in_order = np.empty(len(predictions))
        in_order[judged.order] = predictions
        with open_target(output) as stream:
            stream.write("".join(f"{s!r}\n" for s in in_order.tolist()).encode())
        return
    save_run(TrecTable.from_columns(judged.qid, names, predictions), output, tag=tag or "rankine")


def _names(data: RankingData, where: str, documents: str | None) -> np.ndarray:
    """The names of the documents: those of a file, or the data's own, or their numbers within the query."""
    import numpy as np

    from ..errors import InputError
    from ..system.sources import text_lines

    if documents is None:
        if data.doc_ids is not None:
            return data.doc_ids
        say(
            f"{where} has no document names: the run has numbers, 1 to n within each query, which no judgments know; "
            "--documents FILE gives names, one per line"
        )
        return np.arange(data.n_documents) - np.repeat(data.ptr[:-1], np.diff(data.ptr)) + 1
    names = [line.strip() for _, line in text_lines(documents)]
    while names and not names[-1]:
        names.pop()
    if len(names) != data.n_documents:
        raise InputError(f"{len(names)} names, but the data has {data.n_documents} documents", documents)
    odd = next((i for i, name in enumerate(names) if len(name.split()) != 1), None)
    if odd is not None:
        raise InputError(
            f"expected the name of a document, without blanks, got {names[odd]!r:.60}", f"{documents}, line {odd + 1}"
        )
    return np.array(names, object)[data.order]
