import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from data_contracts.vocabulary import Reason, Status
from juryline.estimators.power import required_units, t_power

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "spa.json").read_text())


@pytest.mark.parametrize("case", GOLDEN["power"])
def test_power_of_the_worked_example(case):
    power = t_power(case["n"], case["effect_size"], case["alpha"])

    assert power == pytest.approx(case["expected"], abs=case["tolerance"])


@pytest.mark.parametrize("case", GOLDEN["required_raters"])
def test_required_raters_of_the_worked_example(case):
    assert required_units(case["effect_size"], case["alpha"]).value == case["expected"]


@pytest.mark.parametrize("n", [2, 5, 40, 400])
@pytest.mark.parametrize("effect_size", [0.0, 0.05, 0.4])
@pytest.mark.parametrize("alpha", [0.1, 0.001])
def test_power_agrees_with_the_noncentral_t_of_scipy(n, effect_size, alpha):
    critical = stats.t.ppf(1 - alpha / 2, n - 1)
    distribution = stats.nct(n - 1, effect_size * np.sqrt(n))
    expected = distribution.sf(critical) + distribution.cdf(-critical)

    assert t_power(n, effect_size, alpha) == pytest.approx(expected, abs=1e-10)


def test_power_without_an_effect_is_alpha():
    assert t_power(30, 0.0, 0.05) == pytest.approx(0.05, abs=1e-12)


def test_power_is_a_number_where_scipy_gives_none():
    assert t_power(2, 50, 0.05) == pytest.approx(1, abs=1e-6)
    assert t_power(90, 9, 0.001) == pytest.approx(1)


def test_required_raters_is_the_least_number_with_that_power():
    n = int(required_units(0.27, 0.02).value)

    assert t_power(n, 0.27, 0.02) >= 0.8 > t_power(n - 1, 0.27, 0.02)


@pytest.mark.parametrize("effect_size", [0.0, 1e-9])
def test_no_number_of_raters_finds_no_effect(effect_size):
    required = required_units(effect_size, 0.05)

    assert (required.status, required.reason) == (Status.NOT_ESTIMABLE, (Reason.BEYOND_SEARCH,))
