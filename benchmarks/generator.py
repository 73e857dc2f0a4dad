"""Seeded exports of any size, invented: pairwise votes of a crowd on a few systems."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv

SYSTEMS = tuple(f"system-{letter}" for letter in "ABCDEFGH")
SPECIFICATION = """\
juryline: 1
study: {study}
claim: {{independent_unit: [rater]}}
systems: [{systems}]
rubric:
  criteria:
    - {{id: overall, protocol: pairwise}}
raters:
  populations: [{{id: crowd, kind: human}}]
assignment: {{order: randomized}}
exports:
  - match: "*.csv"
    format: table
    read: {{as: csv}}
    population: crowd
    timezone: UTC
    columns: {{rater: worker, case: prompt, candidate_1: left, candidate_2: right, labels: {{overall: winner}},
              submission_id: hit, started_at: started, submitted_at: submitted, native_id: vote, rationale: why}}
    labels:
      overall: {{left: candidate_1, right: candidate_2, tie: tie, neither: both_fail, skip: abstain}}
exclusions:
  - {{id: hasty, rule: min_duration, seconds: 2, scope: judgment, on_missing: keep}}
  - {{id: uniform, rule: uniform_answers, min_answers: 10, scope: rater}}
adjudication:
  - {{id: majority, rule: majority, criterion: overall, min_votes: 3}}
analyses:
  - {{id: wins, method: win_rates, criterion: overall}}
  - {{id: elo, method: elo, criterion: overall, orderings: 100, rounds: 100}}
  - {{id: bt, method: bradley_terry, criterion: overall}}
  - {{id: agreement, method: agreement, criterion: overall, rounds: 200,
     coefficients: [raw_agreement, fleiss_kappa, krippendorff_alpha]}}
"""


def write_study(folder: Path, n_rows: int, *, seed: int = 7) -> None:
    """A study folder whose one export holds `n_rows` votes of n_rows / 100 raters on n_rows / 20 prompts."""
    (folder / "exports").mkdir(parents=True)
    systems = ", ".join(f"{{id: {system}}}" for system in SYSTEMS)
    (folder / "study.yaml").write_text(SPECIFICATION.format(study=folder.name, systems=systems))
    csv.write_csv(votes(n_rows, seed=seed), folder / "exports" / "votes.csv")


def votes(n_rows: int, *, seed: int) -> pa.Table:
    """Votes in the order they came; the better system wins more often, one in a hundred raters hurries."""
    rng = np.random.default_rng(seed)
    names = np.array(SYSTEMS)
    left = rng.integers(0, len(names), n_rows)
    right = (left + rng.integers(1, len(names), n_rows)) % len(names)
    strength = np.linspace(1.0, -1.0, len(names))
    wins = rng.random(n_rows) < 1 / (1 + np.exp(strength[right] - strength[left]))
    other = rng.random(n_rows)
    winner = np.select([other < 0.08, other < 0.10, other < 0.12, wins], ["tie", "neither", "skip", "left"], "right")
    rater = rng.integers(0, max(n_rows // 100, 2), n_rows)
    prompt = rng.integers(0, max(n_rows // 20, 2), n_rows)
    start = np.datetime64("2026-03-01T00:00:00") + np.arange(n_rows).astype("timedelta64[s]")
    seconds = np.where(rater % 100 == 0, 1, rng.integers(5, 120, n_rows)).astype("timedelta64[s]")
    return pa.table(
        {
            "vote": np.char.add("v", np.arange(n_rows).astype(str)),
            "worker": np.char.add("worker-", rater.astype(str)),
            "hit": np.char.add("hit-", (np.arange(n_rows) // 10).astype(str)),
            "prompt": np.char.add("prompt-", prompt.astype(str)),
            "left": names[left],
            "right": names[right],
            "winner": winner,
            "started": np.datetime_as_string(start),
            "submitted": np.datetime_as_string(start + seconds),
            "why": np.char.add("because of reason ", rng.integers(0, 1000, n_rows).astype(str)),
        }
    )
