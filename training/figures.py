"""The figures of an evaluation, for programs (JSON) and for people (tables; the picture: `training.picture`)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError
from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Column, Table
from rich.text import Text

from training.statistics import CONFIDENCE, Estimate, Standing

FIGURES_VERSION: Final = 1
"""Of the JSON; raised when a figure changes its name or meaning."""

METHOD: Final = (
    "Deal d has the seed seed + d. A duel is played on every deal in all seatings with each agent alone among copies "
    "of the other in every seat (two players: both ways), a common table in every order of its agents: the same "
    "cards, the same shuffles in every round of a match and the same random numbers for bots.",
    "points: a round, the mean score of the agent's seats less the mean score of the other seats. score: the mean "
    "score of its seats alone.",
    "round_wins and match_wins: share won by one seat of the agent; even is 1 / num_players. rummies: share of "
    "doubled rounds among those it won. voids: share of rounds without a winner. turns: of a round, of all seats.",
    "duels of an agent: the mean over its opponents, each counting alike.",
    "Intervals: 95%, clustered by deal; linearised ratio estimator over deals, Student's t with deals - 1 degrees of "
    "freedom.",
    "elo: most likely strengths in Bradley and Terry's model for tables of any size, 400 for odds of 10, mean 0, from "
    "the matches or rounds won at all tables; independent of the order of games; one drawn table is added to every "
    "line-up; intervals by the sandwich estimator over deals.",
)
"""How the figures came about."""


class _Figures(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AgentFigures(_Figures):
    """One agent."""

    name: str
    given: str
    """How it was asked for: a name, or a path."""
    duels: Standing
    """Against the other agents one by one, each counting alike."""
    common_table: Standing | None
    """At one table with all other agents, where there are as many agents as seats and more than two."""
    elo: Estimate


class Pair(_Figures):
    """One agent against one other; its mirror image is there as well."""

    agent: str
    opponent: str
    duel: Standing


class Evaluation(_Figures):
    """What a tournament has shown: see `training.evaluate.evaluate`."""

    figures_version: int = FIGURES_VERSION
    ruleset: str
    num_players: int
    options: dict[str, Any]
    match: bool
    deals: int
    seed: int
    tables: int
    """Played in all: deals times seatings."""
    agents: tuple[AgentFigures, ...]
    """In the order in which they were given."""
    pairs: tuple[Pair, ...]
    """Every ordered pair of two agents."""
    confidence: float = CONFIDENCE
    method: tuple[str, ...] = METHOD
    versions: dict[str, str]
    command: str

    def agent(self, name: str) -> AgentFigures:
        """The figures of an agent.

        Raises:
            ValueError: if no agent has that name.
        """
        for agent in self.agents:
            if agent.name == name:
                return agent
        raise ValueError(f"expected an agent of {', '.join(agent.name for agent in self.agents)}, got {name!r}")

    def pair(self, agent: str, opponent: str) -> Pair:
        """The duel of two agents, seen by the first.

        Raises:
            ValueError: if they are not two agents of this evaluation.
        """
        self.agent(agent), self.agent(opponent)
        for pair in self.pairs:
            if (pair.agent, pair.opponent) == (agent, opponent):
                return pair
        raise ValueError(f"expected two agents, got {agent!r} twice")

    def beats(self, agent: str, opponent: str) -> bool:
        """Whether the first makes more points a round than the second, with the whole interval above zero.

        Raises:
            ValueError: if they are not two agents of this evaluation.
        """
        return self.pair(agent, opponent).duel.points.low > 0

    def ranked(self) -> list[AgentFigures]:
        """The agents, most points a round first."""
        return sorted(self.agents, key=lambda agent: -agent.duels.points.value)

    def to_json(self) -> dict[str, Any]:
        """All figures, ready for `json.dump`; `from_json` reads them."""
        return self.model_dump(mode="json")

    @classmethod
    def from_json(cls, figures: Mapping[str, Any]) -> Evaluation:
        """An evaluation that was written by `to_json`.

        Raises:
            ValueError: for figures of another shape.
        """
        try:
            return cls.model_validate(dict(figures))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise ValueError(f"expected the figures of an evaluation, got {where}: {first['msg']}") from None

    def save_picture(self, path: str | os.PathLike[str]) -> None:
        """Write a picture: points a round with their intervals, and who beats whom.

        Raises:
            ValueError: for a path that ends in neither .png nor .svg.
        """
        from training import picture  # matplotlib takes longer to import than most evaluations to play

        picture.save(self, Path(path))

    @property
    def title(self) -> str:
        """What was played, in a line."""
        options = "".join(f", {name}={value}" for name, value in self.options.items())
        what = "matches" if self.match else "rounds"
        return f"{self.ruleset}, {self.num_players} players{options}: {what} on {self.deals} deals, seed {self.seed}"

    @property
    def caption(self) -> str:
        """How to read the figures, in short."""
        against = "the other seat's" if self.num_players == 2 else "the mean of the others'"
        return (
            f"points a round: the agent's score less {against}; ± {CONFIDENCE:.0%} interval, clustered by deal; "
            f"rounds won by a seat, even is {1 / self.num_players:.0%}"
        )

    def table(self) -> RenderableType:
        """Everything for the terminal: the agents, who beats whom, and the common table."""
        parts: list[RenderableType] = [self._agents_table(), self._pairs_table()]
        if all(agent.common_table is not None for agent in self.agents):
            parts.append(self._common_table())
        return Group(*parts, Text(self.caption, style="dim"))

    def _agents_table(self) -> Table:
        columns = ("Elo", *self._standing_columns(), "rummy\n%", "void\n%", "turns\na round")
        table = _table(self.title, "agent", *columns)
        for agent in self.ranked():
            duels = agent.duels
            rummies = "—" if duels.rummies is None else f"{100 * duels.rummies.value:.1f}"
            rest = rummies, f"{100 * duels.voids.value:.1f}", f"{duels.turns.value:.1f}"
            table.add_row(escape(agent.name), _signed(agent.elo, 0), *_standing_cells(duels), *rest)
        return table

    def _pairs_table(self) -> Table:
        ranked = [agent.name for agent in self.ranked()]
        table = _table("Points a round of the row's agent against the column's", "", *map(escape, ranked))
        for agent in ranked:
            cells = [
                Text("·", style="dim") if agent == opponent else _coloured(self.pair(agent, opponent).duel.points)
                for opponent in ranked
            ]
            table.add_row(escape(agent), *cells)
        return table

    def _common_table(self) -> Table:
        table = _table("All at one table, in every order", "agent", *self._standing_columns())
        for agent in self.ranked():
            if agent.common_table is not None:
                table.add_row(escape(agent.name), *_standing_cells(agent.common_table))
        return table

    def _standing_columns(self) -> tuple[str, ...]:
        columns = "points\na round", "rounds\nwon %"
        return (*columns, "matches\nwon %") if self.match else columns


def _standing_cells(standing: Standing) -> list[str]:
    wins = [standing.round_wins, standing.match_wins]
    return [_signed(standing.points, 2), *(_percent(share) for share in wins if share is not None)]


def _table(title: str, first: str, *others: str) -> Table:
    columns = [
        Column(first, style="bold", no_wrap=True),
        *(Column(name, justify="right", no_wrap=True) for name in others),
    ]
    style: dict[str, Any] = {"title_justify": "left", "title_style": "bold", "box": box.SIMPLE_HEAD}
    return Table(*columns, title=title, collapse_padding=True, pad_edge=False, **style)


def _signed(estimate: Estimate, digits: int) -> str:
    return f"{estimate.value:+.{digits}f} ±{estimate.margin:.{digits}f}"


def _percent(estimate: Estimate) -> str:
    return f"{100 * estimate.value:.1f} ±{100 * estimate.margin:.1f}"


def _coloured(estimate: Estimate) -> Text:
    return Text(_signed(estimate, 2), style={1: "green", 0: "", -1: "red"}[estimate.side])
