"""All figures, some 250, where every run draws a part of them."""

from tests.claims.test_kinds import by_hand


def test_all_figures_say_numbers_in_claims_alone():
    assert by_hand() == {}
