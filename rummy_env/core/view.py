"""The view of any seat: everything public, and that seat's own hand."""

from __future__ import annotations

from rummy_env.core.kernel import inner
from rummy_env.core.state import LEGAL_WORDS


@inner
def view_of(state, seat, views, index):
    """Write the view of ``seat`` to ``views[index]``. A seat that waits has no legal action."""
    views[index] = state["view"]
    view = views[index]
    view["seat"] = seat
    view["hand"] = state["hidden"]["hands"][seat]
    if seat != view["to_play"]:
        for word in range(LEGAL_WORDS):
            view["legal"][word] = 0
