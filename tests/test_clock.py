"""A clock of the game: what is left while it runs and stands, by the times that it is given."""

from __future__ import annotations

import pytest

from game.clock import LEAST, Clock


def test_a_clock_stands_until_it_is_started_and_only_the_first_start_counts() -> None:
    clock = Clock()
    clock.wind(45.0)
    assert clock.left(100.0) is None
    assert clock.shown(100.0) is None
    clock.start(100.0)
    clock.start(130.0)
    assert clock.left(140.0) == 5.0
    assert clock.left(150.0) == -5.0


@pytest.mark.parametrize(("at", "shown"), [(100.0, 30.0), (100.06, 29.9), (129.96, 0.0), (131.0, 0.0)])
def test_people_see_tenths_and_never_less_than_nothing(at: float, shown: float) -> None:
    clock = Clock()
    clock.wind(30.0)
    clock.start(100.0)
    assert clock.shown(at) == shown


@pytest.mark.parametrize(("stopped", "left"), [(110.0, 20.0), (128.0, LEAST), (140.0, LEAST)])
def test_a_clock_that_was_stopped_goes_on_with_what_was_left_but_never_run_out(stopped: float, left: float) -> None:
    clock = Clock()
    clock.wind(30.0)
    clock.start(100.0)
    clock.stop(stopped)
    clock.stop(stopped + 50.0)
    assert clock.left(200.0) is None
    clock.start(300.0)
    assert clock.left(300.0) == left


def test_winding_takes_a_run_back() -> None:
    clock = Clock()
    clock.wind(30.0)
    clock.start(100.0)
    clock.wind(60.0)
    assert clock.left(120.0) is None
    clock.start(120.0)
    assert clock.left(121.0) == 59.0
