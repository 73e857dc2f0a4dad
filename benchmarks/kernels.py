"""What single pieces cost beside a peer, in one process, as ratios: machines differ, ratios less."""

from collections.abc import Iterator
from pathlib import Path

import ibis.expr.types as ir
import numpy as np

from benchmarks.generator import votes, write_study
from benchmarks.measured import Measured, best
from juryline.study.engine import Engine


def measure() -> Iterator[Measured]:
    """The figures, one after the other."""
    yield _elo()
    yield _bradley_terry()
    yield _row_work()


def _elo(n_games: int = 5_280, n_systems: int = 12, n_orderings: int = 10_000, n_peer: int = 500) -> Measured:
    import evalica

    from juryline.estimators.elo import elo_ratings
    from juryline.estimators.games import Games, Outcome

    first, second, outcome = _games(n_games, n_systems)
    games = Games(first=first, second=second, outcome=outcome, clusters=(np.arange(n_games),), n_systems=n_systems)
    winners = [evalica.Winner.X if o == Outcome.FIRST else evalica.Winner.Y for o in outcome]
    names, others = first.astype(str).tolist(), second.astype(str).tolist()
    shuffles = np.random.default_rng(1)

    def ours() -> None:
        elo_ratings(games, k=32, start=1000, ties="half", orderings=n_orderings, pairs=(), rounds=2, level=0.95,
                    seed=7, analysis="bench")  # fmt: skip

    def peer() -> None:
        for _ in range(n_peer):
            order = shuffles.permutation(n_games)
            evalica.elo([names[i] for i in order], [others[i] for i in order], [winners[i] for i in order])

    ratio = best(peer, 1) * (n_orderings / n_peer) / best(ours)
    return Measured(
        what=f"Elo, {n_orderings:,} orderings, beside a loop over evalica.elo", value=ratio, unit="x", least=50
    )


def _bradley_terry(n_games: int = 10_000_000, n_systems: int = 100) -> Measured:
    import evalica

    from juryline.estimators.bradley_terry import bradley_terry
    from juryline.estimators.games import PairTallies

    first, second, outcome = _games(n_games, n_systems)
    winners = [evalica.Winner.Y if lost else evalica.Winner.X for lost in outcome.tolist()]

    def ours() -> None:  # without an interval, as the peer gives none: one cluster
        cells = np.bincount((first * n_systems + second) * 2 + outcome, minlength=2 * n_systems**2)
        at = np.flatnonzero(cells.reshape(-1, 2).sum(1))
        wins, losses = cells.reshape(-1, 2)[at].T
        none = np.zeros_like(wins)
        tallies = PairTallies(first=at // n_systems, second=at % n_systems, wins=wins, losses=losses, ties=none,
                              both_fail=none, clusters=(np.zeros_like(at),), n_systems=n_systems)  # fmt: skip
        bradley_terry(tallies, ties="half", pairs=(), level=0.95)

    def peer() -> None:
        evalica.bradley_terry(first, second, winners)

    ratio = best(peer, 1) / best(ours)
    return Measured(what=f"Bradley-Terry ratings, {n_games:,} games, beside evalica", value=ratio, unit="x", least=100)


def _games(n_games: int, n_systems: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    first = rng.integers(0, n_systems, n_games)
    second = (first + rng.integers(1, n_systems, n_games)) % n_systems
    strength = np.linspace(0.5, -0.5, n_systems)
    outcome = (rng.random(n_games) >= 1 / (1 + np.exp(strength[second] - strength[first]))).astype(np.int64)
    return first, second, outcome


# The same history by hand: which version counts, and raters by alias.
BY_HAND = """
    WITH aliases AS (
        SELECT rater_pseudonym,
            'r' || lpad(row_number() OVER (ORDER BY min(submitted_at), rater_pseudonym)::VARCHAR, 3, '0') AS rater
        FROM judgments GROUP BY rater_pseudonym
    ),
    contested AS (SELECT judgment_key FROM judgments GROUP BY judgment_key HAVING count(*) > 1),
    places AS (
        SELECT record_id,
            row_number() OVER (PARTITION BY judgment_key ORDER BY submitted_at DESC, record_id) = 1 AS stands
        FROM judgments SEMI JOIN contested USING (judgment_key)
    )
    SELECT judgments.*, rater, coalesce(stands, true) AS current
    FROM judgments LEFT JOIN places USING (record_id) JOIN aliases USING (rater_pseudonym)
"""


def _row_work(n_rows: int = 300_000) -> Measured:
    import tempfile

    from data_contracts.specification import load_specification
    from juryline.derivations.history import judgment_history

    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(Path(folder))
        judgments, spec = _ledger(engine, n_rows, Path(folder))
        none = judgments.filter(judgments.record_id == "").select("record_id")
        expression = engine.backend.compile(judgment_history(judgments, none, none, load_specification(spec)))

        def counted(sql: str) -> None:
            engine.con.execute(f"CREATE OR REPLACE TEMP TABLE result AS {sql}")

        ratio = best(lambda: counted(expression)) / best(lambda: counted(BY_HAND))
        engine.close()
    return Measured(what=f"history of {n_rows:,} judgments, beside SQL by hand", value=ratio, unit="x", most=1.25)


def _ledger(engine: Engine, n_rows: int, folder: Path) -> tuple[ir.Table, Path]:
    """Judgments of the generator as a table of the engine, and the folder of their specification."""
    import pyarrow.parquet as pq

    from data_contracts.tables import JUDGMENTS

    write_study(folder / "study", 10)
    rows = votes(n_rows, seed=3)
    engine.memory("votes", rows)
    given = {
        "record_id": "md5(vote)", "judgment_key": "md5('k' || vote)", "judgment_id": "md5('j' || vote)",
        "case_id": "prompt", "candidate_1": '"left"', "candidate_2": '"right"', "rater_pseudonym": "md5(worker)",
        "submission_id": "hit", "raw_label": "winner", "state": "'answered'", "label": "winner",
        "rater_kind": "'human'", "population": "'crowd'", "criterion": "'overall'", "protocol": "'pairwise'",
        "submitted_at": "submitted::TIMESTAMPTZ", "started_at": "started::TIMESTAMPTZ", "rationale": "why",
        "quality_flags": "[]::VARCHAR[]", "order_collected": "true", "source_row": "row_number() OVER ()",
        "ledger_seq": "1",
    }  # fmt: skip
    columns = ", ".join(f'{given.get(c.name, "NULL" if c.nullable else "$$$$")} AS "{c.name}"' for c in JUDGMENTS)
    table = engine.con.sql(f"SELECT {columns} FROM votes").to_arrow_table()
    file = folder / "judgments.parquet"
    pq.write_table(table.cast(JUDGMENTS.arrow_schema), file)
    return engine.parquet("judgments", [str(file)], JUDGMENTS.arrow_schema), folder / "study"
