"""The `rummy` command.

Bad input of any kind ends with one line on stderr that says what was expected and what came, and exit code 2.
A traceback is a bug of ours. What a command needs is imported inside it, so that `rummy --help` is quick and
playing needs no torch.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130

# Modules that an extra brings, by the extra that a user has to install.
_EXTRAS = {
    "matplotlib": "train",
    "onnx": "train",
    "onnxscript": "train",
    "sb3_contrib": "train",
    "scipy": "train",
    "stable_baselines3": "train",
    "tensorboard": "train",
    "torch": "train",
    "ray": "rllib",
    "pyspiel": "bench",
    "rlcard": "bench",
    "platformdirs": "game",
    "segno": "game",
    "starlette": "game",
    "uvicorn": "game",
    "websockets": "game",
}


class BadInput(ValueError):
    """What the user typed cannot be meant; the text says what was expected."""


def _nearest(got: str, valid: Sequence[str]) -> str:
    """``"; did you mean 'easy'?"``, or nothing if no valid word is near."""
    near = difflib.get_close_matches(got, valid, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


class _Parser(argparse.ArgumentParser):
    """argparse whose errors are one line of ours instead of a usage text and a line of its own."""

    def error(self, message: str) -> NoReturn:
        if match := re.fullmatch(r"the following arguments are required: (.*)", message):
            message = f"expected {match[1]}, got nothing for it"
        elif match := re.fullmatch(r"argument (\S+): expected (.*)", message):
            message = f"{match[1]}: expected {match[2]}"
        elif match := re.fullmatch(r"argument (\S+): (.*)", message):
            message = f"{match[1]}: {match[2]}"
        raise BadInput(message)

    def options(self) -> list[str]:
        return [option for action in self._actions for option in action.option_strings]


def _whole(low: int, high: int | None = None) -> Callable[[str], int]:
    """Type of an argument: a whole number from ``low`` to ``high``."""
    wanted = f"a whole number of at least {low}" if high is None else f"a whole number from {low} to {high}"

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = low - 1
        if number < low or (high is not None and number > high):
            raise argparse.ArgumentTypeError(f"expected {wanted}, got {text!r}")
        return number

    return read


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 3600:
        raise argparse.ArgumentTypeError(f"expected seconds from 0 to 3600, got {text!r}")
    return seconds


def _host_name(text: str) -> str:
    """Type of an argument: the name of a host, without a scheme or a port."""
    if not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", text):
        raise argparse.ArgumentTypeError(f"expected a host's name, like rummy.example.org, got {text!r}")
    return text


def _names(text: str) -> list[str]:
    """Type of an argument: names separated by commas."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise argparse.ArgumentTypeError(f"expected names separated by commas, like hard,normal, got {text!r}")
    return names


def _option(text: str) -> tuple[str, int | float | bool | str]:
    """Type of an argument: ``opening=51``, an option of the ruleset."""
    name, equals, value = text.partition("=")
    if not (equals and name.strip() and value.strip()):
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, like opening=51, got {text!r}")
    return name.strip(), _value(value.strip())


def _value(text: str) -> int | float | bool | str:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def _file(text: str) -> Path:
    """Type of an argument: a file that is there."""
    path = Path(text)
    if path.is_dir() or not path.exists():  # a pipe will do, as of `rummy replay <(…)`
        raise argparse.ArgumentTypeError(f"expected a file, got {text!r}, {_what_is(path)}")
    return path


def _folder(text: str) -> Path:
    """Type of an argument: a folder that is there."""
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"expected a folder, got {text!r}, {_what_is(path)}")
    return path


def _target(text: str) -> Path:
    """Type of an argument: a file to be written. Refused before an hour of work rather than after it."""
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir():
        reason = "which is a folder" if path.is_dir() else f"and there is no folder {str(path.parent)!r}"
        raise argparse.ArgumentTypeError(f"expected a file to write, got {text!r}, {reason}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"expected a file to write, got {text!r}, which may not be written")
    return path


def _what_is(path: Path) -> str:
    if path.is_dir():
        return "which is a folder"
    return "which is a file" if path.exists() else "which does not exist"


def _config(text: str) -> Path:
    """Type of an argument: a training configuration, by path or by the name of one that comes with the project."""
    if Path(text).is_file():
        return Path(text)
    here = Path(__file__).parent
    # In a checkout the configurations lie in configs/, in an installed package beside the trainer.
    folders = (here / "configs" / "train", here / "training" / "configs" / "train")
    shipped = {path.stem: path for folder in folders for path in sorted(folder.glob("*.yaml"))}
    if (path := shipped.get(Path(text).stem)) and text in (path.stem, f"configs/train/{path.name}"):
        return path
    names = ", ".join(shipped) or "none"
    hint = _nearest(Path(text).stem, list(shipped))
    raise argparse.ArgumentTypeError(
        f"expected a YAML file or the name of a shipped configuration ({names}), got {text!r}{hint}"
    )


def _add_table(parser: _Parser, *, players: int | None) -> None:
    """The arguments that say which game is played."""
    parser.add_argument("--ruleset", default="straight", metavar="R", help="straight (default), rami, indian or gin")
    parser.add_argument("--players", type=_whole(2, 10), default=players, metavar="N", help="players, 2 by default")
    parser.add_argument(
        "--option", type=_option, action="append", default=[], metavar="NAME=VALUE",
        help="an option of the ruleset, like max_turns=50; can be given several times",
    )  # fmt: skip


def _options(args: argparse.Namespace) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for name, value in args.option:
        if name == "num_players":
            raise BadInput(f"--option: expected the number of players as --players {value}, got num_players={value}")
        if name in options:
            raise BadInput(f"--option: expected {name} once, got it twice")
        options[name] = value
    return options


def _add_json(parser: _Parser) -> None:
    parser.add_argument("--json", type=_target, metavar="FILE", help="write the figures as JSON too")


def _add_language(parser: _Parser) -> None:
    parser.add_argument("--lang", type=_language, metavar="L", help="en or ko; that of the system by default")


def _language(text: str) -> str:
    """Type of an argument: a language that the game speaks."""
    from game.messages import LANGUAGES

    if text not in LANGUAGES:
        raise argparse.ArgumentTypeError(f"expected one of {', '.join(LANGUAGES)}, got {text!r}")
    return text


# ------------------------------------------------------------------------------------------------ rummy play


def _play_arguments(parser: _Parser) -> None:
    _add_table(parser, players=None)
    parser.set_defaults(ruleset=None)  # to tell whether it was given: a saved game has its own
    parser.add_argument(
        "--bots", type=_names, metavar="A,B",
        help="the other players: one for all or one each; names (random, easy, normal, hard, expert, trained; gin: "
        "simple) or paths of exported policies; hard by default",
    )  # fmt: skip
    parser.add_argument("--seed", type=_whole(0), metavar="S", help="deal the same cards as the last time")
    parser.add_argument("--resume", type=_file, metavar="FILE", help="go on with a saved game")
    parser.add_argument("--terminal", action="store_true", help="play in the terminal instead of the web page")
    page = parser.add_argument_group("the web page")
    page.add_argument("--host", metavar="H", help="address to listen at, 127.0.0.1 by default; 0.0.0.0 for phones")
    page.add_argument("--port", type=_whole(0, 65535), metavar="P", help="port, 8777 by default; 0: any free one")
    page.add_argument("--store", type=Path, metavar="FILE", help="where rooms are kept, an SQLite file")
    page.add_argument(
        "--name", action="append", type=_host_name, metavar="N", help="a name of this server behind a proxy; repeatable"
    )
    page.add_argument("--pause", type=_seconds, metavar="SECONDS", help="what computers take for a move, about 1")
    page.add_argument("--no-browser", action="store_true", help="open no browser")
    _add_language(parser)


_OF_TERMINAL = ("seed", "resume", "option")
_OF_PAGE = ("host", "port", "store", "name", "pause", "no_browser")


def _play(args: argparse.Namespace) -> None:
    _check_resume(args)
    ruleset = args.ruleset or "straight"
    num_players = args.players or max(2, len(args.bots or ()) + 1)
    bots = args.bots or ["hard"]
    if len(bots) not in (1, num_players - 1):
        wanted = "1" if num_players == 2 else f"1 or {num_players - 1}"
        raise BadInput(f"--bots: expected {wanted} for {num_players} players, got {len(bots)}")
    bots = bots if len(bots) == num_players - 1 else bots * (num_players - 1)
    options = _options(args)

    from rummy_env import Rules

    Rules.preset(ruleset, num_players=num_players, **options)  # refuses before anything is loaded or drawn

    for name in _OF_PAGE if args.terminal else _OF_TERMINAL:
        if getattr(args, name) not in (None, [], False):
            wanted = "no --terminal with it" if args.terminal else "--terminal with it"
            raise BadInput(f"--{name.replace('_', '-')}: expected {wanted}")
    if not args.terminal:
        asked = args.ruleset is not None or args.players is not None or args.bots is not None
        _play_page(args, {"ruleset": ruleset, "computers": _levels(bots)} if asked else {})
        return

    from game import terminal

    terminal.play(
        ruleset=ruleset,
        num_players=num_players,
        bots=bots,
        seed=args.seed,
        resume=args.resume,
        options=options,
        lang=args.lang,
    )


def _play_page(args: argparse.Namespace, proposed: dict[str, str]) -> None:
    """Serve the page. ``proposed``: the game that it offers first."""
    if args.store is not None and (args.store.is_dir() or not args.store.parent.is_dir()):
        raise BadInput(f"--store: expected a file in a folder that is there, got {str(args.store)!r}")

    from urllib.parse import urlencode

    from game import hosting
    from game.rooms import Timing
    from game.server import Options

    timing = Timing() if args.pause is None else Timing(pause=(0.7 * args.pause, 1.3 * args.pause))
    hosting.serve(
        Options(store=args.store or hosting.data_file(), hosts=args.name or (), timing=timing),
        host=args.host or hosting.LOCAL,
        port=args.port,
        browser=not args.no_browser,
        lang=args.lang,
        path=f"/?{urlencode(proposed)}" if proposed else "/",
    )


def _levels(bots: list[str]) -> str:
    """The levels of the computers in a page's address."""
    from game.players import LEVELS

    levels = ["hard" if bot == "trained" else bot for bot in bots]
    for level in levels:
        if level not in LEVELS:
            raise BadInput(f"--bots: expected levels of {', '.join(LEVELS)}, or --terminal, got {level!r}")
    return ",".join(levels)


def _check_resume(args: argparse.Namespace) -> None:
    """Refuse what a saved game has already settled."""
    settled = ("ruleset", "players", "bots", "seed", "option")
    given = [name for name in settled if getattr(args, name) not in (None, [])]
    if args.resume is not None and given:
        raise BadInput(f"--resume: expected no --{given[0]} with it, the saved game has its own")


# ----------------------------------------------------------------------------------------------- rummy train


def _train_arguments(parser: _Parser) -> None:
    parser.add_argument(
        "--config", type=_config, required=True, metavar="FILE", help="configs/train/NAME.yaml, or just NAME"
    )
    parser.add_argument("--resume", type=_folder, metavar="RUN", help="go on with a run from its last checkpoint")
    parser.add_argument("--runs-dir", type=Path, default=Path("runs"), metavar="DIR", help="where runs go: runs/")
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="change a value of the configuration")


def _train(args: argparse.Namespace) -> None:
    for override in args.overrides:
        _check_override(override)
    if args.runs_dir.exists() and not args.runs_dir.is_dir():
        raise BadInput(f"--runs-dir: expected a folder, got {str(args.runs_dir)!r}, which is a file")

    from training import ppo

    run = ppo.train(args.config, args.overrides, args.resume, args.runs_dir)
    print(f"Run: {run}")
    print(f"Export it with: rummy export {run} {run / 'policy'}")


def _check_override(text: str) -> None:
    name, equals, _ = text.partition("=")
    if not (equals and name.strip()):
        raise BadInput(f"expected key=value, like seed=7, got {text!r}")


# -------------------------------------------------------------------------------------------- rummy evaluate


def _evaluate_arguments(parser: _Parser) -> None:
    _add_table(parser, players=2)
    parser.add_argument(
        "--agents", nargs="+", required=True, metavar="A",
        help="two or more: names (random, easy, normal, hard, expert, trained; gin: simple) or paths of "
        "exported policies",
    )  # fmt: skip
    parser.add_argument("--deals", type=_whole(2), default=1000, metavar="D", help="deals a pairing, 1000 by default")
    parser.add_argument("--seed", type=_whole(0), default=0, metavar="S", help="seed of the deals, 0 by default")
    parser.add_argument("--match", action="store_true", help="whole matches to the target instead of single rounds")
    parser.add_argument("--workers", type=_whole(1, 1024), metavar="W", help="threads; one a core by default")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    _add_json(parser)
    parser.add_argument("--picture", type=_target, metavar="FILE", help="write a picture, PNG or SVG")


def _evaluate(args: argparse.Namespace) -> None:
    if len(args.agents) < 2:
        raise BadInput(f"--agents: expected two or more, got {args.agents[0]!r} alone")
    if args.picture and args.picture.suffix.lower() not in (".png", ".svg"):
        raise BadInput(f"--picture: expected a name that ends in .png or .svg, got {str(args.picture)!r}")
    options = _options(args)

    from rummy_env import Rules

    Rules.preset(args.ruleset, num_players=args.players, **options)

    from training import evaluate

    result = evaluate.evaluate(
        args.ruleset,
        args.players,
        args.agents,
        deals=args.deals,
        seed=args.seed,
        options=options,
        workers=args.workers,
        match=args.match,
        progress=not args.no_progress,
    )

    _print_whole(result.table())
    if args.json:
        _write_json(args.json, result.to_json())
    if args.picture:
        result.save_picture(args.picture)


def _print_whole(table: Any) -> None:
    """Print tables in a terminal; one too narrow for them breaks their lines, but no name and no figure is cut."""
    from rich.console import Console, Group
    from rich.measure import Measurement
    from rich.table import Table

    console = Console()
    parts = table.renderables if isinstance(table, Group) else [table]
    wide = console.options.update(width=1000)
    widths = [Measurement.get(console, wide, part).maximum for part in parts if isinstance(part, Table)]
    console.width = max(console.width, *widths)
    console.print(table)


def _write_json(path: Path, figures: Any) -> None:
    from game.session import write_whole

    text = (figures if isinstance(figures, str) else json.dumps(figures, indent=2)).rstrip("\n") + "\n"
    if path.exists() and not path.is_file():  # a pipe, a terminal
        path.write_text(text, encoding="utf-8")
    else:
        write_whole(path, text)


# ---------------------------------------------------------------------------------------------- rummy export


def _export_arguments(parser: _Parser) -> None:
    parser.add_argument("run", nargs="?", type=_folder, metavar="RUN", help="folder of a training run")
    parser.add_argument("out", nargs="?", type=Path, metavar="OUT", help="where the policy goes")
    parser.add_argument("--check", type=Path, metavar="POLICY", help="check an exported policy instead of making one")


def _export(args: argparse.Namespace) -> None:
    if args.check is not None:
        if args.run is not None:
            raise BadInput(f"expected RUN OUT or --check POLICY, got both: {str(args.run)!r} and --check")
        if not args.check.exists():
            raise BadInput(f"--check: expected an exported policy, got {str(args.check)!r}, which does not exist")
    elif args.out is None:
        got = "nothing" if args.run is None else f"{str(args.run)!r} alone"
        raise BadInput(f"expected RUN OUT or --check POLICY, got {got}")

    from training import export

    if args.check is not None:
        export.check(args.check)
        print(f"{args.check}: as it should be")
    else:
        policy = export.export(args.run, args.out)
        print(f"Policy: {policy}")
        print(f"Play against it with: rummy play --bots {policy}")


# ---------------------------------------------------------------------------------------------- rummy replay


def _replay_arguments(parser: _Parser) -> None:
    parser.add_argument(
        "file", type=_file, metavar="FILE", help="a record, as text or JSON, or a gin log of Arkadium's"
    )
    parser.add_argument("--step", action="store_true", help="wait for Enter after every turn")
    parser.add_argument("--delay", type=_seconds, default=0.0, metavar="SECONDS", help="wait after every turn")
    parser.add_argument("--web", action="store_true", help="in the browser, step by step")
    parser.add_argument("--port", type=_whole(0, 65535), metavar="P", help="port of --web, any free one by default")
    parser.add_argument("--no-browser", action="store_true", help="with --web: open no browser")
    _add_language(parser)


def _replay(args: argparse.Namespace) -> None:
    from rummy_env import record

    if args.web and (args.step or args.delay):
        raise BadInput(f"--{'step' if args.step else 'delay'}: expected no --web with it")
    if not args.web and (args.port is not None or args.no_browser):
        raise BadInput(f"--{'no-browser' if args.no_browser else 'port'}: expected --web with it")
    games = record.read_all(args.file.read_text(encoding="utf-8"))
    if args.web:
        from game import hosting

        hosting.serve_replay(games, lang=args.lang, port=args.port, browser=not args.no_browser)
        return

    from game import replay

    replay.show(games, lang=args.lang, step=args.step, delay=args.delay)


# ----------------------------------------------------------------------------------------------- rummy bench


def _bench_arguments(parser: _Parser) -> None:
    _add_json(parser)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, in seconds rather than minutes")
    parser.add_argument("--ruleset", metavar="RULESET", default="straight", help="which game is measured")


def _bench(args: argparse.Namespace) -> None:
    from benchmarks import bench

    bench.main(json=args.json, quick=args.quick, ruleset=args.ruleset)


# ------------------------------------------------------------------------------------------------------ main


@dataclass(frozen=True, slots=True)
class _Command:
    does: str
    example: str
    arguments: Callable[[_Parser], None]
    run: Callable[[argparse.Namespace], None]


_COMMANDS = {
    "play": _Command(
        "play against computers and people, in the browser or in the terminal",
        "rummy play --host 0.0.0.0\n  rummy play --players 3 --bots hard,normal --terminal",
        _play_arguments,
        _play,
    ),
    "train": _Command(
        "train a policy",
        "rummy train --config configs/train/straight_quick.yaml seed=7",
        _train_arguments,
        _train,
    ),
    "evaluate": _Command(
        "a tournament on duplicate deals, every pairing in all seats",
        "rummy evaluate --agents trained hard normal --deals 2000 --json figures.json --picture table.png",
        _evaluate_arguments,
        _evaluate,
    ),
    "export": _Command(
        "make the policy that the game loads from a training run",
        "rummy export runs/straight_quick-1 policies/mine && rummy export --check policies/mine",
        _export_arguments,
        _export,
    ),
    "replay": _Command(
        "show a recorded game turn by turn",
        "rummy replay game.txt --step",
        _replay_arguments,
        _replay,
    ),
    "bench": _Command(
        "environment and training speed on this machine",
        "rummy bench --json speed.json",
        _bench_arguments,
        _bench,
    ),
}


def _help() -> str:
    width = max(map(len, _COMMANDS))
    lines = [f"  {name:{width}}  {command.does}" for name, command in _COMMANDS.items()]
    return "\n".join(
        ["usage: rummy COMMAND …", "", *lines, "", "rummy COMMAND --help says more about one.", "rummy --version"]
    )


def _version() -> str:
    from importlib import metadata

    try:
        return metadata.version("rummy-env")
    except metadata.PackageNotFoundError:
        return "(not installed)"


def _parse(name: str, argv: list[str]) -> argparse.Namespace:
    command = _COMMANDS[name]
    parser = _Parser(
        prog=f"rummy {name}",
        description=command.does,
        epilog=f"example:\n  {command.example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.arguments(parser)
    args, unknown = parser.parse_known_intermixed_args(argv)
    if unknown:
        got = unknown[0].partition("=")[0]
        kind = "an option" if got.startswith("-") else "no more arguments"
        raise BadInput(f"expected {kind} of `rummy {name} --help`, got {got!r}{_nearest(got, parser.options())}")
    return args


def _one_line(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        where = f"{str(error.filename)!r}: " if error.filename is not None else ""
        return where + error.strerror
    return " ".join(str(error).split()) or type(error).__name__


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    argv = list(sys.argv[1:] if argv is None else argv)
    name, rest = (argv[0], argv[1:]) if argv else ("", [])
    who = f"rummy {name}" if name in _COMMANDS else "rummy"
    if sys.stdin is None:  # closed, as by `<&-`: nothing to read is what an empty input says too
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - open as long as the program runs
    try:
        if name in ("-h", "--help"):
            print(_help())
        elif name == "--version":
            print(f"rummy {_version()}")
        elif name in _COMMANDS:
            _COMMANDS[name].run(_parse(name, rest))
        else:
            got = repr(name) if name else "none"
            raise BadInput(f"expected a command ({', '.join(_COMMANDS)}), got {got}{_nearest(name, list(_COMMANDS))}")
    except SystemExit as stop:  # argparse after --help
        return stop.code if isinstance(stop.code, int) else EXIT_FAILED
    except KeyboardInterrupt:
        return _fail(who, "interrupted", EXIT_INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has gone, as in `rummy replay game.txt | head`: nobody to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FAILED
    except EOFError:
        return _fail(who, "expected an answer, got the end of the input", EXIT_BAD_INPUT)
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if module not in _EXTRAS:
            raise
        extra = _EXTRAS[module]
        return _fail(
            who,
            f"expected the extra {extra!r}, got no module {module!r}: pip install 'rummy-env[{extra}]'",
            EXIT_BAD_INPUT,
        )
    except (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError) as error:
        return _fail(who, _one_line(error), EXIT_BAD_INPUT)
    except UnicodeDecodeError as error:
        return _fail(who, f"expected text in UTF-8, got {_one_line(error)}", EXIT_BAD_INPUT)
    except OSError as error:  # a full disk, a port in use: not the fault of what was typed
        return _fail(who, _one_line(error), EXIT_FAILED)
    except ValueError as error:
        return _fail(who, _one_line(error), EXIT_BAD_INPUT)
    return EXIT_OK


def _fail(who: str, line: str, code: int) -> int:
    if os.environ.get("RUMMY_DEBUG") and sys.exc_info()[1] is not None:
        raise  # the exception that main is handling
    print(f"{who}: {line}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
