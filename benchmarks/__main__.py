"""`python -m benchmarks [studies|estimators|rows]`: measure, and print a table against the budgets."""

import os
import sys

from benchmarks import estimators, rows, studies


def main(chosen: list[str]) -> None:
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}. Shared machines are noisy: ratios hold, seconds vary."
    )
    for name, module in (("estimators", estimators), ("rows", rows), ("studies", studies)):
        if not chosen or name in chosen:
            for measured in module.measure():
                figure = f"{measured.value:,.2f} {measured.unit}"
                print(f"{measured.what:<104} {figure:>14}  {measured.budget:<11} {measured.verdict}", flush=True)
                print(measured.profile, end="", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
