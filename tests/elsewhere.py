"""The same program in another process: what it prints must not depend on where it runs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from rummy_env.core.kernel import JIT

everywhere = pytest.mark.parametrize(
    "environment",
    [{"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2", "NUMBA_DISABLE_JIT": "1" if JIT else "0"}],
    ids=["another process", "the other way of running the kernels"],
)


def check_prints_the_same(program: str, environment: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """Run a program here and in a process with more variables of the environment."""
    exec(compile(program, "program", "exec"), {})
    here = capsys.readouterr().out
    there = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | environment, capture_output=True, text=True, check=True
    ).stdout
    assert here == there
