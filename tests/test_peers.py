"""The peers really play their games, and see what their own packages say that they see."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks import peers


def test_measure_gives_a_figure_for_every_peer_that_is_installed() -> None:
    pytest.importorskip("pyspiel")
    pytest.importorskip("rlcard")
    result = peers.measure(seconds=0.05, seed=1)
    assert list(result) == list(peers.PEERS)
    for name, peer in result.items():
        assert peer.name == name
        assert not peer.missing
        assert peer.version
        assert peer.decisions > 0
        assert peer.decisions_per_second > 1000
        assert peer.times(2 * peer.decisions_per_second) == 2


def test_openspiel_observation_and_mask_are_those_of_the_last_decision() -> None:
    pytest.importorskip("pyspiel")
    player = peers.OpenSpiel(seed=3)
    for _ in range(20):
        num_decisions = player.play()
        assert player.state.is_terminal()
        history = player.state.full_history()
        assert sum(step.player >= 0 for step in history) == num_decisions
        state = player.root.clone()
        for step in history[:-1]:
            state.apply_action_with_legality_check(step.action)
        seat = state.current_player()
        assert seat >= 0
        np.testing.assert_array_equal(player.observation, state.observation_tensor(seat))
        np.testing.assert_array_equal(player.mask, state.legal_actions_mask())


def test_openspiel_bots_decisions_are_counted_without_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspiel")
    player = peers.OpenSpielBlind(seed=3)
    evaluate_bots, states = player._evaluate_bots, []

    def watch(state, bots, seed):
        states.append(state)
        return evaluate_bots(state, bots, seed)

    monkeypatch.setattr(player, "_evaluate_bots", watch)
    for _ in range(20):
        num_decisions = player.play()
        assert num_decisions == sum(step.player >= 0 for step in states[-1].full_history())
    assert len({tuple(state.history()) for state in states}) == 20


def test_rlcard_below_its_environment_plays_and_sees_the_same() -> None:
    pytest.importorskip("rlcard")
    shipped, direct = peers.RLCard(seed=5), peers.RLCardDirect(seed=5)
    step, seen = direct.game.step, []

    def watch(action):
        seen.append((direct.observation.copy(), direct.legal, action.action_id))
        return step(action)

    direct.game.step = watch
    env_step, expected = shipped.env.step, []

    def env_watch(action):
        expected.append((shipped.observation, list(shipped.legal), action))
        return env_step(action)

    shipped.env.step = env_watch
    for _ in range(5):
        assert shipped.play() == direct.play()
    assert len(seen) == len(expected)
    for (observation, legal, action), (shipped_observation, shipped_legal, shipped_action) in zip(
        seen, expected, strict=True
    ):
        assert (legal, action) == (shipped_legal, shipped_action)
        np.testing.assert_array_equal(observation, shipped_observation)


def test_a_missing_package_is_an_entry_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(distribution: str) -> str:
        raise peers.PackageNotFoundError(distribution)

    monkeypatch.setattr(peers, "version", nothing)
    result = peers.measure(seconds=0.01)
    assert list(result) == list(peers.PEERS)
    for peer in result.values():
        assert "pip install rummy-env[bench]" in peer.missing
        assert peer.times(1e6) is None


def test_a_package_that_breaks_is_an_entry_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(seed: int) -> peers.Player:
        raise ImportError("no such symbol")

    monkeypatch.setattr(peers, "version", lambda distribution: "1.0")
    monkeypatch.setattr(peers, "PEERS", {"rlcard": ("rlcard", "gin-rummy", broken, "")})
    assert peers.measure(seconds=0.01)["rlcard"].missing == "rlcard does not start: ImportError: no such symbol"


def test_command_prints_a_table_and_writes_json(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "peers.json"
    peers.main(["--seconds", "0.02", "--json", str(path)])
    assert "openspiel_blind" in capsys.readouterr().out
    figures = json.loads(path.read_text(encoding="utf-8"))
    assert list(figures) == list(peers.PEERS)
    assert set(figures["rlcard"]) >= {"version", "decisions", "decisions_per_second", "how", "missing"}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--seconds", "0"], "seconds must be a positive number"),
        (["--seconds", "nan"], "seconds must be a positive number"),
        (["--seed", "-1"], "seed must be at least 0"),
        (["--json", "no/such/folder/peers.json"], "there is no folder"),
    ],
)
def test_command_refuses_bad_input(arguments, reason, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        peers.main(arguments)
    assert stop.value.code == 2
    assert reason in capsys.readouterr().err
