import numpy as np
import pytest

from juryline.estimators.dense_codes import dense_codes, first_places, n_distinct


@pytest.mark.parametrize("codes", [[5, 2, 2, 9, 5], [10**12, 3, 10**12], [-4, 0, -4, 7], [3], []])
def test_codes_without_gaps_keep_their_order_and_their_equalities(codes):
    given = np.array(codes, dtype=np.int64)
    distinct = sorted(set(codes))

    assert dense_codes(given).tolist() == [distinct.index(code) for code in codes]
    assert n_distinct(given) == len(distinct)


def test_first_places_are_where_each_code_first_stands():
    assert first_places(np.array([2, 0, 2, 1, 0])).tolist() == [1, 3, 0]
    assert first_places(np.array([], dtype=np.int64)).tolist() == []
