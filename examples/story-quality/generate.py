"""Write the exports of this example. They are SYNTHETIC: nobody was asked, and no model wrote a story.

    python generate.py [FOLDER]      FOLDER is exports/ beside this file unless given

Answers are drawn at random, then as few of them as will do are moved by a step until each mean is the one
that Ethayarajh and Jurafsky (2022, table 1) print. Theirs are these ten means and the design, no answer.

The bytes are the same on any machine: whole numbers only, from the raw stream of PCG64, which numpy promises
to keep (NEP 19; of its distributions it does not), and neither a clock nor a locale is read.
"""

import csv
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np

SEED = 2205

WRITERS = ("writer-A", "writer-B", "writer-C", "writer-D", "writer-E")  # ada, babbage, curie, davinci, human
PAIRS = ((0, 4), (1, 0), (2, 1), (3, 2), (4, 3))  # (X, Y) as in table 1
N_ANALYSED, N_NON_NATIVE, N_REPEATING, N_RETURNED = 90, 6, 4, 3
N_RECRUITED = N_ANALYSED + N_NON_NATIVE + N_REPEATING
N_SETS, PROMPTS_PER_SET = 20, 5

# Over the 90 raters analysed. Chances in percent: 3780 / 90 = 42.0. The differences between sums of ratings are the
# published ones in 90ths (234 - 308 = -74, and -74 / 90 = -.822); round the cycle of pairs they add up to 0.
CHANCE_SUMS = (3780, 6192, 5670, 5175, 4896)
RATING_SUMS = (234, 292, 321, 343, 308)

# Standard deviations, in thousandths of a percent and of a level: such that the tests have the published stars.
CHANCE_SPREAD = (54_000, 28_000, 30_000, 18_000, 33_000)
STORY_SPREAD, STRICTNESS_SPREAD, MOOD_SPREAD = 500, 400, 1_100
PULL = 4_000  # a level between a rater's ratings of two writers moves the stated chance by four percent

EASTERN = timezone(timedelta(hours=-5))
FIRST_DAY = datetime(2022, 2, 7, 9, tzinfo=EASTERN)
LANGUAGES = ("Spanish", "Hindi", "Mandarin", "Portuguese", "Tagalog", "Spanish")
AGES = ("18-29", "30-44", "45-59", "60+")

# What happens in any study, by number of the submission and place of the question. Only excluded raters leave a
# question open, since over 89 raters no difference of table 1 is possible; two others save twice, the last time right.
LEFT_OPEN = {(91, 3): "", (94, 9): "skip", (101, 2): "skip", (103, 7): ""}
SAVED_BEFORE = {(12, 2): "", (57, 4): "5"}

TIMES = ("opened_at", "saved_at", "status")
RATING_COLUMNS = ("response", "worker", "hit", "set", "prompt", "writer", "place", "rating", *TIMES)
CHANCE_COLUMNS = ("response", "worker", "hit", "set", "writer_x", "writer_y", "place", "chance", *TIMES)
PROFILE_COLUMNS = ("worker", "native_language", "age_band", "status")

Row = dict[str, Any]


class Stream:
    """Whole random numbers."""

    def __init__(self, seed: int):
        self._bits = np.random.PCG64(seed)

    def whole(self, low: int, high: int, *shape: int) -> np.ndarray:
        """Uniform in [low, high)."""
        raw = self._bits.random_raw(int(np.prod(shape)))
        return (raw % np.uint64(high - low)).astype(np.int64).reshape(shape) + low

    def bell(self, spread: int, *shape: int) -> np.ndarray:
        """Nearly normal about 0: the sum of twelve uniform numbers has the width of one as its standard deviation."""
        return (self.whole(0, 1_000, *shape, 12).sum(axis=-1) - 6_000) * spread // 1_000

    def order(self, n: int) -> np.ndarray:
        """The numbers below n, shuffled."""
        return np.argsort(self._bits.random_raw(n), kind="stable")


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What one worker handed in at once: 25 stories read, the first of each writer rated, then five chances stated."""

    worker: str
    hit: str
    set_: int
    start: datetime
    ratings: np.ndarray
    chances: np.ndarray
    status: str = "submitted"


def moved_to_sum(values: np.ndarray, total: int, order: np.ndarray, *, step: int, low: int, high: int) -> np.ndarray:
    """The values, some of them moved by one step in the given order, so that they sum to the total within a step."""
    moved = values.copy()
    while abs(gap := total - int(moved.sum())) >= step:
        by = step if gap > 0 else -step
        can_move = [place for place in order if low <= moved[place] + by <= high]
        moved[can_move[: abs(gap) // step]] += by
    return moved


def draw_ratings(stream: Stream, sets: np.ndarray) -> np.ndarray:
    """Ratings of each submission and writer, 1 to 5: of the writer, of this story, by a strict rater, in a mood."""
    n, k = len(sets), len(WRITERS)
    usual = np.array(RATING_SUMS) * 1_000 // N_ANALYSED
    story = stream.bell(STORY_SPREAD, N_SETS, k)[sets]
    felt = usual + story + stream.bell(STRICTNESS_SPREAD, n, 1) + stream.bell(MOOD_SPREAD, n, k)
    ratings = np.clip((felt + 500) // 1_000, 1, 5)
    for writer, total in enumerate(RATING_SUMS):
        analysed, order = ratings[:N_ANALYSED, writer], stream.order(N_ANALYSED)
        analysed[:] = moved_to_sum(analysed, total, order, step=1, low=1, high=5)
    return ratings


def draw_chances(stream: Stream, ratings: np.ndarray) -> np.ndarray:
    """Stated chances of each submission and pair, 0 to 100, mostly in fives as people state them."""
    chances = np.empty((len(ratings), len(PAIRS)), dtype=np.int64)
    for pair, (x, y) in enumerate(PAIRS):
        usual = (CHANCE_SUMS[pair] * 1_000 - PULL * (RATING_SUMS[x] - RATING_SUMS[y])) // N_ANALYSED
        felt = usual + PULL * (ratings[:, x] - ratings[:, y]) + stream.bell(CHANCE_SPREAD[pair], len(ratings))
        chances[:, pair] = np.clip((felt + 2_500) // 5_000 * 5, 0, 100)
        for step in (5, 1):
            analysed, order = chances[:N_ANALYSED, pair], stream.order(N_ANALYSED)
            analysed[:] = moved_to_sum(analysed, CHANCE_SUMS[pair], order, step=step, low=0, high=100)
    return chances


def draw_submissions(stream: Stream) -> list[Submission]:
    """One of each recruited worker (those analysed first, those who come back last), then the second ones."""
    sets = stream.order(N_RECRUITED) % N_SETS
    sets = np.append(sets, (sets[-N_REPEATING:] + 7) % N_SETS)
    n = len(sets)
    workers = 1_000 + stream.order(9_000)[:N_RECRUITED]
    workers = np.append(workers, workers[-N_REPEATING:])
    hits = 1_000 + stream.order(9_000)[:n]
    days = stream.whole(0, 4, n)
    days[N_RECRUITED:] += 4
    seconds = stream.whole(0, 11 * 3_600, n)
    ratings = draw_ratings(stream, sets)
    chances = draw_chances(stream, ratings)
    return [
        Submission(
            worker=f"W{workers[i]}",
            hit=f"H{hits[i]}",
            set_=int(sets[i]),
            start=FIRST_DAY + timedelta(days=int(days[i]), seconds=int(seconds[i])),
            ratings=ratings[i],
            chances=chances[i],
        )
        for i in range(n)
    ]


def preview_of(submission: Submission) -> Submission:
    """The requester's own trial of the form, which such exports hold too."""
    return replace(
        submission,
        worker="requester",
        hit="preview",
        start=FIRST_DAY - timedelta(days=3),
        ratings=np.full(len(WRITERS), 3),
        chances=np.full(len(PAIRS), 50),
        status="preview",
    )


def answers(stream: Stream, number: int, given: Submission) -> tuple[list[Row], list[Row]]:
    """Rows of the ratings and of the stated chances of a submission."""
    reading, thinking = stream.whole(40, 160, len(WRITERS)), stream.whole(12, 70, len(PAIRS))
    rest_of_the_stories = int(stream.whole(420, 840, 1)[0])
    writers = (np.arange(len(WRITERS)) + number) % len(WRITERS)  # each writer is read first equally often
    clock = given.start

    def asked(place: int, answer: int, name: str, seconds: int) -> Iterator[Row]:
        nonlocal clock
        opened, clock = clock, clock + timedelta(seconds=seconds)
        row: Row = {"response": f"{given.hit}-{place}", "worker": given.worker, "hit": given.hit}
        row |= {"set": f"set-{given.set_ + 1:02d}", "place": place, "status": given.status}
        row |= {"opened_at": opened.isoformat(), "saved_at": clock.isoformat()}
        row[name] = LEFT_OPEN.get((number, place), answer)
        if (number, place) in SAVED_BEFORE:
            yield row | {name: SAVED_BEFORE[number, place]}
            clock += timedelta(seconds=20)
            row["saved_at"] = clock.isoformat()
        yield row

    prompt = f"prompt-{given.set_ * PROMPTS_PER_SET + 1:03d}"  # the first of the set
    ratings = [
        row | {"prompt": prompt, "writer": WRITERS[writer]}
        for place, writer in enumerate(writers)
        for row in asked(place + 1, given.ratings[writer], "rating", int(reading[place]))
    ]
    clock += timedelta(seconds=rest_of_the_stories)
    chances = [
        row | {"writer_x": WRITERS[PAIRS[pair][0]], "writer_y": WRITERS[PAIRS[pair][1]]}
        for place, pair in enumerate(stream.order(len(PAIRS)))
        for row in asked(len(WRITERS) + place + 1, given.chances[pair], "chance", int(thinking[place]))
    ]
    return ratings, chances


def profiles(stream: Stream, submissions: list[Submission]) -> Iterator[Row]:
    """What each worker said of themselves, and workers who looked at the task and returned it."""
    ages = stream.whole(0, len(AGES), N_RECRUITED + N_RETURNED)
    for i, given in enumerate(submissions[:N_RECRUITED]):
        non_native = N_ANALYSED <= i < N_ANALYSED + N_NON_NATIVE
        language = LANGUAGES[i - N_ANALYSED] if non_native else "English"
        yield {"worker": given.worker, "native_language": language, "age_band": AGES[ages[i]], "status": "submitted"}
    for i in range(N_RETURNED):
        yield {"worker": f"W{100 + i}", "age_band": AGES[ages[N_RECRUITED + i]], "status": "returned"}


def write(path: Path, columns: Sequence[str], rows: Iterable[Row], *, by: Sequence[str]) -> None:
    """A CSV of the rows in the order of some of their columns."""
    rows = sorted(rows, key=lambda row: [row[name] for name in by])
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def generate(folder: Path) -> None:
    """Write the three exports of the example into a folder."""
    stream = Stream(SEED)
    submissions = draw_submissions(stream)
    handed_in = [*submissions, preview_of(submissions[0])]
    ratings, chances = [], []
    for number, given in enumerate(handed_in):
        rated, stated = answers(stream, number, given)
        ratings += rated
        chances += stated
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "synthetic-ratings.csv", RATING_COLUMNS, ratings, by=("saved_at", "response"))
    write(folder / "synthetic-preferences.csv", CHANCE_COLUMNS, chances, by=("saved_at", "response"))
    write(folder / "synthetic-raters.csv", PROFILE_COLUMNS, profiles(stream, submissions), by=("worker",))


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "exports")
