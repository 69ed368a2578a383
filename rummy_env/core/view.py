"""The view of any seat: everything public, and that seat's own hand."""

from __future__ import annotations

from rummy_env.core.hands import show_hand
from rummy_env.core.kernel import inner
from rummy_env.core.rounds import no_action


@inner
def look_from(state, seat):
    """Turn the view inside a table to another seat. A seat that waits has no legal action."""
    _turn(state, state["view"], seat)


@inner
def view_of(state, seat, views, index):
    """Write the view of ``seat`` to ``views[index]``. A seat that waits has no legal action."""
    views[index] = state["view"]
    _turn(state, views[index], seat)


@inner
def _turn(state, view, seat):
    view["seat"] = seat
    show_hand(state, view, seat)
    if seat != view["to_play"]:
        no_action(view)
