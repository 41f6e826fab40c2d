#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes C for CBMC from a module of LLVM 14 that clang made without optimisation.

    ir_to_c.py MODULE.ll > MODULE.c

Only functions that `prove` reaches are written. Undefined behaviour becomes an assertion: flags of
arithmetic, shifts, divisions, `unreachable`, and clang's own traps. An instruction, a type or a
constant that is unknown here ends the run with an error.
"""

import re
import sys

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


class Function:
    def __init__(self, module, lines):
        self.module, self.program = module, module.program
        self.types, self.names, self.declared, self.body = self.program.types, {}, {}, []
        self.lines, self.phis, self.block = lines, {}, None
        tokens = Tokens(module, lines[0])
        tokens.need("define")
        tokens.words()
        self.result = tokens.type()
        self.name = tokens.next()[1:]
        tokens.need("(")
        self.arguments, number = [], 0
        while not tokens.take(")"):
            t = tokens.type()
            tokens.words()
            name = tokens.next() if tokens.peek().startswith("%") else f"%{number}"
            number += 1
            self.arguments.append((t, self.local(name)))
            tokens.take(",")
        self.entry = f"%{number}"

    def local(self, token):
        if token not in self.names:
            self.names[token] = f"v{len(self.names)}_{mangled(token[1:])}"
        return self.names[token]

    def label(self, token):
        return "L_" + mangled(token[1:].strip('"'))

    def head(self):
        arguments = ", ".join(f"{self.types.name(t)} {name}" for t, name in self.arguments)
        result = self.types.name(self.result)
        return f"{result} {mangled(self.name)}({arguments or 'void'})"

    def statements(self):
        text = "\n".join(self.lines[1:-1])
        text = re.sub(r"\[\n((?:.*\n)*?)\s*\]", lambda m: "[ " + m[1].replace("\n", " ") + " ]", text)
        return text.split("\n")

    def text(self):
        lines = [line for line in self.statements() if line.strip() and not line.startswith("; ")]
        self.find_phis(lines)
        self.block = self.entry
        for line in lines:
            if m := re.match(r'("[^"]*"|[\w.$-]+):', line):
                self.block = "%" + m[1]
                self.body.append(f"{self.label(self.block)}: ;")
                continue
            try:
                self.instruction(line)
            except (Unknown, KeyError, IndexError, TypeError) as error:
                raise Unknown(f"{self.name}: {error!r} in:{line}") from error
        types = self.types
        values = [f"    {types.name(t)} {name};" for name, t in self.declared.items()]
        return "\n".join([self.head() + " {", *values, *self.body, "}", ""])

    def find_phis(self, lines):
        block = self.entry
        for line in lines:
            if m := re.match(r'("[^"]*"|[\w.$-]+):', line):
                block = "%" + m[1]
            elif " = phi " in line:
                self.phis.setdefault(block, []).append(line)

    def declare(self, token, t):
        self.declared[self.local(token)] = t
        return self.local(token)

    def say(self, text):
        self.body.append("    " + text)

    def check(self, condition, what):
        self.say(f'__CPROVER_assert({condition}, "{what}");')

    def go(self, token):
        """Goes to a block, with the values that it takes from here: all at once."""
        moves = []
        for line in self.phis.get(token, []):
            tokens = Tokens(self.module, line.strip())
            target = tokens.next()
            tokens.need("=")
            tokens.need("phi")
            t = tokens.type()
            while tokens.take("["):
                value = tokens.value(t, self)
                tokens.need(",")
                if tokens.next() == self.block:
                    moves.append((t, self.local(target), value))
                tokens.need("]")
                tokens.take(",")
        before = " ".join(f"{self.types.name(t)} n{i} = {v};" for i, (t, _, v) in enumerate(moves))
        after = " ".join(f"{target} = n{i};" for i, (_, target, _) in enumerate(moves))
        return f"{{ {before} {after} goto {self.label(token)}; }}"

    def instruction(self, line):
        debug = re.search(r", !dbg !(\d+)", line)
        if debug:
            number, file = self.module.place(debug[1])
            self.body.append(f'#line {number} "{file}"')
        tokens = Tokens(self.module, re.sub(r",? ![a-zA-Z]+ ![\w.]+", "", line.strip()))
        target = None
        if tokens.peek(1) == "=":
            target = tokens.next()
            tokens.next()
        tokens.words()
        name = tokens.next()
        method = getattr(self, "on_" + name, None)
        if method is not None:
            method(tokens, target)
        elif name in PLAIN or name in ("shl", "lshr", "ashr", "udiv", "urem", "sdiv", "srem"):
            self.arithmetic(name, tokens, target)
        elif name in ("zext", "sext", "trunc", "bitcast", "ptrtoint"):
            self.cast(name, tokens, target)
        else:
            raise Unknown(f"the instruction {name}")

    def on_alloca(self, tokens, target):
        t = tokens.type()
        if tokens.take(",") and tokens.peek() != "align":
            raise Unknown("an array of a variable size")
        place = self.local(target) + "_place"
        self.declared[place] = t
        self.say(f"{self.declare(target, ('ptr', t))} = &{place};")

    def on_load(self, tokens, target):
        tokens.words()
        t = tokens.type()
        tokens.need(",")
        _, place = tokens.typed(self)
        self.say(f"{self.declare(target, t)} = *({place});")

    def on_store(self, tokens, _):
        tokens.words()
        t, value = tokens.typed(self)
        tokens.need(",")
        _, place = tokens.typed(self)
        self.types.name(t)
        self.say(f"*({place}) = {value};")

    def on_getelementptr(self, tokens, target):
        tokens.words()
        place = tokens.element(self)
        self.declared[self.local(target)] = self.element_type(tokens.line)
        self.say(f"{self.local(target)} = {place};")

    def element_type(self, line):
        tokens = Tokens(self.module, line)
        while tokens.next() != "getelementptr":
            pass
        tokens.words()
        t = tokens.type()
        tokens.need(",")
        tokens.typed(self)
        tokens.need(",")
        tokens.typed(self)
        while tokens.take(","):
            _, value = tokens.typed(self)
            t = t[2] if t[0] == "arr" else self.types.members(t)[0][int(re.search(r"\)(\d+)u", value)[1])]
        return ("ptr", t)

    def on_icmp(self, tokens, target):
        order = tokens.next()
        t, a = tokens.typed(self)
        tokens.need(",")
        b = tokens.value(t, self)
        result = self.declare(target, ("int", 1))
        if order in ("eq", "ne"):
            self.say(f"{result} = {a} {'==' if order == 'eq' else '!='} {b};")
            return
        if order[0] == "s":
            a, b = signed(t[1], a), signed(t[1], b)
        self.say(f"{result} = {a} {ORDERS[order[1:]]} {b};")

    def arithmetic(self, name, tokens, target):
        flags = set()
        while tokens.peek() in ("nsw", "nuw", "exact"):
            flags.add(tokens.next())
        t, a = tokens.typed(self)
        tokens.need(",")
        b, width = tokens.value(t, self), t[1]
        kind, w = self.types.name(t), wide(t[1])
        result = self.declare(target, t)
        if name in ("shl", "lshr", "ashr"):
            self.check(f"{b} < {width}", "shift by less than the width")
            text = f"({w}){a} << {b}" if name == "shl" else f"{a} >> {b}"
            text = f"{signed(width, a)} >> {b}" if name == "ashr" else text
            back = f"{signed(width, result)} >> {b}", signed(width, a)
            exact = f"({kind})(({w})({text}) << {b})", a
            lost = {"nsw": back, "nuw": (f"{result} >> {b}", a), "exact": exact}
            self.say(f"{result} = ({kind})({text});")
            for flag in flags:
                self.check("{} == {}".format(*lost[flag]), f"{name} {flag}")
            return
        if name in ("udiv", "urem", "sdiv", "srem"):
            self.check(f"{b} != 0", "division by zero")
            sign = "/" if name.endswith("div") else "%"
            if name[0] == "s":
                least = f"({kind})1 << {width - 1}" if width < 64 else "(uint64_t)1 << 63"
                self.check(f"{a} != {least} || {b} != ({kind})-1", "division overflows")
                a, b = signed(width, a), signed(width, b)
            if "exact" in flags:
                self.check(f"{a} % {b} == 0", "exact division")
            self.say(f"{result} = ({kind})({a} {sign} {b});")
            return
        for flag in flags:
            letter = "s" if flag == "nsw" else "u"
            function = self.program.overflow(f"{letter}{name}", width)
            self.check(f"!{function}({a}, {b}).f1", f"{name} {flag}")
        self.say(f"{result} = ({kind})(({w}){a} {PLAIN[name]} ({w}){b});")

    def cast(self, name, tokens, target):
        t, value = tokens.typed(self)
        tokens.need("to")
        wanted = tokens.type()
        kind = self.types.name(wanted)
        value = signed(t[1], value) if name == "sext" and t[1] > 1 else value
        value = f"-(int32_t){value}" if name == "sext" and t[1] == 1 else value
        value = f"{value} & 1" if name == "trunc" and wanted[1] == 1 else value
        self.say(f"{self.declare(target, wanted)} = ({kind})({value});")

    def on_select(self, tokens, target):
        _, which = tokens.typed(self)
        tokens.need(",")
        t, a = tokens.typed(self)
        tokens.need(",")
        _, b = tokens.typed(self)
        self.say(f"{self.declare(target, t)} = {which} ? {a} : {b};")

    def on_phi(self, tokens, target):
        self.declare(target, tokens.type())

    def on_extractvalue(self, tokens, target):
        t, value = tokens.typed(self)
        self.types.name(t)
        while tokens.take(","):
            index = tokens.next()
            value += f".a[{index}]" if t[0] == "arr" else f".f{index}"
            t = t[2] if t[0] == "arr" else self.types.members(t)[0][int(index)]
        self.say(f"{self.declare(target, t)} = {value};")

    def on_insertvalue(self, tokens, target):
        t, value = tokens.typed(self)
        tokens.need(",")
        _, part = tokens.typed(self)
        tokens.need(",")
        index = tokens.next()
        result = self.declare(target, t)
        self.say(f"{result} = {value};")
        place = f"a[{index}]" if t[0] == "arr" else f"f{index}"
        self.say(f"{result}.{place} = {part};")

    def on_freeze(self, tokens, target):
        t, value = tokens.typed(self)
        self.say(f"{self.declare(target, t)} = {value};")

    def on_ret(self, tokens, _):
        self.say("return;" if tokens.take("void") else f"return {tokens.typed(self)[1]};")

    def on_unreachable(self, _tokens, _target):
        self.check("0", "unreachable")
        self.say("__CPROVER_assume(0);")

    def on_br(self, tokens, _):
        if tokens.take("label"):
            self.say(self.go(tokens.next()))
            return
        _, which = tokens.typed(self)
        tokens.need(",")
        tokens.need("label")
        yes = tokens.next()
        tokens.need(",")
        tokens.need("label")
        self.say(f"if({which}) {self.go(yes)} else {self.go(tokens.next())}")

    def on_switch(self, tokens, _):
        _, value = tokens.typed(self)
        tokens.need(",")
        tokens.need("label")
        otherwise = tokens.next()
        tokens.need("[")
        while not tokens.take("]"):
            _, case = tokens.typed(self)
            tokens.need(",")
            tokens.need("label")
            self.say(f"if({value} == {case}) {self.go(tokens.next())}")
        self.say(self.go(otherwise))

    def on_call(self, tokens, target):
        tokens.words()
        t = tokens.type()
        t = t[1] if t[0] == "fn" else t
        if tokens.take("asm"):
            self.assembly(tokens, t, target)
            return
        callee = tokens.next()
        is_cast = callee == "bitcast"
        if is_cast:  # another source declares the function by types of other names
            tokens.need("(")
            tokens.type()
            callee = tokens.next()
            tokens.need("to")
            tokens.type()
            tokens.need(")")
        tokens.need("(")
        arguments = []
        while not tokens.take(")"):
            if tokens.peek() == "metadata":
                raise Unknown("an argument of metadata")
            arguments.append(tokens.typed(self)[1])
            tokens.take(",")
        if is_cast:
            wanted = Function(self.module, self.module.functions[callee[1:]]).arguments
            kinds = [self.types.name(t) for t, _ in wanted]
            arguments = [f"({kind})({a})" for kind, a in zip(kinds, arguments, strict=True)]
        if callee.startswith("@llvm."):
            self.intrinsic(callee[6:], arguments, t, target)
            return
        if callee.startswith("@"):
            callee = self.program.reference(callee[1:])
        else:
            callee = f"(*{self.local(callee)})"
        call = f"{callee}({', '.join(arguments)});"
        if target is None:
            self.say(call)
        else:
            self.say(f"{self.declare(target, t)} = {call}")

    def assembly(self, tokens, t, target):
        """Empty assembly, that hides a value from the optimiser."""
        while tokens.peek() in ("sideeffect", "inteldialect"):
            tokens.next()
        if tokens.next() != '""':
            raise Unknown("assembly that is not empty")
        tokens.need(",")
        constraints = tokens.next()
        tokens.need("(")
        arguments = []
        while not tokens.take(")"):
            arguments.append(tokens.typed(self)[1])
            tokens.take(",")
        if target is None and t == ("void",):
            return
        if not constraints.startswith('"=r,0') or len(arguments) != 1:
            raise Unknown(f"assembly with {constraints}")
        self.say(f"{self.declare(target, t)} = {arguments[0]};")

    def intrinsic(self, name, arguments, t, target):
        kind = name.split(".")[0]
        if kind == "ubsantrap":
            number = int(re.search(r"\)(\d+)u", arguments[0])[1])
            self.check("0", TRAPS[number])
            self.say("__CPROVER_assume(0);")
        elif kind == "trap":
            self.check("0", "trap")
            self.say("__CPROVER_assume(0);")
        elif kind in ("memcpy", "memmove", "memset"):
            name = "proof_set" if kind == "memset" else "proof_copy"
            self.say(f"{name}({', '.join(arguments[:3])});")
        elif kind in ("sadd", "ssub", "smul", "uadd", "usub", "umul"):
            function = self.program.overflow(kind, t[1][0][1])
            self.say(f"{self.declare(target, t)} = {function}({', '.join(arguments)});")
        elif kind == "expect":
            self.say(f"{self.declare(target, t)} = {arguments[0]};")
        else:
            raise Unknown(f"the intrinsic {name}")


class Program:
    def __init__(self, path):
        self.types, self.needed, self.seen = Types(), [], set()
        self.made_overflow, self.made_anything = {}, {}
        self.module = Module(self, path)

    def reference(self, name):
        """A function, or the address of a variable."""
        module = self.module
        name = module.aliases.get(name, name)
        is_function = name in module.functions
        is_variable = name in module.globals and " external " not in module.globals[name]
        if not is_function and not is_variable:
            if not name.startswith("proof_"):
                raise Unknown(f"no body of {name}")
            return name
        if name not in self.seen:
            self.seen.add(name)
            self.needed.append(name)
        return ("" if is_function else "&") + mangled(name)

    def overflow(self, kind, width):
        name = f"overflow_{kind}_{width}"
        pair = self.types.name(("lit", (("int", width), ("int", 1))))
        t = f"int{width}_t" if kind[0] == "s" else f"uint{width}_t"
        sign = {"add": "plus", "sub": "minus", "mul": "mult"}[kind[1:]]
        wrapped = {"add": "+", "sub": "-", "mul": "*"}[kind[1:]]
        u = f"uint{width}_t"
        self.made_overflow[name] = (
            f"static {pair} {name}({u} a, {u} b) {{ {pair} r; r.f1 = __CPROVER_overflow_{sign}"
            f"(({t})a, ({t})b); r.f0 = ({u})(({wide(width)})a {wrapped} ({wide(width)})b); return r; }}"
        )
        return name

    def anything(self, t):
        kind = self.types.name(t)
        name = "nondet_" + mangled(kind)
        self.made_anything[name] = f"{kind} {name}(void);"
        return name + "()"

    def write(self):
        definitions, heads, variables = [], [], []
        self.reference("prove")
        while self.needed:
            name = self.needed.pop()
            if name in self.module.functions:
                function = Function(self.module, self.module.functions[name])
                definitions.append(function.text())
                heads.append(function.head() + ";")
            else:
                variables.append(self.variable(name))
        self.types.complete_all()
        print('#include "proof.h"')
        for part in (self.types.forward, self.types.text, self.made_anything.values()):
            print("\n".join(part))
        print("\n".join(self.made_overflow.values()))
        print("\n".join(heads))
        for head, _ in variables:
            print(head + ";")
        for head, value in variables:
            print(head + " = " + value + ";")
        print("\n".join(definitions))

    def variable(self, name):
        tokens = Tokens(self.module, self.module.globals[name])
        tokens.next()
        tokens.need("=")
        tokens.words()
        t = tokens.type()
        return f"{self.types.name(t)} {mangled(name)}", tokens.value(t)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("ir_to_c.py: name one module of LLVM")
    try:
        Program(sys.argv[1]).write()
    except Unknown as error:
        sys.exit(f"ir_to_c.py: {error}; known are the instructions of on_... in this file")
