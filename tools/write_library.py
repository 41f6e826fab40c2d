#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sotto in one folder, for builds that compile all of src/ and give no flags: Arduino, PlatformIO, ESP-IDF.

    write_library.py FOLDER [--mbedtls DIR --nanopb DIR --fiat DIR]    writes FOLDER/Sotto, which must not be there

sdk/sources.txt says what goes in. The includes of each file are written anew: one include path, src,
is enough. No header of another library is taken for ours.
"""
import argparse
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PORTS = ("esp32", "nrf5x", "rp2040", "rp2350", "stm32")
PORT_SOURCES = [f"ports/{port}/sotto_{port}.c" for port in PORTS]
PORT_SOURCES += ["ports/storage/sotto_flash.c", "ports/storage/sotto_esp32_nvs.c"]
INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*)["<]([^">]+)[">]', re.M)
PRIVATE = "sotto_private"
OTHERS = {"mbedtls": "LICENSE", "nanopb": "LICENSE.txt", "fiat": "LICENSE"}  # and their licences


def listed() -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    for line in (ROOT / "sdk/sources.txt").read_text().splitlines():
        if not line.startswith("#"):
            name, value = line.split(" ", 1)
            lists.setdefault(name, []).append(value)
    return lists


def version() -> str:
    header = (ROOT / "sdk/include/sotto/version.h").read_text()
    return ".".join(re.findall(r"#define SOTTO_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))


class Library:
    def __init__(self, folder: Path, others: dict[str, Path]):
        self.folder = folder
        self.roots = {"SOTTO_DIR": ROOT} | {f"{name.upper()}_DIR": path for name, path in others.items()}
        self.lists = listed()
        self.includes = [self.path(value) for name in ("INCLUDES", *(f"{other.upper()}_INCLUDES" for other in OTHERS))
                         for value in self.lists[name]]
        names = ("CORE_SOURCES", "SDK_SOURCES_MBEDTLS", "MBEDTLS_SOURCES", "NANOPB_SOURCES")
        self.sources = [self.path(value) for name in names for value in self.lists[name]]
        self.ports = [ROOT / source for source in PORT_SOURCES]

    def path(self, value: str) -> Path:
        root, _, rest = value.partition("/")
        return (self.roots[root] / rest).resolve()

    def place(self, file: Path) -> Path:
        """Where a file of ours or of another library goes, under src."""
        for root, folder in self.roots.items():
            if file.is_relative_to(folder):
                inside = file.relative_to(folder)
                name = root.removesuffix("_DIR").lower()
                break
        if inside.is_relative_to("sdk/include"):
            return inside.relative_to("sdk/include")
        if name == "sotto" and inside.name.startswith("sotto_"):
            return Path(inside.name)
        # Code that another file includes must not be compiled by itself.
        is_part = inside.suffix == ".c" and file not in self.sources
        return Path(PRIVATE, name, inside.with_suffix(".inc") if is_part else inside)

    def find(self, name: str, file: Path) -> Path | None:
        for folder in (file.parent, *self.includes):
            found = (folder / name).resolve()
            if found.is_file():
                return found
        return None

    def defines(self) -> str:
        lines = ["/* SPDX-License-Identifier: Apache-2.0 */\n/* tools/write_library.py writes this. */\n"]
        for define in self.lists["MBEDTLS_DEFINES"] + self.lists["NANOPB_DEFINES"]:
            name, _, value = define.partition("=")
            if value.startswith('"'):
                value = f'"{self.place(self.path(value[1:-1])).as_posix()}"'
            lines.append(f"#undef {name}\n#define {name} {value or 1}\n")  # ESP-IDF has its own of some
        return "".join(lines)

    def text(self, file: Path, depth: str, needed: list[Path]) -> str:
        def anew(match: re.Match) -> str:
            found = self.find(match[2], file)
            if found is None:
                return match[0]
            needed.append(found)
            return f'{match[1]}"{depth}{self.place(found).as_posix()}"'

        return INCLUDE.sub(anew, file.read_text())

    def write(self, file: Path, needed: list[Path]) -> None:
        target = self.folder / "src" / self.place(file)
        depth = "../" * (len(self.place(file).parts) - 1)
        text = self.text(file, depth, needed)
        if file in self.sources:
            text = f'#include "{depth}{PRIVATE}/defines.h"\n{text}'
        if "esp32" in file.name and file.suffix == ".c":
            text = f"#ifdef ESP_PLATFORM\n{text}#endif\n"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def write_sources(self) -> None:
        configured = re.findall(r'="([^"]+)"', " ".join(self.lists["MBEDTLS_DEFINES"] + self.lists["NANOPB_DEFINES"]))
        headers = sorted((ROOT / "sdk/include/sotto").iterdir())
        needed = [*headers, *self.sources, *self.ports, *map(self.path, configured)]
        done: set[Path] = set()
        while needed:
            file = needed.pop()
            if file not in done:
                done.add(file)
                self.write(file, needed)
        (self.folder / "src" / PRIVATE / "defines.h").write_text(self.defines())

    def write_frame(self) -> None:
        """A description for each build system, and the compiler of registries."""
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(ROOT / "tools/library", self.folder)
        for name in ("library.properties", "library.json", "idf_component.yml"):
            file = self.folder / name
            file.write_text(file.read_text().replace("@VERSION@", version()))
        shutil.copytree(ROOT / "tools/registry", self.folder / "tools/registry",
                        ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "tools/sotto-registry", self.folder / "tools")
        (self.folder / "cmake").mkdir()
        shutil.copy(ROOT / "cmake/sotto_registry.cmake", self.folder / "cmake")
        shutil.copy(ROOT / "LICENSE", self.folder)

    def write_example(self) -> None:
        door = self.folder / "examples" / "Door"
        shutil.copy(ROOT / "examples/device/keys/aggregator.pub", door)
        subprocess.run([ROOT / "tools/sotto-registry", "compile", door / "metrics.toml", "--out", door],
                       check=True, stdout=subprocess.DEVNULL)

    def write_licences(self) -> None:
        for name, licence in OTHERS.items():
            folder = self.folder / "src" / PRIVATE / name
            shutil.copy(self.roots[f"{name.upper()}_DIR"] / licence, folder)


def source_of(name: str) -> Path:
    said = subprocess.run([ROOT / "tools/setup.sh", "--source", name], check=True, capture_output=True, text=True)
    return Path(said.stdout.strip())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    for name in OTHERS:
        parser.add_argument(f"--{name}", type=Path, help="its sources; without: tools/setup.sh obtains them")
    given = parser.parse_args()
    folder = given.folder / "Sotto"
    if folder.exists():
        raise SystemExit(f"write_library.py: {folder} is there already; remove it first")
    library = Library(folder, {name: (getattr(given, name) or source_of(name)).resolve() for name in OTHERS})
    library.write_frame()
    library.write_sources()
    library.write_example()
    library.write_licences()


if __name__ == "__main__":
    main()
