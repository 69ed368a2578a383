"""The picture of an evaluation: points a round with their intervals, and who beats whom."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

if TYPE_CHECKING:
    from training.figures import AgentFigures, Evaluation

FORMATS: Final = (".png", ".svg")

INK: Final = "#1f2933"
SOFT: Final = "#616e7c"
FAINT: Final = "#cbd2d9"
PAPER: Final = "#f5f7fa"
AHEAD: Final = "#2b6cb0"
BEHIND: Final = "#c05621"
# Blue and orange, told apart by every eye; level is paper.
SHADES: Final = LinearSegmentedColormap.from_list("behind, level, ahead", [BEHIND, PAPER, AHEAD])

STYLE: Final[dict[Any, Any]] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.parse_math": False,  # a $ in a path is a $
    "svg.hashsalt": "rummy",  # the same figures make the same file
}


def save(evaluation: Evaluation, path: Path) -> None:
    """Draw an evaluation into a file, which is whole or as it was before, whatever happens.

    Raises:
        OSError: if it cannot be written.
        ValueError: for a path that ends in neither .png nor .svg.
    """
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(f"expected a picture that ends in {' or '.join(FORMATS)}, got {str(path)!r}")
    with matplotlib.rc_context(STYLE):
        metadata = {"Date": None} if suffix == ".svg" else None
        figure = draw(evaluation)
        if path.exists() and not path.is_file():  # a pipe
            figure.savefig(path, format=suffix[1:], dpi=150, metadata=metadata)
            return
        # Whole or not there: first under another name beside it, then renamed.
        part = path.with_name(f".{path.name}.part")
        try:
            figure.savefig(part, format=suffix[1:], dpi=150, metadata=metadata)
            part.replace(path)
        except OSError as error:
            error.filename = str(path)  # not the other name, which nobody has heard of
            raise
        finally:
            part.unlink(missing_ok=True)


def draw(evaluation: Evaluation) -> Figure:
    """The picture as a matplotlib figure, on no screen."""
    ranked = evaluation.ranked()
    count = len(ranked)
    names_width = 0.09 * max(len(agent.name) for agent in ranked)
    bars_width, matrix_width = 4.8 + names_width, 0.9 * max(count, 3) + names_width
    layout = ConstrainedLayoutEngine(w_pad=0.15, h_pad=0.1, wspace=0.04)
    figure = Figure(figsize=(bars_width + matrix_width + 0.6, 2.5 + 0.6 * count), layout=layout)
    bars, matrix = figure.subplots(1, 2, width_ratios=[bars_width, matrix_width])
    _draw_bars(bars, ranked)
    _draw_matrix(matrix, evaluation, ranked)
    inches = figure.get_figwidth()
    title, caption = fill(evaluation.title, int(8 * inches)), fill(evaluation.caption, int(15 * inches))
    figure.suptitle(title, x=0.015, ha="left", fontsize=13, fontweight="bold")
    figure.supxlabel(caption, x=0.015, ha="left", fontsize=8, color=SOFT)
    return figure


def _draw_bars(axes: Axes, ranked: list[AgentFigures]) -> None:
    _title(axes, "Points a round\nagainst the others")
    axes.axvline(0, color=FAINT, linewidth=1.2)
    beside = axes.get_yaxis_transform()
    for row, agent in enumerate(ranked):
        points = agent.duels.points
        colour = AHEAD if points.value >= 0 else BEHIND
        axes.barh(row, points.value, height=0.5, color=colour, alpha=0.75)
        interval = [[points.value - points.low], [points.high - points.value]]
        axes.errorbar(points.value, row, xerr=interval, color=INK, linewidth=1.4, capsize=4)
        axes.text(1.02, row, f"{points.value:+.2f} ±{points.margin:.2f}", transform=beside, va="center")
    axes.set_yticks(range(len(ranked)), [agent.name for agent in ranked])
    axes.set_ylim(len(ranked) - 0.5, -0.5)
    axes.grid(axis="x", color=PAPER, linewidth=1.5)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _draw_matrix(axes: Axes, evaluation: Evaluation, ranked: list[AgentFigures]) -> None:
    names = [agent.name for agent in ranked]
    values = np.full((len(names), len(names)), np.nan)
    for row, agent in enumerate(names):
        for column, opponent in enumerate(names):
            if agent == opponent:
                continue
            duel = evaluation.pair(agent, opponent).duel
            wins = duel.match_wins or duel.round_wins
            values[row, column] = duel.points.value
            axes.text(column, row - 0.12, f"{duel.points.value:+.2f}", ha="center", va="center")
            axes.text(column, row + 0.22, f"{wins.value:.0%}", ha="center", va="center", fontsize=8)
    # Not the full depth of the shades: dark text has to be read on them.
    reach = 1.5 * max(float(np.nanmax(np.abs(values))), 1e-9)
    axes.imshow(values, cmap=SHADES, vmin=-reach, vmax=reach, aspect="auto")
    what = "matches" if evaluation.match else "rounds"
    _title(axes, f"Row against column:\npoints a round, {what} won")
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(names)), names)
    axes.xaxis.tick_top()
    edges = np.arange(len(names) + 1) - 0.5
    axes.set_xticks(edges, minor=True)
    axes.set_yticks(edges, minor=True)
    axes.grid(which="minor", color="white", linewidth=2.5)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)


def _title(axes: Axes, text: str) -> None:
    axes.set_title(text, loc="left", fontsize=11, pad=28, y=1.0)
