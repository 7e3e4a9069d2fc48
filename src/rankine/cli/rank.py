"""``rankine rank``."""

from typing import Annotated

import typer

from ..io.formats import DataReading
from . import common as c


def command(
    model: Annotated[str, typer.Argument(help="A model that `rankine train` wrote.")],
    data: c.JudgedData,
    output: Annotated[str, typer.Option("-o", "--output", help="Where the result goes; - is standard output.")] = "-",
    scores: Annotated[bool, typer.Option("--scores", help="One score per line in the data's order, no run.")] = False,
    tag: Annotated[str, typer.Option(help="The run's name.")] = "rankine",
    reading: DataReading = c.NOTHING_SAID,
) -> None:
    """Rank documents with a model: a TREC run, or plain scores.

    `rankine rank model.json test.txt > test.run`
    """
    import numpy as np

    from ..files import open_target
    from ..io import TrecTable, save_run
    from ..rankers import load

    fitted = load(model)
    judged = c.load_data(data, reading)
    predictions = fitted.predict(judged)
    if scores:
        in_order = np.empty(len(predictions))
        in_order[judged.order] = predictions
        with open_target(output) as stream:
            stream.write("".join(f"{s!r}\n" for s in in_order.tolist()).encode())
        return
    ids = judged.doc_ids
    if ids is None:  # documents without ids are numbered within their query
        ids = np.arange(judged.n_documents) - np.repeat(judged.ptr[:-1], np.diff(judged.ptr)) + 1
    save_run(TrecTable.from_columns(judged.qid, ids, predictions), output, tag=tag)
