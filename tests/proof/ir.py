# SPDX-License-Identifier: Apache-2.0
"""A module of LLVM 14 as text: its tokens, types, constants and functions, with their names in C."""

import re

TOKEN = re.compile(
    r'c"(?:[^"\\]|\\[0-9A-Fa-f]{2})*"|[@%]"[^"]*"|[@%$][\w.$-]+|"[^"]*"|![\w.]*|#\d+'
    r"|-?\d+(?!\w)|\.\.\.|[\w.]+|[(){}\[\]<>,=*:|]"
)
# Words that say something about linkage or about a parameter, and nothing here.
WORDS = set(
    """private internal linkonce_odr weak_odr weak external hidden protected dso_local local_unnamed_addr
    unnamed_addr constant global noundef nonnull noalias nocapture readonly readnone writeonly returned
    zeroext signext inreg signed volatile tail notail musttail fastcc ccc arm_aapcscc arm_aapcs_vfpcc
    nofree nounwind mustprogress noinline inbounds comdat""".split()
)
WITH_BRACKETS = {"dereferenceable", "dereferenceable_or_null", "sret", "byval", "align", "comdat"}
# clang's SanitizerHandler, the number of a trap.
TRAPS = {0: "addition overflows", 1: "unreachable", 3: "division", 10: "invalid value"}
TRAPS |= {11: "missing return", 12: "multiplication overflows", 13: "negation overflows"}
TRAPS |= {16: "null argument", 17: "null result", 18: "index out of bounds", 20: "shift"}
TRAPS |= {19: "pointer overflows", 21: "subtraction overflows", 22: "null or misaligned"}
ORDERS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
PLAIN = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^"}
NAME = r'@("[^"]*"|[\w.$-]+)'
INTEGERS = (1, 8, 16, 32, 64)


class Unknown(Exception):
    pass


def mangled(name):
    return re.sub(r"\W", "_", name.strip('"'))


def wide(width):
    return "uint64_t" if width == 64 else "uint32_t"


def signed(width, expression):
    return f"(int{max(width, 8)}_t)({expression})"


class Types:
    """C names of types; a struct or an array is a C struct of the same layout."""

    def __init__(self):
        self.bodies, self.names, self.text, self.forward = {}, {}, [], []
        self.open = set()

    def name(self, t):
        kind = t[0]
        if kind == "void":
            return "void"
        if kind == "int":
            if t[1] not in INTEGERS:
                raise Unknown(f"an integer of {t[1]} bits")
            return "_Bool" if t[1] == 1 else f"uint{t[1]}_t"
        if kind == "ptr":
            return self.function(t[1]) if t[1][0] == "fn" else self.pointee(t[1]) + " *"
        if t not in self.names:
            self.names[t] = f"struct {mangled(t[1]) if kind == 'struct' else 't'}_{len(self.names)}"
            self.forward.append(self.names[t] + ";")
        self.complete(t)
        return self.names[t]

    def pointee(self, t):
        if t[0] in ("struct", "arr", "lit"):
            if t not in self.names:
                number = len(self.names)
                self.names[t] = f"struct {mangled(t[1]) if t[0] == 'struct' else 't'}_{number}"
                self.forward.append(self.names[t] + ";")
            return self.names[t]
        return self.name(t)

    def complete(self, t):
        """Writes the members of a struct, its parts first."""
        if t in self.open:
            return
        self.open.add(t)
        if t[0] == "arr":
            members = f"{self.name(t[2])} a[{t[1]}];"
            packed = False
        else:
            parts, packed = self.members(t)
            members = " ".join(f"{self.name(p)} f{i};" for i, p in enumerate(parts))
        how = " __attribute__((packed))" if packed else ""
        self.text.append(f"{self.names[t]} {{ {members} }}{how};")

    def members(self, t):
        if t[0] == "lit":
            return t[1], False
        if t[1] not in self.bodies:
            raise Unknown(f"the opaque type {t[1]}")
        return self.bodies[t[1]]

    def complete_all(self):
        for t in list(self.names):
            if t[0] != "fn" and not (t[0] == "struct" and t[1] not in self.bodies):
                self.complete(t)

    def function(self, t):
        if t not in self.names:
            name = f"fn_{len(self.names)}"
            self.names[t] = name
            result = self.pointee(t[1])
            arguments = ", ".join(self.pointee(a) if a[0] != "ptr" else self.name(a) for a in t[2])
            self.forward.append(f"typedef {result} (*{name})({arguments or 'void'});")
        return self.names[t]


class Tokens:
    def __init__(self, module, line):
        self.module, self.line, self.at = module, line, 0
        self.tokens = TOKEN.findall(line.split(" ; ")[0] if '"' not in line else line)

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def next(self):
        token = self.peek()
        self.at += 1
        return token

    def take(self, *wanted):
        if self.peek() in wanted:
            return self.next()
        return None

    def need(self, wanted):
        if self.next() != wanted:
            raise Unknown(f"'{wanted}' was expected")

    def balanced(self):
        depth = 0
        while True:
            token = self.next()
            depth += (token == "(") - (token == ")")
            if depth == 0:
                return

    def words(self):
        """Passes over attributes."""
        seen = set()
        while self.peek() in WORDS or self.peek() in WITH_BRACKETS or self.peek().startswith("#"):
            token = self.next()
            seen.add(token)
            if self.peek() == "(" and token in WITH_BRACKETS:
                self.balanced()
            elif token == "align":
                self.next()
        return seen

    def type(self):
        token = self.next()
        if token == "void":
            t = ("void",)
        elif re.fullmatch(r"i\d+", token):
            t = ("int", int(token[1:]))
        elif token.startswith("%"):
            t = ("struct", token[1:])
        elif token == "[":
            count = int(self.next())
            self.need("x")
            t = ("arr", count, self.type())
            self.need("]")
        elif token == "{":
            parts = []
            while not self.take("}"):
                parts.append(self.type())
                self.take(",")
            t = ("lit", tuple(parts))
        else:
            raise Unknown(f"the type {token}")
        while True:
            if self.take("*"):
                t = ("ptr", t)
            elif self.peek() == "(":
                self.next()
                arguments = []
                while not self.take(")"):
                    arguments.append(self.type())
                    self.words()
                    self.take(",")
                t = ("fn", t, tuple(arguments))
            else:
                return t

    def typed(self, function=None):
        t = self.type()
        self.words()
        return t, self.value(t, function)

    def value(self, t, function=None):
        """An expression of C; in an initialiser of a struct or an array, a list in braces."""
        program, token = self.module.program, self.next()
        if token.startswith("%"):
            return function.local(token)
        if token.startswith("@"):
            return program.reference(token[1:])
        if token in ("true", "false"):
            return str(int(token == "true"))
        if re.fullmatch(r"-?\d+", token):
            return f"(({program.types.name(t)}){int(token) % 2 ** t[1]}u{'ll' * (t[1] == 64)})"
        if token == "null":
            return f"(({program.types.name(t)})0)"
        if token in ("undef", "poison"):
            return program.anything(t)
        if token == "zeroinitializer":
            return "{0}" if function is None else f"(({program.types.name(t)}){{0}})"
        if token.startswith('c"'):
            raw = token[2:-1]
            values = re.sub(r"\\([0-9A-Fa-f]{2})", lambda m: chr(int(m[1], 16)), raw)
            return "{{" + ", ".join(str(ord(c)) for c in values) + "}}"
        if token == "{":
            parts = []
            while not self.take("}"):
                parts.append(self.typed(function)[1])
                self.take(",")
            return "{" + ", ".join(parts) + "}"
        if token == "[":
            parts = []
            while not self.take("]"):
                parts.append(self.typed(function)[1])
                self.take(",")
            return "{{" + ", ".join(parts) + "}}"
        if token == "getelementptr":
            self.words()
            self.need("(")
            place = self.element(function)
            self.need(")")
            return place
        if token in ("bitcast", "ptrtoint"):
            self.need("(")
            _, inner = self.typed(function)
            self.need("to")
            target = self.type()
            self.need(")")
            return f"(({program.types.name(target)})({inner}))"
        raise Unknown(f"the constant {token}")

    def element(self, function):
        """An address within an object."""
        types = self.module.program.types
        t = self.type()
        self.need(",")
        _, place = self.typed(function)
        text, first = f"(*({place}))", True
        while self.take(","):
            index, value = self.typed(function)
            constant = re.fullmatch(r"\(\(\w+\)(\d+)u(?:ll)?\)", value)
            if first:
                if not constant or constant[1] != "0":
                    text = f"(*(({place}) + {signed(index[1], value)}))"
                first = False
                continue
            types.name(t)
            if t[0] == "arr":
                text += f".a[{constant[1] if constant else signed(index[1], value)}]"
                t = t[2]
            else:
                text += f".f{constant[1]}"
                t = types.members(t)[0][int(constant[1])]
        types.name(t) if t[0] != "fn" else None
        return f"(&{text})"


class Module:
    def __init__(self, program, path):
        self.program = program
        self.functions, self.globals, self.aliases, self.debug = {}, {}, {}, {}
        bodies = {}
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        lines.reverse()
        while lines:
            line = lines.pop()
            if line.startswith("define "):
                body = [line]
                while line != "}":
                    line = lines.pop()
                    body.append(line)
                self.functions[re.search(NAME, body[0])[1]] = body
            elif re.match(r"@\S+ = .*\balias\b", line):
                name, target = re.findall(NAME, line)
                self.aliases[name] = target
            elif line.startswith("@"):
                self.globals[re.search(NAME, line)[1]] = line
            elif m := re.match(r'%("[^"]*"|[\w.$-]+) = type (.*)', line):
                bodies[m[1]] = m[2]
            elif m := re.match(r"!(\d+) = (?:distinct )?!(DI\w+)\((.*)\)", line):
                self.debug[m[1]] = (m[2], m[3])

        for name, body in bodies.items():
            if body != "opaque":
                parts = Tokens(self, body.strip("<>")).type()[1]
                program.types.bodies[name] = parts, body.startswith("<")

    def place(self, number):
        """The line and the file of an instruction."""
        _, text = self.debug[number]
        line = re.search(r"\bline: (\d+)", text)
        while not (file := re.search(r"\bfile: !(\d+)", text)):
            text = self.debug[re.search(r"\bscope: !(\d+)", text)[1]][1]
        return line[1] if line else "0", re.search(r'filename: "([^"]*)"', self.debug[file[1]][1])[1]
