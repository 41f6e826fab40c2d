#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sentences of more than 25 words, or that begin with Of, What, Which, That, Those or Whoever.

Reads comments, pages, and the strings of C, C++ and Python. A list's next item and two blanks end
a sentence, too. In a message, so do a colon and a semicolon. A message may begin in lower case, but
in tests. Indented lines after a colon are an example. Text without "the", "is" or "of" is a list of
names.

check-prose.py [ROOT]   exit 0, or 1 with one line for each such sentence
"""
import ast
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

FOLDERS = (
    "aggregator", "cmake", "docs", "examples", "ports", "sdk", "tests", "toolchains", "tools",
    "zephyr",
)
OPENING = re.compile(
    r"""(?:\A|[.:;!?][)"'*]*\s|\n[ ]*\n)[\s>*`"'(\[-]*(Of|What|Which|That|Those|Whoever)\s+\S"""
)
LOWER_CASE_OPENING = re.compile(r"\A(of|what|which|that|those|whoever)(?:\s+\S+){6}")
WORDS_MAX = 25


def sentence(ends: str) -> re.Pattern:
    return re.compile(
        rf"""\S.*?(?:[{ends}][)"'*`]*(?=\s)|\n[ ]*(?=\n|[-*][ ])|(?<=\S)[ ]{{2}}|\Z)""", re.DOTALL
    )


SENTENCE, MESSAGE_SENTENCE = sentence(".!?"), sentence(".:;!?")
WORD = re.compile(r"\S*[A-Za-z]{2}\S*|\ba\b")
SMALL_WORD = re.compile(r"\b(?:an?|the|is|are|of|to)\b", re.IGNORECASE)
SPDX = re.compile(r"SPDX-License-Identifier: \S+")
MARKUP = re.compile(r"<[^<>\n]*>|\\f[BIR]")
EXAMPLE = re.compile(r"(?<=:)(?:\n[ ]{3,}[^\n]*)+(?=\n)")
C_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)"""
    r"""|R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"|(?P<string>"(?:\\.|[^"\\\n])*")"""
    r"""|(?<!\w)'(?:\\.|[^'\\\n])*'""",
    re.DOTALL,
)
C_MARK = re.compile(r"^[ \t]*(?://+|/?\*+/?)<?|\*/$", re.MULTILINE)
PAGE_MARK = re.compile(r"\s*(?:(?:#+|[-*>]|\d+\.)\s+|\.[A-Z]+)?")
HASH = re.compile(r"^(?P<code>.*?)(?:(?<=\s)|^)#(?!!)(?P<text>.*)$")


class Text(NamedTuple):
    """A piece of prose, the line where it begins, its column, and whether it continues no other."""

    line: int
    words: str
    column: int = 0
    opens: bool = False
    is_message: bool = False


def joined(pieces: Iterator[Text]) -> Iterator[Text]:
    """Pieces on successive lines are one text when they begin in the same column."""
    last: Text | None = None
    for piece in pieces:
        if last and not piece.opens and (piece.column, piece.line) == (last.column, next_line(last)):
            last = last._replace(words=f"{last.words}\n{piece.words}")
            continue
        if last:
            yield last
        last = piece
    if last:
        yield last


def next_line(text: Text) -> int:
    return text.line + text.words.count("\n") + 1


def c_comments(source: str) -> Iterator[Text]:
    for token in C_TOKEN.finditer(source):
        if token["comment"]:
            start = token.start()
            code = source[source.rfind("\n", 0, start) + 1 : start]
            words = C_MARK.sub("", token["comment"])
            yield Text(line_at(source, start), words, len(code), bool(code.strip()))


def c_strings(source: str) -> Iterator[Text]:
    """String literals with nothing but blanks between them are one."""
    last, end = None, 0
    for token in C_TOKEN.finditer(source):
        literal = token["raw"] or (token["string"] or "")[1:-1]
        words = literal.replace("\\n", "  ").replace('\\"', '"')
        gap = source[end : token.start()]
        if last and not gap.strip():
            last = last._replace(words=last.words + gap.strip(" ") + words)
        else:
            if last:
                yield last
            last = Text(line_at(source, token.start()), words, is_message=True)
        end = token.end()
    if last:
        yield last


def c_like(source: str) -> Iterator[Text]:
    yield from joined(c_comments(source))
    yield from c_strings(source)


def hash_comments(source: str) -> Iterator[Text]:
    for number, line in enumerate(source.splitlines(), start=1):
        if found := HASH.match(line):
            code = found["code"]
            yield Text(number, found["text"], len(code), bool(code.strip()))


def hashed(source: str) -> Iterator[Text]:
    yield from joined(hash_comments(source))


def python(source: str) -> Iterator[Text]:
    """A string that is a statement by itself documents what it stands in."""
    yield from hashed(source)
    nodes = list(ast.walk(ast.parse(source)))
    documents = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            first, _, others = node.value.partition("\n")
            words = f"{first}\n{textwrap.dedent(others)}"
            yield Text(node.lineno, words, is_message=id(node) not in documents)


def page_lines(source: str) -> Iterator[Text]:
    is_code = False
    for number, line in enumerate(source.splitlines(), start=1):
        is_code ^= line.startswith("```")
        if line.startswith("|"):
            yield from (Text(number, cell, opens=True) for cell in line.split("|"))
        elif line.strip() and not is_code and not line.startswith(("    ", "```")):
            mark = PAGE_MARK.match(line).end()
            yield Text(number, line[mark:], mark, bool(line[:mark].strip()))


def page(source: str) -> Iterator[Text]:
    yield from joined(page_lines(source))


READERS: dict[str, Callable[[str], Iterator[Text]]] = {
    **dict.fromkeys((".c", ".cpp", ".h", ".hpp", ".in", ".js", ".css", ".proto"), c_like),
    **dict.fromkeys((".cmake", ".sh", ".toml", ".yml", "CMakeLists.txt"), hashed),
    **dict.fromkeys((".md", ".roff"), page),
    **dict.fromkeys((".py", "sotto-registry"), python),
}


def reader(path: Path) -> Callable[[str], Iterator[Text]] | None:
    return READERS.get(path.name) or READERS.get(path.suffix)


def line_at(source: str, at: int) -> int:
    return source.count("\n", 0, at) + 1


def long_sentences(words: str, pattern: re.Pattern) -> Iterator[tuple[int, str]]:
    for found in pattern.finditer(words):
        count = len(WORD.findall(found[0]))
        if count > WORDS_MAX and SMALL_WORD.search(found[0]):
            yield found.start(), f"sentence of {count} words"


def badly_begun(words: str, may_be_lower: bool) -> Iterator[tuple[int, str]]:
    for pattern in (OPENING, LOWER_CASE_OPENING) if may_be_lower else (OPENING,):
        for found in pattern.finditer(words):
            yield found.start(1), f'sentence begins with "{found[1]}"'


def findings(path: Path, in_tests: bool) -> Iterator[tuple[int, str]]:
    read = reader(path)
    for text in read(path.read_text(encoding="utf-8")) if read else ():
        words = SPDX.sub(".", MARKUP.sub("", text.words))
        words = EXAMPLE.sub(lambda example: "\n" * example[0].count("\n"), words)
        pattern = MESSAGE_SENTENCE if text.is_message else SENTENCE
        begun = badly_begun(words, text.is_message and not in_tests)
        for at, fault in (*begun, *long_sentences(words, pattern)):
            yield text.line + words.count("\n", 0, at), fault


def files(root: Path) -> Iterator[Path]:
    yield from sorted(path for path in root.iterdir() if path.is_file())
    for folder in FOLDERS:
        yield from sorted(path for path in (root / folder).rglob("*") if path.is_file())


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1]
    found = [
        f"{path.relative_to(root)}:{line}: {fault}"
        for path in files(root)
        for line, fault in sorted(set(findings(path, path.relative_to(root).parts[0] == "tests")))
    ]
    print("\n".join(found), end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
