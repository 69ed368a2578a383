"""What kernels and Python ask of any ruleset's machine, whatever record a table has."""

from __future__ import annotations

from rummy_env.core import encode_rami, encode_straight, jokers, rami, straight, table_game
from rummy_env.core.dispatch import by_ruleset
from rummy_env.core.kernel import inner
from rummy_env.core.table_game import forfeit, is_legal, match_over, random_legal

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

play = by_ruleset("rules, state, action", "state", straight=straight.play, rami=rami.play)
"""Play a legal action."""
refresh_legal = by_ruleset("rules, view", "view", straight=straight.refresh_legal, rami=rami.refresh_legal)
"""Work out anew the legal actions of the seat to play."""
refresh_fits = by_ruleset("rules, view", "view", straight=straight.refresh_fits, rami=jokers.refresh_fits)
"""Work out anew which cards can be laid off onto the melds of the table."""
encode = by_ruleset("rules, view, packed", "view", straight=encode_straight.encode, rami=encode_rami.encode)
"""Write the observation of a view into a packed row that is all 0."""
put_meld = by_ruleset(
    "rules, state, kind, key, low, size, suits, jokers", "state", straight=straight.put_meld, rami=rami.put_meld
)
put_layoff = by_ruleset("rules, state, card, end, number", "state", straight=straight.put_layoff, rami=rami.put_layoff)


@inner
def deal(rules, state, dealer):
    """Start a round."""
    table_game.deal(rules, state, dealer)
    refresh_legal(rules, state["view"])


@inner
def first_deal(rules, state, first_dealer):
    """Start a match; ``first_dealer`` -1: drawn."""
    table_game.start_match(rules, state, first_dealer)
    refresh_legal(rules, state["view"])


@inner
def next_deal(rules, state):
    """Start the next round of a match."""
    table_game.deal_on(rules, state)
    refresh_legal(rules, state["view"])


@inner
def start_turn(rules, state):
    """Begin the turn of the seat to play."""
    table_game.start_turn(rules, state)
    refresh_legal(rules, state["view"])
