"""What an agent is: something that plays one seat, seeing only what that seat may know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from rummy_env.rules import Rules


class View(Protocol):
    """What one seat may know, as agents need it: `rummy_env.game.View`, or anything like it."""

    @property
    def record(self) -> npt.NDArray[np.void]:
        """An array of one `rummy_env.core.state.VIEW_DTYPE` record."""

    @property
    def rules(self) -> Rules: ...


@runtime_checkable
class Agent(Protocol):
    """A player of one seat, made for certain rules.

    Two things are optional, for speed:

    - ``decider``, a compiled function (`rummy_env.core.bot.decider`) which batches call without leaving their
      kernel;
    - ``act_batch(observation, mask) -> actions``, many tables at once: (N, W) observations and (N, A) masks as
      the environments give them, (N,) int64 action ids.
    """

    name: str

    def act(self, view: View) -> int:
        """A legal action id for the seat whose view it is, which must be to play."""

    def reset(self, seed: int | None = None) -> None:
        """Start the agent's own random numbers anew."""


class AgentFactory(Protocol):
    """What an entry point of the group ``rummy_env.opponents`` names: called, it makes an agent for the rules."""

    def __call__(self, rules: Rules, seed: int | None = None) -> Agent: ...


def decider_of(agent: Agent) -> Any | None:
    """The compiled function of an agent that has one, else None."""
    return getattr(agent, "decider", None)
