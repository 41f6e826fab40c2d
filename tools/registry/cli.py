# SPDX-License-Identifier: Apache-2.0
"""The command line. Exit 0 done, 1 not current (check) or not for devices in the field (diff), 2
refused with one line on stderr."""
import argparse
import functools
import os
import shlex
import sys
from typing import NoReturn

from . import diff, files
from .document import CompiledRegistry
from .errors import RegistryError, one_line


COMMANDS = ("compile", "check", "diff")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise RegistryError(f"{message} (see {self.prog} --help)")


def main(arguments: list[str]) -> int:
    try:
        _check_order(arguments)
        options = _parser().parse_args(arguments)
        status, report = options.run(options)
        print(one_line(report) if status else report, file=sys.stderr if status else sys.stdout)
        sys.stdout.flush()
        return status
    except RegistryError as error:
        print(one_line(str(error)), file=sys.stderr)
        return 2
    except OSError as error:
        # Standard output is closed or full; the interpreter must not try it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 0
        print(f"standard output: {files.os_reason(error)}", file=sys.stderr)
        return 2


def _check_order(arguments: list[str]) -> None:
    behind = [argument for argument in arguments[1:] if argument in COMMANDS]
    if behind and not arguments[0].startswith("-") and arguments[0] not in COMMANDS:
        raise RegistryError(f"the command comes first: sotto-registry {behind[0]} ...")


@functools.cache
def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="sotto-registry", description="Compiles metrics.toml into tables.", allow_abbrev=False
    )
    commands = parser.add_subparsers(metavar="command", required=True)
    for name, run, text in (
        ("compile", _compile, "write metrics.h, metrics.c and metrics.json"),
        ("check", _check, "exit 0 if the three files are current, 1 if not"),
    ):
        command = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        command.add_argument("registry", metavar="metrics.toml")
        command.add_argument("--out", metavar="DIR", required=True, help="where the files are")
        command.set_defaults(run=run)
    text = "say what a change does"
    command = commands.add_parser("diff", help=text, description=text, allow_abbrev=False)
    command.add_argument("old", metavar="OLD", help="metrics.json or metrics.toml")
    command.add_argument("new", metavar="NEW", help="metrics.json or metrics.toml")
    command.set_defaults(run=_diff)
    return parser


def _compiled(options: argparse.Namespace) -> tuple[CompiledRegistry, str, dict[str, bytes]]:
    compiled = files.compile_file(options.registry)
    head = compiled.document["registry"]
    title = f"{head['name']} version {head['version']}, fingerprint {head['fingerprint']}"
    return compiled, title, files.outputs(compiled, os.path.basename(options.registry))


def _compile(options: argparse.Namespace) -> tuple[int, str]:
    compiled, title, contents = _compiled(options)
    files.write(options.out, contents)
    return 0, f"{title}: wrote {', '.join(contents)}\n{compiled.state.text()}"


def _check(options: argparse.Namespace) -> tuple[int, str]:
    _, title, contents = _compiled(options)
    names = files.stale(options.out, contents)
    if not names:
        return 0, f"{title}: current"
    program = shlex.quote(sys.argv[0])
    command = f"{program} compile {shlex.quote(options.registry)} --out {shlex.quote(options.out)}"
    return 1, f"{options.out}: not current: {', '.join(names)}; run: {command}"


def _diff(options: argparse.Namespace) -> tuple[int, str]:
    old, new = diff.read_document(options.old), diff.read_document(options.new)
    lines = "\n".join(one_line(line) for line in diff.differences(old, new))
    refusal = diff.refusal(old, new)
    if refusal is None:
        return 0, lines
    print(lines)
    return 1, f"devices in the field will refuse this, because {refusal}"
