#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The hook lets a clean tree pass. It refuses an include that runs the wrong way, a question which
# mechanism it is, and a citation that leads nowhere.
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
tar --exclude=./build --exclude=./.git -C "$1" -cf - . | tar -C "$work" -xf -
cd "$work"
git config user.name test
git config user.email test@example.invalid
ln -s ../../tools/pre-commit .git/hooks/pre-commit
git add -A
git commit -qm 'A clean tree'
refuses() { # FILE LINE MESSAGE: the hook refuses a commit with this line, and says so
    echo "$2" >>"$1"
    git add -A
    if git commit -qm 'A planted line' 2>log; then
        echo "the hook let \"$2\" pass" >&2
        exit 1
    fi
    grep -qF "$3" log || {
        cat log
        exit 1
    }
    git reset -q --hard
}
refuses sdk/src/random/uniform.cpp '#include "client/state.hpp"' \
    'sdk/src/random may not include client/state.hpp'
refuses aggregator/text/fields.cpp 'static const rappor_table *planted;' \
    'asks rappor_table'
refuses docs/API.md 'See nowhere.cpp.' 'nowhere.cpp'
