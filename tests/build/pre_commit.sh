#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The hook lets a clean tree pass, and refuses a commit with an include that runs the wrong way.
#   pre_commit.sh PROJECT
set -euo pipefail
command -v git >/dev/null || {
    echo 'skipped: git is missing'
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
git init -q "$work"
tar -C "$1" --exclude=./build --exclude=./.git -cf - . | tar -C "$work" -xf -
cd "$work"
git config user.name test
git config user.email test@example.invalid
ln -s ../../tools/pre-commit .git/hooks/pre-commit
git add -A
git commit -qm 'A clean tree'
echo '#include "client/state.hpp"' >>sdk/src/random/uniform.cpp
git add -A
if git commit -qm 'A planted include' 2>log; then
    echo 'the hook let a planted include pass' >&2
    exit 1
fi
grep -q 'sdk/src/random may not include client/state.hpp' log || {
    cat log
    exit 1
}
