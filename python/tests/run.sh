#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a check with the wheel that wheel.sh installed.
#   run.sh PROJECT WORK_FOLDER CHECK.py [ARGUMENT…]
set -euo pipefail
project=$1 work=$2 check=$3
shift 3
python=$("$project/tools/setup.sh" --analysis python3) && [ -d "$work/site" ] || {
    echo 'skipped: there is no wheel, as python_wheel says'
    exit 77
}
site=$work/site
case $check in *spark*) # it needs Java besides
    java -version 2>/dev/null && spark=$("$project/tools/setup.sh" --spark python3) || {
        echo 'skipped: tools/setup.sh test obtains Spark and Java'
        exit 77
    }
    site=$site:$("$spark" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    ;;
esac
export PYTHONPATH=$site MPLCONFIGDIR=$work/matplotlib IPYTHONDIR=$work/ipython
export PYTHONDONTWRITEBYTECODE=1
exec "$python" "$project/python/tests/$check" "$@"
