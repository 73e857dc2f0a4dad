"""`docs/coverage.md`: what was measured, in two tables, beside how.

Belongs here: the words and the layout of the page. Does not: a measurement.
"""

from collections.abc import Mapping
from pathlib import Path

from benchmarks.simulated.catalogue import CLUSTERS
from benchmarks.simulated.measuring import Counted

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"

Cells = Mapping[tuple[str, int], Mapping[str, Counted]]

_HEAD = """\
# What intervals cover and how often tests reject

Measured on simulated studies whose truth is known, by `make coverage`. `make test-slow` fails where an interval's
coverage leaves 93 to 97 %, or a test's rejection rate the Monte-Carlo error of its 5 % (four standard errors). Each
figure stands on {replicates:,} studies: its standard error is half a point.

The designs have effects of raters and of items, on all systems and on each. What is not in the independent unit is held
fixed from study to study, as an interval over raters speaks of these items, and one over items of these raters; truths
are averages over what is fixed and expectations over the rest. Clusters differ in size.

- ratings: levels 1 to 5, two systems; a cluster has a third to two thirds of the cells it could have, the other
  dimension has 12. `share` is that of level 2; `pass_rate` and `share_difference` are of levels 4 and 5.
- answers: chances in steps of 5 %, asked both ways round; a rater sees one sample of outputs, or four where raters and
  samples are units; a panel of eight sees all samples where samples alone are.
- games: five systems 1.6 log odds apart, a third of them tied, 6 to 18 a cluster; clusters differ in taste for systems,
  for the first position and for ties; the other dimension has eight. Bradley-Terry's truth is its fit to the expected
  games. Elo's is its own mean over 10,000 studies of as many clusters, with K 32, 100 orderings and 100 rounds.
- labels: three levels, always the same three raters, five units a case, a tenth missing; the truth is the coefficient
  of a million units; 200 rounds. The last rater is also held against the others as a judge.

Wilson's intervals are never narrower than that of independent judgments. Where clusters differ less than chance would
have them, or where few judgments are hits, they cover more than they say: up to 98 % at ten clusters.

## Coverage of 95 % intervals, in percent

"""
_TESTS = """
## Rejection at 5 % where there is no effect, in percent

Systems are exchangeable; `spa_equivalence` is measured with a preference that lies on its margin, and Holm's family by
how often any true null hypothesis in it is rejected. With two ways of clusters the variance is the largest of three, so
that where clusters hardly differ a test rejects less often than it says: `length_contrast_t`, whose games of one
cluster have little in common, is held from above only there.

"""


def write_page(coverage: Cells, rejection: Cells, *, replicates: int) -> None:
    """Write both tables, a row a statistic and unit, a column a number of clusters."""
    PAGE.write_text(
        _HEAD.format(replicates=replicates) + _table(coverage) + _TESTS + _table(rejection), encoding="utf-8"
    )


def _table(cells: Cells) -> str:
    header = "| simulation | statistic | " + " | ".join(f"{n} clusters" for n in CLUSTERS) + " |"
    lines = [header, "|---|---|" + "---:|" * len(CLUSTERS)]
    for simulation in dict.fromkeys(name for name, _ in cells):
        for statistic in cells[simulation, CLUSTERS[0]]:
            shares = [cells[simulation, clusters][statistic].share for clusters in CLUSTERS]
            figures = " | ".join(f"{100 * share:.1f}" for share in shares)
            lines.append(f"| {simulation} | {statistic} | {figures} |")
    return "\n".join(lines) + "\n"
