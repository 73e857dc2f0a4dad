"""`python -m benchmarks.simulated`: measure everything, print it, and write docs/coverage.md."""

import os
from concurrent.futures import Future, ProcessPoolExecutor, as_completed

from benchmarks.simulated.catalogue import CLUSTERS, COVERAGE, REJECTION, coverage, rejection
from benchmarks.simulated.measuring import REPLICATES, Counted
from benchmarks.simulated.page import write_page

Cells = dict[tuple[str, int], Future[dict[str, Counted]]]


def main() -> None:
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        covered, rejected = (
            {(name, clusters): pool.submit(count, name, clusters) for name in simulations for clusters in CLUSTERS}
            for count, simulations in ((coverage, COVERAGE), (rejection, REJECTION))
        )
        for done in as_completed([*covered.values(), *rejected.values()]):
            print(*_told(done, covered, rejected), sep="\n", flush=True)
    write_page(_results(covered), _results(rejected), replicates=REPLICATES)


def _told(done: Future[dict[str, Counted]], *tables: Cells) -> list[str]:
    (cell,) = (cell for table in tables for cell, future in table.items() if future is done)
    return [f"{cell[0]}, {cell[1]} clusters: {name} {100 * one.share:.1f} %" for name, one in done.result().items()]


def _results(table: Cells) -> dict[tuple[str, int], dict[str, Counted]]:
    return {cell: future.result() for cell, future in table.items()}


if __name__ == "__main__":
    main()
