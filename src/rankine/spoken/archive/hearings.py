"""The further hearings of an archive: what other recognisers than the first have heard, and how much they count."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ...errors import InputError
from ..corrections.corrections import Corrections
from ..hearings.hearings import (
    FurtherHearing,
    HeardIndex,
    HearingWeight,
    hearing_of,
    hearings_of,
    make_hearing,
    remove_hearing,
    write_weight,
)
from ..hearings.recordings import add_hearing, held_samples
from ..hearings.silent_places import add_silent_places
from ..judgments.places import JudgedNames
from ..learn.judgments import JudgmentStore
from ..recordings.recordings import (
    AddedRecordings,
    Indexing,
    Recognisers,
    RecognitionOptions,
    Sources,
    StageProgress,
    as_recognisers,
    as_sources,
    said_language,
)
from ..recordings.roots import RecordingRoots
from .lattices import Lattices
from .open_archive import OpenArchive


def add_places_of_silence(opened: OpenArchive, indexing: Indexing) -> None:
    """Give places to segments in which only further recognisers heard something."""
    roots = RecordingRoots(opened.folder, opened.index.manifest).named
    folders = [hearing.folder for hearing in hearings_of(opened.folder)]
    add_silent_places(opened.index, folders, roots, indexing.commit)


class Hearings:
    """The further hearings of an archive: ``archive.hearings``."""

    def __init__(self, opened: OpenArchive) -> None:
        self.opened = opened

    def all(self) -> list[FurtherHearing]:
        """Return the further hearings, by other recognisers than the first, with their weights."""
        return hearings_of(self.opened.folder)

    @property
    def counting(self) -> list[HeardIndex]:
        """The further hearings that search uses: those with a weight."""
        return self.opened.counting_hearings

    def get(self, name: str) -> FurtherHearing:
        """Return a further hearing by its name; an unknown name is an InputError."""
        return hearing_of(self.opened.folder, name)

    def add(
        self,
        sources: Sources,
        recognisers: Recognisers,
        *,
        longest: float = 30.0,
        workers: int = 1,
        every: float = 30.0,
        progress: StageProgress = lambda stage, done, total: None,
    ) -> dict[str, AddedRecordings]:
        """Let further recognisers hear recordings that are in the archive; then learn how much each of them counts.

        A further hearing counts only if it helps (:meth:`learn`); a weight that was given stays. What a recogniser
        has heard is not heard again. Arguments are those of ``archive.recordings.add``. Returns what each recogniser
        did, by the name of its hearing.
        """
        opened = self.opened
        named = as_recognisers(recognisers, said_language(None, opened.index.settings.language))
        if not held_samples(opened.folder):
            raise InputError(
                "further recognisers hear what the archive holds, and it holds no recording", str(opened.folder)
            )
        places, heard = as_sources(sources), {}
        roots = RecordingRoots(opened.folder, opened.index.manifest)
        for name, recogniser in named.items():
            options = RecognitionOptions(recogniser, longest, workers, every=every, roots=roots.named)
            hearing = Lattices(OpenArchive(make_hearing(opened.index, name)))
            heard[name] = add_hearing(opened.folder, hearing, name, places, options, progress)
        opened.refresh()
        add_places_of_silence(opened, Indexing(Lattices(opened), None, workers, partial(progress, "indexing")))
        Corrections(opened).settle()
        self.learn(given=False, report=lambda name, *done: progress(f"learning, {name}", *done))
        return heard

    def learn(
        self, given: bool = True, report: Callable[[str, int, int], None] = lambda name, done, total: None
    ) -> list[FurtherHearing]:
        """Learn how much each further hearing counts; search uses these weights from then on.

        A hearing counts only if it helps: on at least ten judged queries, or else on words that several hearings have
        (:mod:`..teaching.hearing_queries`). Without evidence its weight is 0.

        Args:
            given: whether weights that were given are learned anew too.
            report: is called with the name of a hearing, the number of its queries done, and of all.
        """
        from ..teaching.hearing_weights import learn_weights

        opened = self.opened
        judged = JudgmentStore(opened.folder, opened.index.numbers).all().within(JudgedNames(opened.index))
        learned = learn_weights(opened.index, self.all(), judged, opened.weights_in_use, given, report)
        opened.refresh()
        return learned

    def weigh(self, name: str, weight: float) -> None:
        """Give a further hearing a weight, 0 for none; learning after recordings are added leaves it as it is."""
        write_weight(self.get(name), HearingWeight(weight, "given"))
        self.opened.refresh()

    def remove(self, name: str) -> None:
        """Remove a further hearing, with the lattices of its recogniser."""
        remove_hearing(self.opened.folder, name)
        self.opened.refresh()
