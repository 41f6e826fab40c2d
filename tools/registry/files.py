# SPDX-License-Identifier: Apache-2.0
"""Reads metrics.toml; writes the three files, or compares them, all or nothing."""
import errno
import json
import os
from pathlib import Path
from typing import Any

from . import c_code, toml
from .document import CompiledRegistry, compile_registry
from .errors import RegistryError, within
from .fields import Real
from .keys import load_keys
from .requests import load_request_key
from .schema import read_registry

SIZE_MAX_BYTES = 1 << 20


def read_text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            data = file.read(SIZE_MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise RegistryError(os_reason(error)) from None
    if len(data) > SIZE_MAX_BYTES:
        raise RegistryError(f"is larger than {SIZE_MAX_BYTES} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RegistryError(f"line {line}: byte 0x{data[error.start]:02x} is not UTF-8") from None
    if text.startswith("\ufeff"):
        raise RegistryError("line 1: starts with a byte order mark; save it as UTF-8 without one")
    return text


def parse_toml(text: str) -> dict[str, Any]:
    try:
        return toml.loads(text, parse_float=Real)
    except toml.TOMLDecodeError as error:
        end = f"at line {text.count(chr(10)) + 1}, the end of the file"
        reason = str(error).replace("at end of document", end)
        raise RegistryError(f"is not TOML: {reason}") from None
    except ValueError:
        raise RegistryError("is not TOML: an integer has thousands of digits") from None
    except RecursionError:
        raise RegistryError("is not TOML that can be read: nested too deeply") from None


def compile_file(path: str) -> CompiledRegistry:
    with within(path):
        registry = read_registry(parse_toml(read_text(path)))
        folder = Path(path).parent
        registry = load_request_key(load_keys(registry, folder, read_text), folder, read_text)
        return compile_registry(registry)


def outputs(compiled: CompiledRegistry, source_name: str) -> dict[str, bytes]:
    texts = {
        "metrics.h": c_code.header(compiled, source_name),
        "metrics.c": c_code.source(compiled, source_name),
        "metrics.json": json.dumps(compiled.document, indent=2) + "\n",
    }
    return {name: text.encode("ascii") for name, text in texts.items()}


def write(directory: str, files: dict[str, bytes]) -> None:
    """Every file is complete under a name of its own before the first takes its place. A file that
    would not change is left alone, so that a build compiles nothing again."""
    files = {name: files[name] for name in files if not _holds(Path(directory, name), files[name])}
    temporary = {name: Path(directory, f".{name}.{os.getpid()}.tmp") for name in files}
    try:
        Path(directory).mkdir(parents=True, exist_ok=True)
        for name in files:
            if Path(directory, name).is_dir():
                reason = os.strerror(errno.EISDIR)
                raise IsADirectoryError(errno.EISDIR, reason, str(Path(directory, name)))
        for name, content in files.items():
            temporary[name].write_bytes(content)
        for name in files:
            os.replace(temporary[name], Path(directory, name))
    except (OSError, ValueError) as error:
        where = getattr(error, "filename", None) or directory
        raise RegistryError(f"{where}: can't be written: {os_reason(error)}") from None
    finally:
        for path in temporary.values():
            try:
                path.unlink(missing_ok=True)
            except (OSError, ValueError):
                pass


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except (OSError, ValueError):
        return False


def stale(directory: str, files: dict[str, bytes]) -> list[str]:
    """The names whose file is missing or is not what would be written."""
    names = []
    for name, content in files.items():
        path = Path(directory, name)
        try:
            current = path.read_bytes()
        except FileNotFoundError:
            current = None
        except (OSError, ValueError) as error:
            raise RegistryError(f"{path}: {os_reason(error)}") from None
        if current != content:
            names.append(name)
    return names


def os_reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)
