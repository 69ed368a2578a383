"""What of a hand can be put down, worked out with tensors: for networks, which are bad at counting melds.

Sets of cards are tensors (…, 4, 13) of 0 and 1: suits and ranks. Runs and lay-offs never compete for a card, sets and
runs do: two ways are tried, sets first and runs first, and the better one taken. That leaves the fewest cards in almost
every hand (`tests/test_network.py` counts); what can be put down is legal in all.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor
from torch.nn.functional import pad

CHAIN: Final = 3
"""How many cards are laid off one after another at an end of a run on the table, at most."""


def put_down(cards: Tensor, fits_set: Tensor, fits_low: Tensor, fits_high: Tensor) -> Tensor:
    """The cards of hands that can be put down in one turn, as many as possible.

    ``fits_set``, ``fits_low``, ``fits_high``: the cards that could be laid off onto a set, the low or the high end of a
    run on the table.
    """

    def in_runs_and_layoffs(held: Tensor) -> Tensor:
        start = held * _lower(held) * _lower(_lower(held))
        runs = torch.maximum(start, torch.maximum(_higher(start), _higher(_higher(start))))
        low, high = held * fits_low, held * fits_high
        for _ in range(CHAIN - 1):
            low = torch.maximum(low, held * _lower(low))
            high = torch.maximum(high, held * _higher(high))
        return torch.maximum(torch.maximum(runs, held * fits_set), torch.maximum(low, high))

    sets = _in_sets(cards)
    sets_first = sets + in_runs_and_layoffs(cards - sets)
    others = in_runs_and_layoffs(cards)
    runs_first = others + _in_sets(cards - others)
    better = (count(runs_first) > count(sets_first)).to(cards.dtype)[..., None, None]
    return sets_first + better * (runs_first - sets_first)


def count(cards: Tensor) -> Tensor:
    """How many cards, (…)."""
    return cards.sum((-2, -1))


def thermometer(number: Tensor, size: int) -> Tensor:
    """(…, size): the first ``number`` are 1."""
    return (number.unsqueeze(-1) - torch.arange(size)).clamp(0, 1)


def _in_sets(cards: Tensor) -> Tensor:
    """Cards of ranks of which there are three or more."""
    return cards * (cards.sum(-2, keepdim=True) - 2).clamp(0, 1)


def _lower(cards: Tensor) -> Tensor:
    """Every card moved one rank down: where the next higher card is there."""
    return pad(cards[..., 1:], (0, 1))


def _higher(cards: Tensor) -> Tensor:
    """Every card moved one rank up: where the next lower card is there."""
    return pad(cards[..., :-1], (1, 0))
