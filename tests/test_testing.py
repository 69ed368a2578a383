"""`check_rules` passes on rules that hold and finds every bug that is planted."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rummy_env import Game, Rules, spaces
from rummy_env.core import batch
from rummy_env.episode import Episode
from rummy_env.testing import check_rules
from rummy_env.view import View

DRAW, TAKE, DISCARD_ACE = (
    next(block.first for block in spaces("straight").actions if block.name == name)
    for name in ("draw", "take", "discard")
)

SMALL: dict[str, Any] = {"num_ranks": 6, "num_suits": 3, "hand_size": 4}
"""Short rounds, in which everything happens: melds, refills, wins."""


@pytest.mark.parametrize(
    "options",
    [
        {"refill": "draw", "discard_taken": True},
        {"num_players": 3, "rummy_factor": 3, "ace_points": 15},
        {"num_players": 4},
        SMALL,
        {**SMALL, "num_players": 3, "max_turns": 9},
        {"num_ranks": 3, "num_suits": 1, "hand_size": 1},
        {**SMALL, "layoff_spoils_rummy": False, "rummy_with_discard": False, "rummy_by_layoffs": False},
    ],
    ids=str,
)
def test_rules_that_hold_pass(options: dict[str, Any]) -> None:
    check_rules(Rules.preset("straight", **options), games=2)


def lose_a_card(monkeypatch: pytest.MonkeyPatch) -> None:
    def play_action(rules: Any, states: Any, action: int, play: Any = batch.play_action) -> bool:
        done: bool = play(rules, states, action)
        if done and states["view"]["turn"][0] == 2:
            states["hidden"]["hands"][0, int(states["view"]["to_play"][0])] = 0
        return done

    monkeypatch.setattr(batch, "play_action", play_action)


def double_a_card(monkeypatch: pytest.MonkeyPatch) -> None:
    def play_action(rules: Any, states: Any, action: int, play: Any = batch.play_action) -> bool:
        done: bool = play(rules, states, action)
        if done and states["view"]["stock_size"][0] > 1:
            states["hidden"]["stock"][0, 0] = states["hidden"]["stock"][0, 1]
        return done

    monkeypatch.setattr(batch, "play_action", play_action)


def mask_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever may play anything may also discard the ace of spades."""
    action_mask = Game.action_mask

    def changed(game: Game, seat: int) -> Any:
        mask = action_mask(game, seat)
        mask[DISCARD_ACE] |= mask.any()
        return mask

    monkeypatch.setattr(Game, "action_mask", changed)


def mask_too_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody may draw where the pile could be taken."""
    action_mask = Game.action_mask

    def changed(game: Game, seat: int) -> Any:
        mask = action_mask(game, seat)
        mask[DRAW] &= not mask[TAKE]
        return mask

    monkeypatch.setattr(Game, "action_mask", changed)


def mask_for_a_seat_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    action_mask = Game.action_mask
    monkeypatch.setattr(Game, "action_mask", lambda game, seat: action_mask(game, game.to_play))


def no_action_for_the_mover(monkeypatch: pytest.MonkeyPatch) -> None:
    action_mask = Game.action_mask
    monkeypatch.setattr(Game, "action_mask", lambda game, seat: action_mask(game, seat) * (len(game.history) < 5))


def refuse_with_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def play_action(rules: Any, states: Any, action: int, play: Any = batch.play_action) -> bool:
        done: bool = play(rules, states, action)
        if not done:
            states["hidden"]["rng"] += np.uint64(1)
        return done

    monkeypatch.setattr(batch, "play_action", play_action)


def play_what_is_illegal(monkeypatch: pytest.MonkeyPatch) -> None:
    step = Game.step

    def careless(game: Game, action: int) -> None:
        if game.action_mask(game.to_play)[action]:
            step(game, action)

    monkeypatch.setattr(Game, "step", careless)


def show_the_next_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """The observation tells the colour of the card on top of the stock."""
    observation = Game.observation

    def leaky(game: Game, seat: int) -> Any:
        row = observation(game, seat)
        size = game.stock_size
        row[0] = size > 0 and game.state["hidden"]["stock"][0, size - 1] >= 26
        return row

    monkeypatch.setattr(Game, "observation", leaky)


def show_the_movers_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """A seat that waits sees the hand of the seat to play, as in other libraries' gin rummy."""
    view = Game.view

    def leaky(game: Game, seat: int) -> View:
        seen = view(game, seat)
        seen.record["hand"] = game.state["view"]["hand"]
        return seen

    monkeypatch.setattr(Game, "view", leaky)


def odd_observation(monkeypatch: pytest.MonkeyPatch) -> None:
    observation = Game.observation
    monkeypatch.setattr(Game, "observation", lambda game, seat: observation(game, seat).astype(np.int16))


def other_deal_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    first_round, lots = batch.first_round, iter(range(1, 10_000))

    def lottery(rules: Any, states: Any, stream: Any, dealer: int) -> None:
        first_round(rules, states, np.uint64(next(lots)), dealer)

    monkeypatch.setattr(batch, "first_round", lottery)


def record_without_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    from_record = Game.from_record

    def shortened(text: str) -> Game:
        game = from_record(text)
        played = game.start()
        for entry in game.history[:-1]:
            played.repeat(entry)
        return played

    monkeypatch.setattr(Game, "from_record", shortened)


def score_too_high(monkeypatch: pytest.MonkeyPatch) -> None:
    result = Game.result.fget  # type: ignore[attr-defined]

    def generous(game: Game) -> Any:
        found = result(game)
        return found and dataclasses.replace(found, scores=tuple(score + 1 for score in found.scores))

    monkeypatch.setattr(Game, "result", property(generous))


def rewards_that_ignore_the_opponent(monkeypatch: pytest.MonkeyPatch) -> None:
    play = Episode.play

    def selfish(episode: Episode, action: Any) -> Any:
        settled = play(episode, action)
        return settled and settled._replace(rewards=tuple(max(0.0, reward) for reward in settled.rewards))

    monkeypatch.setattr(Episode, "play", selfish)


@pytest.mark.parametrize(
    ("plant", "found"),
    [
        (lose_a_card, "expected every card of the deck in one place"),
        (double_a_card, "expected every card of the deck in one place, got .* 2 times"),
        (
            mask_too_much,
            r"expected the mask to say 0 for action \d+ \(discard As\)|of the mask to be played, got: discard As",
        ),
        (mask_too_little, r"expected the mask to say 1 for action \d+ \(draw\)"),
        (mask_for_a_seat_that_waits, "expected no legal action for seat ., which waits, got"),
        (no_action_for_the_mover, "expected a legal action for seat ., which is to play, got 0"),
        (refuse_with_a_trace, "expected nothing to change when action .* is refused"),
        (play_what_is_illegal, "expected action .* to be refused, got it played"),
        (show_the_next_card, "expected the observation of seat . to depend on nothing hidden"),
        (show_the_movers_hand, "expected the view of seat . to depend on nothing hidden"),
        (odd_observation, "expected the observation of seat 0 as .* uint8 of 0 and 1, got .* int16"),
        (other_deal_every_time, "expected the same deal from the same seed"),
        (record_without_its_end, r"expected the record \(text\) to replay to the same end"),
        (score_too_high, "expected the scores"),
        (rewards_that_ignore_the_opponent, "expected rewards of scheme zero_sum that sum to zero"),
    ],
)
def test_a_planted_bug_is_found_and_its_place_named(
    monkeypatch: pytest.MonkeyPatch, plant: Callable[[pytest.MonkeyPatch], None], found: str
) -> None:
    plant(monkeypatch)
    with pytest.raises(AssertionError, match=rf"^game \d+ \(seed \d+\), step \d+: (?s:.*)({found})"):
        check_rules(Rules.preset("straight", **SMALL), games=20)


@pytest.mark.parametrize("games", [0, -1, True, 2.0, None])
def test_the_number_of_games_is_checked(games: Any) -> None:
    with pytest.raises(ValueError, match="games: expected a whole number from 1 on"):
        check_rules(Rules.preset("straight"), games=games)
