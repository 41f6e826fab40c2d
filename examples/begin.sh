# SPDX-License-Identifier: Apache-2.0
# Every example's run.sh begins with this: source begin.sh NAME "$@", the arguments being
#   SOTTO OUT [SEED]     with a seed, in hex, the noise can be predicted: for tests
# Leaves the caller in OUT, empty, with `sotto`, `seed` and `root` set.
example=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
sotto=$(realpath "$2")
out=$3
seed=(${4:+--seed "$4"})
if [ -e "$out" ] && [ ! -e "$out/.$example" ]; then
    echo "run.sh: $out is something else; give a folder that does not exist" >&2
    exit 2
fi
rm -rf "$out"
mkdir -p "$out"
cd "$out"
touch ".$example"
