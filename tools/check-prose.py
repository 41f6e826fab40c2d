#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sentences of more than 25 words, or that begin with Of, What, Which, That, Those or Whoever.

Reads comments, pages, and the strings of C, C++ and Python. A list's next item and two blanks end
a sentence, too. In a message, so do a semicolon, and a colon after 12 words or fewer. Lower case is
no excuse, but at the beginning of a short message or of a test's string. Numbers and {} are words.
A comment that begins with "The same of", "And" or "Whose" leaves out its noun.
Indented lines after a colon are an example. Text without "the", "is" or "of" is a list of names.

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
    "aggregator", "cmake", "docs", "examples", "ports", "python", "sdk", "tests", "toolchains",
    "tools", "zephyr",
)
OPENING = re.compile(
    r"""(?:\A|[.:;!?][)"'*]*\s|\n[ ]*\n)[\s>*`"'(\[-]*(Of|What|Which|That|Those|Whoever)\s+\S"""
)
LOWER = "(of|what|which|that|those|whoever)"
LOWER_AFTER_STOP = rf"""[.!?][)"'*`]*\s[\s>*`"'(\[-]*{LOWER}\s+\S"""
LOWER_OPENING = re.compile(
    rf"""{LOWER_AFTER_STOP}|(?:\A|\n[ ]*\n)[\s>*`"'(\[-]*{LOWER}\s+\S"""
)
LOWER_OPENING_OF_MESSAGE = re.compile(rf"{LOWER_AFTER_STOP}|\A{LOWER}(?:\s+\S+){{6}}")
# A comment that goes on from another names no noun.
GOES_ON = re.compile(
    r"\A\s*(And|Whom|Whose|One of those"
    r"|The same(?:,|\.| (?:as|at|but|for|from|in|of|on|to|under|where|with)))\s"
)
WORDS_MAX = 25
HEAD_WORDS_MAX = 12


def sentence(ends: str) -> re.Pattern:
    return re.compile(
        rf"""\S.*?(?:[{ends}][)"'*`]*(?=\s)|\n[ ]*(?=\n|[-*][ ])|(?<=\S)[ ]{{2}}|\Z)""", re.DOTALL
    )


SENTENCE, MESSAGE_SENTENCE = sentence(".!?"), sentence(".;!?")
COLON = re.compile(r":\s")
WORD = re.compile(r"\S*(?:[^\W_]|\{\})\S*")
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


def count(words: str) -> int:
    return len(WORD.findall(words))


def head(message: str) -> int:
    """Characters up to the last colon that few words stand before."""
    ends = (found.end() for found in COLON.finditer(message))
    return max((end for end in ends if count(message[:end]) <= HEAD_WORDS_MAX), default=0)


def long_sentences(words: str, is_message: bool) -> Iterator[tuple[int, str]]:
    for found in (MESSAGE_SENTENCE if is_message else SENTENCE).finditer(words):
        begin = head(found[0]) if is_message else 0
        length = count(found[0][begin:])
        if length > WORDS_MAX and SMALL_WORD.search(found[0]):
            yield found.start() + begin, f"sentence of {length} words"


def badly_begun(words: str, lower: re.Pattern | None) -> Iterator[tuple[int, str]]:
    for pattern in filter(None, (OPENING, lower)):
        for found in pattern.finditer(words):
            yield found.start(found.lastindex), f'sentence begins with "{found[found.lastindex]}"'


def findings(path: Path, in_tests: bool) -> Iterator[tuple[int, str]]:
    read = reader(path)
    for text in read(path.read_text(encoding="utf-8")) if read else ():
        words = SPDX.sub(".", MARKUP.sub("", text.words))
        words = EXAMPLE.sub(lambda example: "\n" * example[0].count("\n"), words)
        lower = LOWER_OPENING
        if text.is_message:
            lower = None if in_tests else LOWER_OPENING_OF_MESSAGE
        begun = badly_begun(words, lower)
        if found := None if text.is_message else GOES_ON.match(words):
            yield text.line, f'"{found[1]}" names no noun'
        for at, fault in (*begun, *long_sentences(words, text.is_message)):
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
