#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs the wheel and installs it.
#   wheel.sh PROJECT WORK_FOLDER EXTENSION    of an extension that is built: WORK_FOLDER/site has it
#   wheel.sh PROJECT WORK_FOLDER              compiles it, as `pip install .` does, in a fresh
#                                             virtual environment, and reads README.md with it
set -euo pipefail
project=$1 work=$2 extension=${3:-}
python=$("$project/tools/setup.sh" --analysis python3) || {
    echo 'skipped: the packages of tools/python-analysis.txt are missing'
    exit 77
}
[ -z "$extension" ] || [ -f "$extension" ] || {
    echo 'skipped: the extension is not built, as nanobind or the headers of Python are missing'
    exit 77
}
fail() {
    echo "wheel: $*" >&2
    exit 1
}
rm -rf "$work"
mkdir -p "$work"
pip=("$python" -m pip --disable-pip-version-check --quiet)
if [ -z "$extension" ]; then
    "$python" -m venv --system-site-packages "$work/fresh"
    cp "$(dirname "$python")"/../lib/python3*/site-packages/_virtualenv.pth "$work/fresh" 2>/dev/null || true
    site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    PYTHONPATH=$site CMAKE_BUILD_PARALLEL_LEVEL=2 "$work/fresh/bin/python" -m pip --quiet \
        --disable-pip-version-check install --no-build-isolation --no-deps --no-index "$project/python"
    PYTHONPATH=$site "$work/fresh/bin/python" -B "$project/python/tests/readme.py"
    exit
fi
"${pip[@]}" wheel --no-build-isolation --no-deps --no-index --wheel-dir "$work/wheels" \
    -C cmake.source-dir=tests/ready -C "cmake.define.SOTTO_EXTENSION=$extension" "$project/python"
wheel=("$work"/wheels/sotto-*.whl)
"${pip[@]}" install --no-deps --no-index --target "$work/site" "${wheel[0]}"
# Types and words come along, and nothing else does.
found=$(cd "$work/site/sotto" && find . -type f ! -name '*.pyc' ! -name '_sotto.*.so' ! -name '*_sotto.abi3.so' | sort | tr '\n' ' ')
[ "$found" = './__init__.py ./_columns.py ./_sotto.pyi ./py.typed ./table.py ' ] || fail "it has $found"
[ "$(cd / && PYTHONPATH=$work/site "$python" -c 'import sotto; print(sotto.Registry.__name__)')" = Registry ] ||
    fail 'it is not imported'
# The program and the package have one version.
version=$("$python" -c "import tomllib; print(tomllib.load(open('$project/python/pyproject.toml', 'rb'))['project']['version'])")
grep -q "^project(sotto VERSION $version " "$project/CMakeLists.txt" || fail "its version is $version"
echo "wheel: $(basename "${wheel[0]}"), $(($(stat -c %s "${wheel[0]}") / 1024)) KiB"
