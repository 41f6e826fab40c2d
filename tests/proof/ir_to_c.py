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

from ir import Module, ORDERS, PLAIN, TRAPS, Tokens, Types, Unknown, mangled, signed, wide


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
