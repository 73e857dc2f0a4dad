import math

import pytest

from data_contracts.vocabulary import Unit
from juryline.reports.numbers import count_text, decimals_within, interval_text, number_text, p_text, plain_text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.62, Unit.PROBABILITY, "0.620"),
        (-0.126, Unit.COEFFICIENT, "−0.126"),
        (3.7149, Unit.SCALE, "3.71"),
        (-43.17, Unit.ELO, "−43.2"),
        (2.0, Unit.RANK, "2"),
        (2.25, Unit.RANK, "2.25"),
        (1.0, Unit.YES_NO, "yes"),
        (0.0, Unit.YES_NO, "no"),
        (12964, Unit.COUNT, "12\u202f964"),
        (1212, Unit.COUNT, "1212"),
        (0.123456, "furlong", "0.1235"),
    ],
)
def test_each_unit_has_its_own_digits(value, unit, text):
    assert number_text(value, unit) == text


@pytest.mark.parametrize("unit", [Unit.PROBABILITY, Unit.SHARE, Unit.COEFFICIENT])
def test_a_share_that_is_not_0_or_1_never_looks_as_if_it_were(unit):
    assert number_text(0.0004, unit) == "<0.001"
    assert number_text(0.99996, unit) == ">0.999"
    assert number_text(0.0, unit) == "0.000"
    assert number_text(1.0, unit) == "1.000"


def test_a_tiny_negative_difference_is_not_shown_as_zero():
    assert number_text(-0.0004, Unit.COEFFICIENT) == ">−0.001"
    assert number_text(-0.0, Unit.COEFFICIENT) == "0.000"


def test_a_p_value_is_never_printed_as_zero():
    assert p_text(1e-300) == "<0.001"
    assert p_text(0.0499) == "0.050"


def test_ends_of_an_interval_are_plain_numbers():
    assert interval_text(-0.00001, 0.61449, Unit.SHARE) == "[0.000, 0.614]"
    assert interval_text(1013.3, 1049.9, Unit.ELO, 0) == "[1013, 1050]"


@pytest.mark.parametrize(
    ("error", "decimals"), [(13.0, 0), (1.0, 0), (0.31, 0), (0.1, 1), (0.04, 1), (None, None), (0.0, None)]
)
def test_the_last_decimal_of_a_rating_is_never_finer_than_its_monte_carlo_error(error, decimals):
    assert decimals_within(error) == decimals
    if decimals is not None:
        assert 10.0**-decimals >= error or math.isclose(10.0**-decimals, error) or decimals == 0


def test_declared_numbers_are_printed_as_declared():
    assert [plain_text(value) for value in (0.1, 5, 5.0, 32, "half", True)] == ["0.1", "5", "5", "32", "half", "yes"]


def test_counts_are_grouped_from_five_digits_on():
    assert [count_text(n) for n in (0, 999, 9999, 10000, 1234567, -12345)] == [
        *("0", "999", "9999"),
        *("10\u202f000", "1\u202f234\u202f567", "−12\u202f345"),
    ]
