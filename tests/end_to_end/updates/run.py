# SPDX-License-Identifier: Apache-2.0
"""
A device is updated and goes back: a metric that is gone meanwhile keeps its budget. Devices do what
`diff` says of a registry.

    run.py SOTTO-REGISTRY FIRST-FIRMWARE SECOND-FIRMWARE NARROW-FIRMWARE WORK_FOLDER
"""
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
OK, UNKNOWN, ALREADY, BUDGET, SIZE = 0, -5, -8, -21, -70


def run(*command: str) -> tuple[int, str, str]:
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def main() -> int:
    compiler, first, second, narrow, work = sys.argv[1:6]
    shutil.rmtree(work, ignore_errors=True)
    Path(work).mkdir(parents=True)

    def answers(firmware: str, epoch: int) -> list[int]:
        return [int(word) for word in run(firmware, work, str(epoch))[1].split()]

    def diff(old: str, new: str) -> tuple[int, str, str]:
        return run(sys.executable, compiler, "diff", str(HERE / old), str(HERE / new))

    # The second one takes the state, and the first one takes it back.
    assert answers(first, 0) == [OK, OK, OK, UNKNOWN]
    assert answers(second, 1) == [OK, OK, UNKNOWN, OK]
    assert answers(first, 2) == [OK, OK, OK, UNKNOWN]
    assert answers(second, 3) == [OK, OK, UNKNOWN, OK]
    assert answers(first, 3) == [OK, ALREADY, BUDGET, UNKNOWN], "two of four epochs are spent"
    assert answers(first, 4) == [OK, OK, OK, UNKNOWN], "epoch 0 has left the window"
    status, said, error = diff("first.toml", "second.toml")
    assert (status, error) == (0, ""), (status, error)
    assert 'metric 2 "room": removed' in said and "\nthe way back is open\n" in said, said

    # The narrow one does not, and nothing is lost by trying.
    assert answers(narrow, 4) == [SIZE]
    status, said, error = diff("first.toml", "narrow.toml")
    assert status == 1 and 'metric 2 "room": removed' in said, (status, said)
    assert error == (
        "devices in the field will refuse this, because there is no room for their state with the"
        ' accounts of "room", which stay; state_bytes = 1024 or more would do\n'
    ), error
    assert answers(first, 5) == [OK, OK, BUDGET, UNKNOWN]
    status, said, error = diff("narrow.toml", "first.toml")
    assert status == 0 and "\nthe way back is closed, because there is no room" in said, said
    print("a device went back and forth, and its budget stayed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
