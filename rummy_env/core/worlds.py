"""Worlds: tables as they may be for one seat, everything that it cannot see dealt at random."""

from __future__ import annotations

from rummy_env.core.hands import deal_card, show_hand
from rummy_env.core.kernel import inner, kernel
from rummy_env.core.machine import refresh_legal
from rummy_env.core.rounds import shuffle


@kernel
def deal_worlds(rules, worlds, loose, drawn, held, other, num_from_stock, streams):
    """Deal the unseen cards into ``worlds``: (W,) copies of a table in whose hands only the cards lie that are seen.

    ``loose``: (L,) uint8, cards that may lie in the stock; ``held``: (H,) uint8, cards that must be in a hand. Places
    in hands, as (K,) numbers of seats: ``num_from_stock`` of ``drawn``, chosen at random, get cards of ``loose``, all
    other places and all of ``other`` get ``held``, and ``loose`` once these are dealt. The stock gets the rest. All
    four arrays are shuffled in place. ``streams``: (W, 3) uint64, states of the table's two generators and of this
    deal's.
    """
    for i in range(worlds.shape[0]):
        state = worlds[i]
        hidden = state["hidden"]
        hidden["rng"] = streams[i, 0]
        hidden["bot_rng"] = streams[i, 1]
        rng = shuffle(streams[i, 2], loose, loose.shape[0])
        rng = shuffle(rng, held, held.shape[0])
        rng = shuffle(rng, drawn, drawn.shape[0])
        num_loose = 0
        num_held = 0
        for k in range(drawn.shape[0] + other.shape[0]):
            seat = drawn[k] if k < drawn.shape[0] else other[k - drawn.shape[0]]
            if k < num_from_stock or num_held == held.shape[0]:
                deal_card(state, seat, loose[num_loose])
                num_loose += 1
            else:
                deal_card(state, seat, held[num_held])
                num_held += 1
        _fill_stock(state, loose, num_loose)
        view = state["view"]
        show_hand(state, view, view["seat"])
        refresh_legal(rules[0], view)


@inner
def _fill_stock(state, cards, first):
    stock = state["hidden"]["stock"]
    for k in range(state["view"]["stock_size"]):
        stock[k] = cards[first + k]
