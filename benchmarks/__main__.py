"""`python -m benchmarks [studies|kernels]`: measure, and print a table against the budgets."""

import os
import sys

from benchmarks import kernels, studies


def main(chosen: list[str]) -> None:
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}. Shared machines are noisy: ratios hold, seconds vary."
    )
    for name, module in (("studies", studies), ("kernels", kernels)):
        if not chosen or name in chosen:
            for measured in module.measure():
                figure = f"{measured.value:,.2f} {measured.unit}"
                print(f"{measured.what:<62} {figure:>14}  {measured.budget:<12} {measured.verdict}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
