"""How dangerous a discard is in games of one deck: what another may make of it. For the bots of straight and gin."""

from __future__ import annotations

from rummy_env.core.bits import popcount
from rummy_env.core.kernel import inner
from rummy_env.core.melds import NUM_PAIRS, PAIRS, REVEALING


@inner
def expected_melds(view, weights, card, seat, live, share):
    """The number of melds that a seat is expected to make of ``card``, which the view's seat would discard.

    ``live``: the cards that may be in that hand; ``share``: the chance that one of them is. It is larger where the card
    would go with one that the seat took from the pile, because that one was taken for company. ``weights``: a record
    with ``company``, the chance where one of a pair is known to be there, and ``doubt``, what is left of a chance where
    the seat has thrown away or left what would have made the pair.
    """
    known = view["known"][seat]
    spurned = view["refused"][seat] | view["discarded"][seat]
    expected = 0.0
    for k in range(NUM_PAIRS):
        pair = PAIRS[card, k]
        if pair == 0:
            break
        if pair & ~(live | known):
            continue
        num_known = popcount(pair & known)
        chance = share * share if num_known == 0 else weights["company"] if num_known == 1 else 1.0
        if REVEALING[card, k] & spurned:
            chance *= weights["doubt"]
        expected += chance
    return expected
