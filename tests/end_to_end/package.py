#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Debian package: made by cpack, read, installed below a directory, upgraded, removed.
    package.py BUILD VERSION OUT"""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys

from running import expect, make_registry, reports, root, run

build, version, out = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
shutil.rmtree(out, ignore_errors=True)
out.mkdir(parents=True)
system = out / "root"
# Who installs is root, or believes to be.
as_root = [] if os.geteuid() == 0 else ["fakeroot", "-i", out / "owners", "-s", out / "owners"]
(out / "owners").touch()


def make_package():
    run("cpack", "-G", "DEB", "--config", build / "CPackConfig.cmake", "-B", out)
    (made,) = out.glob("*.deb")
    return made


def fields(package):
    text = run("dpkg-deb", "--field", package).stdout
    return dict(re.findall(r"^([\w-]+): (.*(?:\n .*)*)", text, re.M))


def control_faults(control):
    """Errors in a control file, as lintian has them."""
    synopsis, *rest = control["Description"].split("\n")
    checks = {
        "name": re.fullmatch(r"[a-z0-9][a-z0-9+.-]+", control["Package"]),
        "version": control["Version"] == version,
        "maintainer": re.fullmatch(r"[^<>]+ <[^<>@\s]+@[^<>@\s]+>", control["Maintainer"]),
        "synopsis": len(synopsis) <= 80 and not re.match(r"(an?|the) |.*\.$", synopsis, re.I),
        "description": rest and all(re.fullmatch(r" \S.{,78}", line) for line in rest),
        "dependencies": all(re.search(rf"\b{name}\b", control["Depends"])
                            for name in ("libc6", "libssl3", "libsqlite3-0", "systemd")),
        "section": control["Section"] == "net" and control["Priority"] == "optional",
    }
    return [name for name, holds in checks.items() if not holds]


def files(package):
    """Path to mode and owner, as tar shows them."""
    rows = (line.split(None, 5) for line in run("dpkg-deb", "--contents", package).stdout.splitlines())
    return {row[5].removeprefix("."): (row[0], row[1]) for row in rows}


def check_files(package):
    there = files(package)
    wanted = {"/usr/bin/sotto", "/usr/share/man/man1/sotto.1.gz", "/usr/share/man/man1/sotto-serve.1.gz",
              "/usr/share/bash-completion/completions/sotto", "/usr/share/zsh/vendor-completions/_sotto",
              "/usr/share/fish/vendor_completions.d/sotto.fish", "/etc/sotto/sotto.conf",
              "/usr/lib/systemd/system/sotto-serve.service", "/usr/lib/systemd/system/sotto-watch.service",
              "/usr/lib/systemd/system/sotto-upkeep.service", "/usr/lib/systemd/system/sotto-upkeep.timer",
              "/usr/lib/systemd/system/sotto-.service.d/hardening.conf", "/usr/libexec/sotto/upkeep",
              "/usr/lib/sysusers.d/sotto.conf", "/usr/lib/tmpfiles.d/sotto.conf",
              "/usr/share/sotto/dashboard.json", "/usr/share/doc/sotto/copyright",
              "/usr/share/doc/sotto/changelog.gz", "/usr/share/doc/sotto/OPERATIONS.md",
              "/usr/share/doc/sotto/examples/nginx.conf", "/usr/share/doc/sotto/examples/Caddyfile"}
    expect(wanted <= there.keys(), f"not in the package: {sorted(wanted - there.keys())}")
    strangers = [path for path in there if not path.endswith("/") and path not in wanted
                 and not re.fullmatch(r"/usr/share/man/man1/sotto-[a-z-]+\.1\.gz", path)]
    expect(not strangers, f"in the package: {strangers}")
    for path, (mode, owner) in there.items():
        runs = path.endswith("/") or path in ("/usr/bin/sotto", "/usr/libexec/sotto/upkeep")
        expect(owner == "root/root" and mode[1:] == ("rwxr-xr-x" if runs else "rw-r--r--"), f"{path}: {mode} {owner}")


def check_control(package):
    control = fields(package)
    expect(not control_faults(control), f"{control_faults(control)} of {control}")
    for name, value in {"Maintainer": "nobody", "Depends": "libc6", "Version": "x",
                        "Description": "The program."}.items():
        expect(control_faults({**control, name: value}), f"{name} may be {value}")
    run("dpkg-deb", "--control", package, out / "control")
    expect((out / "control/conffiles").read_text() == "/etc/sotto/sotto.conf\n", "conffiles")
    for name in ("postinst", "prerm", "postrm"):
        script = out / "control" / name
        expect(script.stat().st_mode & 0o777 == 0o755, f"{name} can't be run")
        run("sh", "-n", script)
        expect("set -e" in script.read_text(), f"{name} goes on after an error")


def dpkg(*arguments):
    """In a system of its own below a directory, whose dependencies are this one's."""
    return subprocess.run([str(word) for word in
                           [*as_root, "dpkg", f"--root={system}", "--force-script-chrootless", "--force-depends",
                            "--force-confold", *arguments]], capture_output=True, text=True)  # fmt: skip


def empty_system():
    shutil.rmtree(system, ignore_errors=True)
    for folder in ("var/lib/dpkg/updates", "var/lib/dpkg/info", "etc"):
        (system / folder).mkdir(parents=True)
    (system / "var/lib/dpkg/status").touch()


def check_installation(package):
    empty_system()
    done = dpkg("--install", package)
    expect(done.returncode == 0, done.stdout + done.stderr)
    program = system / "usr/bin/sotto"
    expect(run(program, "--version").stdout.split()[-1] == version, "another version is installed")
    expect(not run("readelf", "--wide", "--sections", program).stdout.count(".symtab"), "it is not stripped")
    expect("sotto" in (system / "etc/passwd").read_text(), "no user sotto")
    changes = gzip.decompress((system / "usr/share/doc/sotto/changelog.gz").read_bytes()).decode()
    expect(changes == (root / "CHANGELOG.md").read_text(), "another changelog")
    modes = {name: (system / name).stat().st_mode & 0o777 for name in
             ("var/lib/sotto", "var/lib/sotto/incoming", "etc/sotto/keys")}
    expect(set(modes.values()) == {0o750}, f"others may look into {modes}")

    # A report goes all the way with what is installed.
    registry = make_registry(out)
    (out / "some.bin").write_bytes(reports(program, out, registry, 1, 50))
    store = system / "var/lib/sotto/store"
    run(program, "ingest", "--registry", registry, "--store", store, out / "some.bin")
    expect("50 reports" in run(program, "estimate", "--registry", registry, "--store", store).stdout, "no estimate")

    own = system / "etc/sotto/sotto.conf"
    own.write_text(own.read_text().replace("EXPIRE_AFTER_DAYS=90", "EXPIRE_AFTER_DAYS=30"))
    expect(dpkg("--install", package).returncode == 0, "it can't be installed again")
    expect("EXPIRE_AFTER_DAYS=30" in own.read_text(), "an upgrade loses what was configured")
    expect(dpkg("--remove", "sotto").returncode == 0 and not program.exists(), "it can't be removed")
    expect(own.exists(), "removing takes the configuration")
    expect(dpkg("--purge", "sotto").returncode == 0 and not own.exists(), "purging leaves the configuration")
    expect((store / "store.json").exists(), "purging takes the store")


def exposure(folder):
    units = sorted(folder.glob("sotto-*.service"))
    expect(len(units) == 3, f"units are {units}")
    told = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", *units],
                          capture_output=True, text=True)
    levels = re.findall(r"Overall exposure level for \S+: ([\d.]+)", told.stdout)
    expect(len(levels) == 3, told.stdout + told.stderr)
    return max(map(float, levels))


def check_units(package):
    unpacked = out / "unpacked"
    run("dpkg-deb", "--extract", package, unpacked)
    units = unpacked / "usr/lib/systemd/system"
    level = exposure(units)
    expect(level <= 1, f"the exposure of a unit is {level} of 10")
    here = out / "units"  # their programs are here
    shutil.copytree(units, here)
    for unit in here.glob("*.service"):
        unit.write_text(unit.read_text().replace("=/usr/", f"={unpacked}/usr/"))

    def complaints():
        told = subprocess.run(["systemd-analyze", "verify", "--man=no", *sorted(here.glob("sotto-*.*[er]"))],
                              capture_output=True, text=True)
        return [line for line in told.stderr.splitlines() if "sotto-" in line]

    expect(not complaints(), complaints())
    # Controls: without the drop-in, and with a word that is none.
    shutil.rmtree(here / "sotto-.service.d")
    expect(exposure(here) > 5, "the units are as safe without it")
    (here / "sotto-watch.service").write_text("[Service]\nExecStart=/nowhere/sotto\nProtectAll=yes\n")
    expect(complaints(), "a wrong unit is verified")
    return level


package = make_package()
check_files(package)
check_control(package)
check_installation(package)
level = check_units(package) if shutil.which("systemd-analyze") else "not known"
print(f"{package.name}: {package.stat().st_size} bytes, {len(files(package))} files, exposure {level}")
