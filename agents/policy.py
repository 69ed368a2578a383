"""Trained policies: a folder with a network and what must be known to play it right.

    policy.onnx     observations (K, W) float32 to logits (K, A) float32; the mask is applied here, not there
    manifest.json   for which game it was made, of which tables of fields and actions, how well it plays (`MANIFEST`)
    parity.npz      observations from real play with the logits that the network must give

onnxruntime plays it; torch is not needed. `training.export` writes such folders.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents.agent import View
from rummy_env.actions import ACTION_TABLE_VERSION, num_actions
from rummy_env.fields import FIELD_TABLE_VERSION, observation_size
from rummy_env.rules import Rules

NETWORK_FILE: Final = "policy.onnx"
MANIFEST_FILE: Final = "manifest.json"
PARITY_FILE: Final = "parity.npz"
FILES: Final = (NETWORK_FILE, MANIFEST_FILE, PARITY_FILE)

FORMAT: Final = 1
"""Raised when folders of this kind change their make-up."""

SHIPPED: Final = Path(__file__).parent / "policies"
"""Policies that come with the package, ``<ruleset>-<players>`` each."""

OPTIONS_OF_A_MATCH: Final = ("target", "first_dealer", "void_moves_deal", "max_rounds")
"""Options of a match that change nothing about how a round is played: a policy need not be made for them."""


def shipped(ruleset: str, num_players: int) -> Path:
    """Where the policy for a ruleset and a number of players is, if one was shipped."""
    return SHIPPED / f"{ruleset}-{num_players}"


def made_for(rules: Rules) -> dict[str, Any]:
    """What a manifest says of the game: all that must be the same for a policy to play it."""
    options = {name: value for name, value in rules.options().items() if name not in OPTIONS_OF_A_MATCH}
    del options["num_players"]
    return {
        "ruleset": rules.ruleset,
        "num_players": rules.num_players,
        "options": options,
        "action_table_version": ACTION_TABLE_VERSION,
        "field_table_version": FIELD_TABLE_VERSION,
        "observation_size": observation_size(rules.ruleset, rules.num_players),
        "num_actions": num_actions(rules.ruleset),
    }


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of an exported policy, whose files must all be there and be the ones that it describes.

    Raises:
        ValueError: for a folder that is no whole policy, saying what is missing or wrong.
    """
    if not folder.is_dir():
        raise ValueError(f"expected the folder of an exported policy, got {str(folder)!r}, which is none")
    for name in FILES:
        if not (folder / name).is_file():
            raise ValueError(f"{folder}: expected an exported policy with {', '.join(FILES)}, got no {name}")
    try:
        manifest = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f"{folder / MANIFEST_FILE}: expected JSON, got {error}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        found = manifest.get("format") if isinstance(manifest, dict) else manifest
        raise ValueError(f"{folder / MANIFEST_FILE}: expected a manifest of format {FORMAT}, got {found!r}")
    digest = hashlib.sha256((folder / NETWORK_FILE).read_bytes()).hexdigest()
    if manifest.get("sha256") != digest:
        raise ValueError(
            f"{folder / NETWORK_FILE}: expected the network with sha256 {manifest.get('sha256')}, "
            f"got {digest}: it was changed or cut off"
        )
    return manifest


def check_fit(folder: Path, manifest: dict[str, Any], rules: Rules) -> None:
    """Raises:
    ValueError: if a policy was made for another game, or for other tables of fields or actions; says what differs.
    """
    made = manifest.get("made_for")
    if not isinstance(made, dict):
        raise ValueError(f"{folder / MANIFEST_FILE}: expected the game under 'made_for', got {made!r}")
    differences = [
        f"{name} {_said(wanted)} (it was made for {_said(made.get(name))})"
        for name, wanted in made_for(rules).items()
        if made.get(name) != wanted
    ]
    if differences:
        raise ValueError(f"{folder}: expected a policy for {', '.join(differences)}")


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {one}" for name, one in value.items()) + "}" if value else "none"
    return str(value)


def open_network(folder: Path, num_threads: int = 1) -> Any:
    """The onnxruntime session of a policy.

    Raises:
        ValueError: for a file that onnxruntime cannot read.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = num_threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(
            (folder / NETWORK_FILE).read_bytes(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime has no common class of its errors
        reason = " ".join(str(error).split())
        raise ValueError(f"{folder / NETWORK_FILE}: expected an ONNX network, got {reason}") from None


class Policy:
    """A trained policy at one seat. Make one with `load`.

    It plays what it thinks best; with a ``temperature`` above 0 it draws an action by its chances at that temperature
    (1: as it was trained), with random numbers of its own.
    """

    def __init__(
        self, name: str, rules: Rules, session: Any, seed: int | None = None, temperature: float = 0.0
    ) -> None:
        self.name = name
        self.rules = rules
        self.temperature = temperature
        self._session = session
        (self._input,) = (given.name for given in session.get_inputs())
        self.reset(seed)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        rules: Rules,
        seed: int | None = None,
        temperature: float = 0.0,
        num_threads: int = 1,
        name: str | None = None,
    ) -> Policy:
        """The exported policy at ``path``, for games by ``rules``.

        Raises:
            ValueError: for a folder that is no whole policy or was made for another game or other tables, saying
                what differs; for a temperature below 0.
        """
        folder = Path(path)
        if not temperature >= 0:
            raise ValueError(f"temperature: expected a number from 0 on, got {temperature!r}")
        check_fit(folder, read_manifest(folder), rules)
        return cls(name or folder.name, rules, open_network(folder, num_threads), seed, temperature)

    def reset(self, seed: int | None = None) -> None:
        """Start its random numbers anew."""
        self._chance = np.random.default_rng(seed)

    def logits(self, observation: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """(K, W) observations to (K, A) float32, not masked."""
        logits: npt.NDArray[np.float32] = self._session.run(None, {self._input: observation.astype(np.float32)})[0]
        return logits

    def act(self, view: View) -> int:
        """The action of the seat whose view it is."""
        observation, mask = _rows(view)
        return int(self.act_batch(observation[None], mask[None])[0])

    def act_batch(self, observation: npt.NDArray[np.uint8], mask: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Many tables at once: (K, W) observations and (K, A) masks to (K,) actions."""
        logits = np.where(mask != 0, self.logits(observation), -np.inf)
        if self.temperature > 0:
            # The largest of logits with Gumbel noise is a draw by their softmax.
            logits = logits / self.temperature + self._chance.gumbel(size=logits.shape)
        return logits.argmax(1).astype(np.int64)

    def __repr__(self) -> str:
        return f"<{self.name}: {self.rules.ruleset}, {self.rules.num_players} players>"


def _rows(view: View) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int8]]:
    from rummy_env.view import View as FullView

    return FullView(view.rules, view.record).rows()


def TRAINED(rules: Rules, seed: int | None = None) -> Policy:
    """The shipped policy for these rules.

    Raises:
        ValueError: where none was shipped for the ruleset and number of players, or it was made for other options.
    """
    folder = shipped(rules.ruleset, rules.num_players)
    if not folder.is_dir():
        there = sorted(path.name for path in SHIPPED.glob("*-*")) if SHIPPED.is_dir() else []
        raise ValueError(
            f"expected a trained policy for {rules.ruleset} with {rules.num_players} players, got none: "
            f"there {'are' if len(there) > 1 else 'is'} {', '.join(there) or 'none at all'}"
        )
    return Policy.load(folder, rules, seed, name="trained")
