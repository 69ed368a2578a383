"""The view of any seat: everything public, and that seat's own hand."""

from __future__ import annotations

from rummy_env.core.kernel import inner
from rummy_env.core.state import LEGAL_WORDS


@inner
def look_from(state, seat):
    """Turn the view inside a table to another seat. A seat that waits has no legal action."""
    _turn(state["view"], state["hidden"]["hands"][seat], seat)


@inner
def view_of(state, seat, views, index):
    """Write the view of ``seat`` to ``views[index]``. A seat that waits has no legal action."""
    views[index] = state["view"]
    _turn(views[index], state["hidden"]["hands"][seat], seat)


@inner
def _turn(view, hand, seat):
    view["seat"] = seat
    view["hand"] = hand
    if seat != view["to_play"]:
        for word in range(LEGAL_WORDS):
            view["legal"][word] = 0
