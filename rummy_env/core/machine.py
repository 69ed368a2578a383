"""What kernels and Python ask of any ruleset's machine, whatever record a table has."""

from __future__ import annotations

from rummy_env.core import (
    encode_gin,
    encode_indian,
    encode_rami,
    encode_straight,
    gin,
    hand_game,
    indian,
    jokers,
    rami,
    straight,
    table_game,
)
from rummy_env.core.dispatch import by_ruleset
from rummy_env.core.kernel import inner
from rummy_env.core.random import advance, below
from rummy_env.core.rounds import forfeit, is_legal, match_over, random_legal

__all__ = [
    "deal",
    "encode",
    "first_deal",
    "forfeit",
    "is_legal",
    "match_over",
    "next_deal",
    "play",
    "put_layoff",
    "put_meld",
    "random_legal",
    "refresh_fits",
    "refresh_legal",
    "start_turn",
]

play = by_ruleset(
    "rules, state, action",
    "state",
    straight=straight.play,
    rami=rami.play,
    gin=gin.play,
    indian=indian.play,
)
"""Play a legal action."""
refresh_legal = by_ruleset(
    "rules, view",
    "view",
    straight=straight.refresh_legal,
    rami=rami.refresh_legal,
    gin=gin.refresh_legal,
    indian=indian.refresh_legal,
)
"""Work out anew the legal actions of the seat to play."""
refresh_draws = by_ruleset(
    "rules, view",
    "view",
    straight=straight.refresh_draws,
    rami=rami.refresh_draws,
    gin=gin.refresh_draws,
    indian=indian.refresh_draws,
)
"""The same at the start of a turn, for which a kernel that only deals needs nothing of what comes after the draw."""
refresh_fits = by_ruleset(
    "rules, view",
    "view",
    straight=straight.refresh_fits,
    rami=jokers.refresh_fits,
    gin=hand_game.refresh_fits,
    indian=hand_game.refresh_fits,
)
"""Work out anew which cards can be laid off onto the melds of the table."""
encode = by_ruleset(
    "rules, view, packed",
    "view",
    straight=encode_straight.encode,
    rami=encode_rami.encode,
    gin=encode_gin.encode,
    indian=encode_indian.encode,
)
"""Write the observation of a view into a packed row that is all 0."""
put_meld = by_ruleset(
    "rules, state, kind, key, low, size, suits, jokers", "state", straight=straight.put_meld, rami=rami.put_meld
)
_deal = by_ruleset(
    "rules, state, dealer",
    "state",
    straight=table_game.deal,
    rami=table_game.deal,
    gin=gin.deal,
    indian=indian.deal,
)
_start_turn = by_ruleset(
    "rules, state",
    "state",
    straight=table_game.start_turn,
    rami=table_game.start_turn,
    gin=gin.start_turn,
    indian=indian.start_turn,
)
put_layoff = by_ruleset("rules, state, card, end, number", "state", straight=straight.put_layoff, rami=rami.put_layoff)


@inner
def deal(rules, state, dealer):
    """Start a round."""
    _deal(rules, state, dealer)
    refresh_draws(rules, state["view"])


@inner
def first_deal(rules, state, first_dealer):
    """Start a match; the first dealer is ``first_dealer`` or, where that is -1, drawn."""
    view = state["view"]
    hidden = state["hidden"]
    view["round"] = 0
    for seat in range(rules["num_players"]):
        view["totals"][seat] = rules["start_points"]
    dealer = first_dealer
    if dealer < 0:
        hidden["rng"] = advance(hidden["rng"])
        dealer = below(hidden["rng"], rules["num_players"])
    deal(rules, state, dealer)


@inner
def next_deal(rules, state):
    """Start the next round of a match: the deal moves one seat."""
    view = state["view"]
    dealer = view["dealer"]
    if view["void"] == 0 or rules["void_moves_deal"] != 0:
        dealer = (dealer + 1) % rules["num_players"]
    deal(rules, state, dealer)


@inner
def start_turn(rules, state):
    """Begin the turn of the seat to play."""
    _start_turn(rules, state)
    refresh_draws(rules, state["view"])
