"""How fast the packages that others use play gin rummy, on one core, from Python.

Speed is claimed as a ratio to these, measured in the same run on the same core: figures of two runs say little, because
machines differ and one machine's clock does too. Every peer plays whole rounds of two-player gin rummy, dealing
included, with uniformly random legal play. A *decision* is one action of a player; chance (a card dealt or drawn) is
work, not a decision. What a peer must produce before each decision is what ours produces: the observation of the seat
that moves and its legal actions. Each is driven in the fastest way that its pip package allows without being rewritten.

| name | how it plays | compare ours with it |
|---|---|---|
| `openspiel` | stepped from Python, observation and mask in one reused buffer each | yes |
| `openspiel_blind` | its own bots in C++, nothing observed, no mask | no, an upper bound |
| `rlcard` | `env.step` as the package ships it | yes |
| `rlcard_direct` | its game below `env`, observation written by us, no work done twice | yes, stricter |

OpenSpiel has more that runs in C++, and none of it can be used: `record_batched_trajectories` wants an information
state tensor, which `gin_rummy` does not have; `RandomRolloutEvaluator` has no method in Python; `random_sim_test`
spends its time on checks; `State.apply_actions` is not implemented for this game. So `evaluate_bots` is the most that
C++ gives.
Deals and draws come from a shuffled deck instead of `chance_outcomes()`: the same distribution, and cheaper.

RLCard asks each player for a forced "score" action at the end and, at times, for a forced "declare dead hand". They
count as decisions here, in its favour. PettingZoo has no gin rummy any more; its old one was RLCard's, and slower.

Nothing here needs to be installed to play or to train: `pip install rummy-env[bench]`.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

import numpy as np

# Short turns, one peer after the other: a busy moment of the machine falls on all of them, and the median drops it.
NUM_TURNS = 5
# OpenSpiel's id of chance; other ids below 0 mean that the round is over.
OPENSPIEL_CHANCE = -1


@dataclass(frozen=True)
class Peer:
    """What one peer made. `missing` says why there is no figure (then the numbers are 0), else it is empty."""

    name: str
    version: str
    game: str
    decisions: int
    """All decisions of all turns."""
    seconds: float
    """All time of all turns, in seconds of the wall clock."""
    decisions_per_second: float
    """Median over the turns."""
    how: str
    missing: str = ""

    def times(self, decisions_per_second: float) -> float | None:
        """How many times as fast `decisions_per_second` is as this peer; None if this peer is missing.

        >>> Peer("p", "1", "gin", 100, 1.0, 100.0, "").times(250.0)
        2.5
        """
        return None if self.missing else decisions_per_second / self.decisions_per_second


class Player(Protocol):
    """Plays a peer's game."""

    def play(self) -> int:
        """Plays one round to its end and returns the number of decisions."""


class OpenSpiel:
    """Steps `gin_rummy` from Python.

    After `play`, `state` is the end of the round and `observation`, `mask` are those of its last decision.
    """

    def __init__(self, seed: int) -> None:
        import pyspiel
        from open_spiel.python.observation import make_observation

        game = pyspiel.load_game("gin_rummy")
        # Cloning the root costs 15 us, new_initial_state() a thousand: it builds the table of melds again.
        self.root = game.new_initial_state()
        self.state = self.root
        self._observer = make_observation(game)
        self.observation: np.ndarray = self._observer.tensor
        """float32 (644,)"""
        # Through a bytearray: numpy would need longer for eleven ones than Python's loop.
        self._mask = bytearray(game.num_distinct_actions())
        self._blank = bytes(game.num_distinct_actions())
        self.mask: np.ndarray = np.frombuffer(self._mask, np.uint8)
        """uint8 (241,)"""
        self._random = random.Random(seed)
        self._rng = np.random.default_rng(seed)

    def play(self) -> int:
        mask, blank, draw = self._mask, self._blank, self._random.random
        # The C++ object behind the observer: one Python call less for every decision.
        observe = self._observer._observation.set_from
        deck = iter(self._rng.permutation(52).tolist())
        state = self.state = self.root.clone()
        current_player, legal_actions, apply_action = state.current_player, state.legal_actions, state.apply_action
        num_decisions = 0
        while True:
            seat = current_player()
            if seat >= 0:
                observe(state, seat)
                legal = legal_actions()
                mask[:] = blank
                for action in legal:
                    mask[action] = 1
                apply_action(legal[int(draw() * len(legal))])
                num_decisions += 1
            elif seat == OPENSPIEL_CHANCE:
                apply_action(next(deck))
            else:
                return num_decisions


class OpenSpielBlind:
    """Two of OpenSpiel's own random bots play `gin_rummy`, all of it in C++, without observation and mask."""

    def __init__(self, seed: int) -> None:
        import pyspiel

        self._evaluate_bots = pyspiel.evaluate_bots
        self.root = pyspiel.load_game("gin_rummy").new_initial_state()
        self._random = random.Random(seed)
        self._bots = [pyspiel.make_uniform_random_bot(seat, self._random.getrandbits(30)) for seat in range(2)]

    def play(self) -> int:
        state = self.root.clone()
        self._evaluate_bots(state, self._bots, self._random.getrandbits(30))
        # Each card that has left the stock was one chance event.
        return int(state.move_number() - (52 - state.stock_size()))


class RLCard:
    """`env.step` of `gin-rummy`, as `env.run` does it but without keeping trajectories.

    After `play`, `observation` (int64, (5, 52)) and `legal` (ids) are those of the last decision.
    """

    def __init__(self, seed: int) -> None:
        import rlcard

        self.env: Any = rlcard.make("gin-rummy", config={"seed": seed})
        self.observation: np.ndarray = np.zeros((5, 52), int)
        self.legal: list[int] = []
        self._random = random.Random(seed)

    def play(self) -> int:
        env, draw = self.env, self._random.random
        state, _ = env.reset()
        num_decisions = 0
        while not env.is_over():
            self.observation = state["obs"]
            self.legal = legal = state["raw_legal_actions"]
            state, _ = env.step(legal[int(draw() * len(legal))])
            num_decisions += 1
        return num_decisions


class RLCardDirect:
    """RLCard's game and judge below its environment: the same rounds as `RLCard` with the same seed, with less work.

    The environment asks the judge twice for every decision, decodes the action that the judge had as an object, and
    lets the game write a second state that nobody reads. The five planes are written here into one buffer.
    """

    def __init__(self, seed: int) -> None:
        import rlcard
        from rlcard.games.gin_rummy.utils.utils import get_deck

        # A few keyed lookups instead of two searches in lists for each card; cards have no ids.
        self._card_ids = {card.suit + card.rank: card_id for card_id, card in enumerate(get_deck())}
        self.game: Any = rlcard.make("gin-rummy", config={"seed": seed}).game
        self.game.get_state = lambda player_id: None
        self._planes = bytearray(5 * 52)
        self._blank = bytes(5 * 52)
        self.observation: np.ndarray = np.frombuffer(self._planes, np.uint8).reshape(5, 52)
        self._legal: list[Any] = []
        self._random = random.Random(seed)

    @property
    def legal(self) -> list[int]:
        return [action.action_id for action in self._legal]

    def play(self) -> int:
        game, draw, ids = self.game, self._random.random, self._card_ids
        planes, blank = self._planes, self._blank
        get_legal_actions, step = game.judge.get_legal_actions, game.step
        game.init_game()
        table = game.round
        pile, stock, players = table.dealer.discard_pile, table.dealer.stock_pile, table.players
        num_decisions = 0
        while not table.is_over:
            seat = table.current_player_id
            other = players[1 - seat]
            known = other.known_cards
            planes[:] = blank
            for card in players[seat].hand:
                planes[ids[card.suit + card.rank]] = 1
            for card in pile:
                planes[104 + ids[card.suit + card.rank]] = 1
            if pile:
                card_id = ids[pile[-1].suit + pile[-1].rank]
                planes[104 + card_id] = 0
                planes[52 + card_id] = 1
            for card in stock:
                planes[208 + ids[card.suit + card.rank]] = 1
            for card in other.hand:
                planes[208 + ids[card.suit + card.rank]] = 1
            for card in known:
                card_id = ids[card.suit + card.rank]
                planes[156 + card_id] = 1
                planes[208 + card_id] = 0
            self._legal = legal = get_legal_actions()
            step(legal[int(draw() * len(legal))])
            num_decisions += 1
        return num_decisions


# name: (distribution to install, its game, player, how)
PEERS: dict[str, tuple[str, str, Callable[[int], Player], str]] = {
    "openspiel": (
        "open_spiel",
        "gin_rummy",
        OpenSpiel,
        "root cloned, stepped from Python; observation and mask in one reused buffer each",
    ),
    "openspiel_blind": (
        "open_spiel",
        "gin_rummy",
        OpenSpielBlind,
        "evaluate_bots, all in C++; no observation and no mask, so an upper bound only",
    ),
    "rlcard": ("rlcard", "gin-rummy", RLCard, "env.step as shipped; observation and legal actions"),
    "rlcard_direct": (
        "rlcard",
        "gin-rummy",
        RLCardDirect,
        "game below env, our encoder, nothing done twice; observation and legal actions",
    ),
}


def players(seed: int = 0) -> tuple[dict[str, Player], dict[str, str]]:
    """The peers that are installed, ready to play, and for the others the reason why not, by name."""
    ready: dict[str, Player] = {}
    missing: dict[str, str] = {}
    for name, (distribution, _, make, _) in PEERS.items():
        try:
            version(distribution)
            ready[name] = make(seed)
        except PackageNotFoundError:
            missing[name] = f"{distribution} is not installed: pip install rummy-env[bench]"
        except Exception as error:  # a peer that breaks must not take our own figures with it
            missing[name] = f"{distribution} does not start: {type(error).__name__}: {error}"
    return ready, missing


def run(player: Player, seconds: float) -> tuple[int, float]:
    """Plays whole rounds, one at least, until `seconds` have passed; returns (decisions, seconds really taken)."""
    num_decisions = 0
    start = time.perf_counter()
    while True:
        num_decisions += player.play()
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return num_decisions, elapsed


def measure(seconds: float = 3.0, seed: int = 0) -> dict[str, Peer]:
    """Times every peer for about `seconds` in all, in short turns one after the other; by name, in the order of PEERS.

    A missing package gives an entry with `missing` set. The same seed plays the same rounds; how many depends on time.
    """
    # NaN fails this comparison too.
    if not 0 < seconds < float("inf"):
        raise ValueError(f"seconds must be a positive number, not {seconds}")
    if seed < 0:
        raise ValueError(f"seed must be at least 0, not {seed}")
    ready, missing = players(seed)
    for player in ready.values():
        player.play()  # first calls import and fill tables
    turns: dict[str, list[tuple[int, float]]] = {name: [] for name in ready}
    for _ in range(NUM_TURNS):
        for name, player in ready.items():
            turns[name].append(run(player, seconds / NUM_TURNS))
    result = {}
    for name, (distribution, game, _, how) in PEERS.items():
        if name in missing:
            result[name] = Peer(name, "", game, 0, 0.0, 0.0, how, missing[name])
            continue
        result[name] = Peer(
            name=name,
            version=version(distribution),
            game=game,
            decisions=sum(decisions for decisions, _ in turns[name]),
            seconds=sum(elapsed for _, elapsed in turns[name]),
            decisions_per_second=statistics.median(decisions / elapsed for decisions, elapsed in turns[name]),
            how=how,
        )
    return result


def table(peers: dict[str, Peer]) -> Any:
    """The figures as a table of rich."""
    from rich.table import Table

    page = Table(title="Gin rummy elsewhere: random play, one core, from Python")
    page.add_column("peer", no_wrap=True)
    page.add_column("version", no_wrap=True)
    page.add_column("decisions/s", justify="right", no_wrap=True)
    page.add_column("how")
    for peer in peers.values():
        figure = "[yellow]missing[/]" if peer.missing else f"{peer.decisions_per_second:,.0f}"
        page.add_row(peer.name, peer.version or "–", figure, peer.missing.replace("[", r"\[") or peer.how)
    return page


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers", description="Times gin rummy of OpenSpiel and RLCard on one core."
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="time for each peer (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed of deals and play (default %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")
    options = parser.parse_args(arguments)
    try:
        if options.json is not None and not options.json.parent.is_dir():
            raise ValueError(f"--json: there is no folder {options.json.parent}")
        peers = measure(options.seconds, options.seed)
        if options.json is not None:
            text = json.dumps({name: asdict(peer) for name, peer in peers.items()}, indent=2)
            options.json.write_text(text + "\n", encoding="utf-8")
    except (ValueError, OSError) as error:
        parser.error(str(error))
    from rich.console import Console

    Console().print(table(peers))


if __name__ == "__main__":
    main()
