"""The network of a policy: it sees cards as cards, and treats the four suits alike.

Suits are interchangeable in rummy: with all suits renamed, the best move is the best move with its suits renamed. The
network has this by construction, so what it learns in one suit it knows in all. Three steps:

1. every card by itself, with the same weights: what is said about it (in my hand, on the table, it would complete a
   meld, …), and how often that is true of the cards of its rank;
2. every suit: its thirteen cards and what lies around them;
3. the table: all numbers of the observation and the sum over the suits; and once more every suit, which now knows it.

Actions that name a card are read off the card's suit, the others and the value off the table. The order of cards and
actions comes from `rummy_env.fields` and `rummy_env.actions`.

N rows, S = 4 suits, R = 13 ranks, F planes (fields with a bit for each card, and the two that are worked out), W the
width of an observation, A actions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from torch import Tensor, nn

from rummy_env.actions import ActionBlock, action_table
from rummy_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS
from rummy_env.fields import observation_table
from training.arrangement import count, put_down, thermometer

LOWEST = -1e9
"""Logit of an illegal action. Not minus infinity, whose product with a chance of 0 is not a number."""


HAND_FIELDS = ("hand", "pile_top", "fits_set", "fits_low", "fits_high")
"""From which `CardNetwork` works out what can be put down."""

NUM_HANDS = 2
"""The hand, and the hand with the pile's top."""

LEFT_BITS = 12
"""Of the number of cards that cannot be put down."""


class CardNetwork(nn.Module):
    """Logits and value of observations.

    Args:
        ruleset, num_players: whose tables of fields and actions are read.
        card_width, suit_width, table_width: units for each card, each suit, the table.
        put_down: whether it is told what can be put down (`training.arrangement`).
    """

    def __init__(
        self,
        ruleset: str,
        num_players: int,
        card_width: int,
        suit_width: int,
        table_width: int,
        put_down: bool = False,
    ) -> None:
        super().__init__()
        planes, numbers = _columns(ruleset, num_players)
        card_outputs, logit_order = _outputs(action_table(ruleset))
        self._keep_columns("card_columns", planes)
        self._keep_columns("number_columns", numbers)
        if put_down:
            self._keep_columns("hand_columns", _hand_columns(ruleset, num_players))
        self._keep_columns("logit_order", logit_order)
        self.put_down = put_down
        num_hands = NUM_HANDS if put_down else 0
        num_planes, num_numbers = planes.shape[1] + num_hands, len(numbers) + num_hands * LEFT_BITS

        self.card = nn.Linear(num_planes, card_width, bias=False)
        self.same_rank = nn.Linear(num_planes, card_width, bias=False)
        self.rank_bias = nn.Parameter(torch.zeros(NUM_RANKS, card_width))
        self.suit = nn.Linear(NUM_RANKS * card_width, suit_width)
        self.suit_from_all = nn.Linear(NUM_RANKS * card_width + num_numbers, suit_width, bias=False)
        self.table = nn.Linear(suit_width + num_numbers, table_width)
        self.suit_again = nn.Linear(suit_width, suit_width)
        self.suit_from_table = nn.Linear(table_width, suit_width, bias=False)
        self.table_again = nn.Linear(suit_width + table_width, table_width)
        self.card_logits = nn.Linear(suit_width, card_outputs)
        self.other_logits = nn.Linear(table_width, len(logit_order) - NUM_SUITS * card_outputs)
        self.value = nn.Linear(table_width, 1)
        for head in (self.card_logits, self.other_logits):  # All legal actions alike in the beginning.
            nn.init.orthogonal_(head.weight, 0.01)
            nn.init.zeros_(head.bias)
        nn.init.zeros_(self.value.weight)
        nn.init.zeros_(self.value.bias)

    card_columns: Tensor
    number_columns: Tensor
    hand_columns: Tensor
    logit_order: Tensor

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """``observation``: (N, W), any dtype, 0 or 1. Returns logits (N, A), not masked, and values (N,)."""
        observation = observation.float()
        cards = observation.index_select(1, self.card_columns).unflatten(1, (NUM_SUITS, NUM_RANKS, -1))
        numbers = observation.index_select(1, self.number_columns)
        if self.put_down:
            down, left = self._put_down(observation)
            cards, numbers = torch.cat([cards, down], 3), torch.cat([numbers, left], 1)

        of_rank = self.same_rank(cards.sum(1)) + self.rank_bias
        cards = torch.relu(self.card(cards) + of_rank.unsqueeze(1)).flatten(2)
        around = self.suit_from_all(torch.cat([cards.sum(1), numbers], 1))
        suits = torch.relu(self.suit(cards) + around.unsqueeze(1))
        table = torch.relu(self.table(torch.cat([suits.mean(1), numbers], 1)))
        suits = torch.relu(self.suit_again(suits) + self.suit_from_table(table).unsqueeze(1))
        table = torch.relu(self.table_again(torch.cat([suits.mean(1), table], 1)))

        logits = torch.cat([self.card_logits(suits).flatten(1), self.other_logits(table)], 1)
        return logits.index_select(1, self.logit_order), self.value(table).squeeze(1)

    def _keep_columns(self, name: str, columns: np.ndarray) -> None:
        """Columns as a constant of the module: it follows from the tables, so it is not saved."""
        self.register_buffer(name, torch.from_numpy(columns.ravel()), persistent=False)

    def _put_down(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Of the hand and of the hand with the pile's top: (N, S, R, 2) the cards that can be put down, and (N, ...)
        thermometers of how many are left then."""
        planes = observation.index_select(1, self.hand_columns).unflatten(1, (-1, NUM_SUITS, NUM_RANKS))
        hand, top, *fits = (plane.unsqueeze(1) for plane in planes.unbind(1))
        hands = torch.cat([hand, torch.maximum(hand, top)], 1)
        down = put_down(hands, *fits)
        return down.permute(0, 2, 3, 1), thermometer(count(hands) - count(down), LEFT_BITS).flatten(1)


def _columns(ruleset: str, num_players: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns of an observation: (S * R, F) those of each card, and those of everything else."""
    fields = observation_table(ruleset, num_players)
    planes = [np.arange(field.offset, field.offset + NUM_FACES) for field in fields if field.size >= NUM_FACES]
    of_cards = np.stack(planes, axis=1)[: NUM_SUITS * NUM_RANKS]
    everything = np.arange(fields[-1].slice.stop)
    return of_cards, np.setdiff1d(everything, of_cards)


def _hand_columns(ruleset: str, num_players: int) -> np.ndarray:
    """(5, S * R) columns of `HAND_FIELDS`.

    Raises:
        ValueError: for a ruleset without them.
    """
    offsets = {field.name: field.offset for field in observation_table(ruleset, num_players)}
    if missing := [name for name in HAND_FIELDS if name not in offsets]:
        raise ValueError(f"network.put_down: expected a ruleset with lay-offs, got {ruleset} without {missing[0]}")
    return np.stack([offsets[name] + np.arange(NUM_SUITS * NUM_RANKS) for name in HAND_FIELDS])


def _outputs(blocks: tuple[ActionBlock, ...]) -> tuple[int, np.ndarray]:
    """How many outputs a suit has, and for every action its place among the outputs of all suits and the others.

    A block belongs to the suits if it has the same number of ids for each: ids of such blocks are ordered by suit.
    """
    of_suits = [block for block in blocks if block.count % NUM_SUITS == 0]
    width = sum(block.count // NUM_SUITS for block in of_suits)
    places = np.zeros(blocks[-1].stop, np.int64)
    at, other = 0, NUM_SUITS * width
    for block in blocks:
        ids = np.arange(block.count)
        if block in of_suits:
            each = block.count // NUM_SUITS
            places[block.first : block.stop] = ids // each * width + at + ids % each
            at += each
        else:
            places[block.first : block.stop] = other + ids
            other += block.count
    return width, places


def masked(logits: Tensor, mask: Tensor) -> Tensor:
    """Logits (N, A) with those of illegal actions at `LOWEST`. ``mask``: (N, A) bool."""
    return torch.where(mask, logits, LOWEST)


def draw(log_chances: Tensor, numbers: Tensor) -> Tensor:
    """Draw an action by its chance, (N,) int64. ``log_chances``: (N, A); ``numbers``: (N, 1) random, from [0, 1).

    One random number for each row, where `torch.distributions` draws one for each action; what has no chance is
    never drawn.
    """
    sums = log_chances.exp().cumsum(1)
    return (sums <= numbers * sums[:, -1:]).sum(1)


class CardPolicy(MaskableActorCriticPolicy):
    """`CardNetwork` as a policy of sb3-contrib's MaskablePPO.

    ``network``: the arguments of `CardNetwork`, by name. ``precision``: "float32", or "bfloat16" for processors that
    multiply these faster; parameters are float32 in both.
    """

    def __init__(
        self,
        observation_space: spaces.Space,
        action_space: spaces.Space,
        lr_schedule: Schedule,
        network: dict[str, Any],
        precision: str = "float32",
        **kwargs: Any,
    ) -> None:
        self.network_arguments = network
        self.precision = precision
        super().__init__(observation_space, action_space, lr_schedule, **kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        self.network = CardNetwork(**self.network_arguments)
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]

    def _get_constructor_parameters(self) -> dict[str, Any]:
        own = {"network": self.network_arguments, "precision": self.precision}
        return super()._get_constructor_parameters() | own

    def evaluate(self, observation: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Log-chances (N, A) of the actions and values (N,). ``mask``: (N, A) bool."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.precision == "bfloat16"):
            logits, values = self.network(observation)
        return masked(logits.float(), mask).log_softmax(1), values.float()

    # --- as sb3-contrib asks -----------------------------------------------------------------------------------

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: np.ndarray | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        distribution = self.get_distribution(obs, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions, self.predict_values(obs), distribution.log_prob(actions)

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        distribution = self.get_distribution(obs, action_masks)
        return self.predict_values(obs), distribution.log_prob(actions), distribution.entropy()

    def get_distribution(
        self, obs: PyTorchObs, action_masks: np.ndarray | Tensor | None = None
    ) -> MaskableDistribution:
        distribution = self.action_dist.proba_distribution(self.network(obs)[0])
        if action_masks is not None:
            distribution.apply_masking(action_masks)
        return distribution

    def predict_values(self, obs: PyTorchObs) -> Tensor:
        return self.network(obs)[1].unsqueeze(1)


def best_action(policy: CardPolicy, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """What a policy thinks best: (K, W) and (K, A) as environments give them, to (K,) int64."""
    with torch.inference_mode():
        log_chances, _ = policy.evaluate(torch.from_numpy(observation), torch.from_numpy(mask.view(np.bool_)))
    return log_chances.argmax(1).numpy()
