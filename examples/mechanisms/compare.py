#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Prints the estimates of run.sh beside the truth that only the example's data knows.

    compare.py FOLDER

Exit code 1 when

- an estimate is further from the truth than 7 standard errors (chance: once in 10^11 estimates)
- so few 95 % intervals hold the truth as would once in 10^9 runs, were they independent
- relaxing did not make an estimate more accurate
- ladder and accuracy are not what `sotto epsilon` promises. All levels together lose what the
  highest loses. An estimate of a relaxed release is as accurate as that level would be alone.
"""
import csv
import json
import math
import sys
from collections import Counter, defaultdict
from pathlib import Path

LIMIT = 7
LEVELS = 3
NOT_LOSSLESS = {"aircraft", "time_of_day_by_rappor"}  # their permanent noise is relaxed
SPEEDS = 400.0  # the range of every number, from 0


def truths(rows: list[dict[str, str]]) -> dict[str, dict[str | None, float]]:
    """By metric, by value: a count, or a mean under None."""
    count = {
        column: {value: float(n) for value, n in Counter(row[column] for row in rows).items()}
        for column in ("phase", "time_of_day", "aircraft")
    }
    damaged: dict[str | None, float] = {"true": float(sum(row["damage"] != "None" for row in rows))}
    facts = Counter(name for row in rows for name in row["circumstances"].split("|") if name)
    speeds = [float(row["speed_knots"]) for row in rows if row["speed_knots"]]
    # The SDK clamps to the registry's range; so does the truth.
    mean: dict[str | None, float] = {None: sum(min(max(s, 0), 400) for s in speeds) / len(speeds)}
    pairs = [row["speeds"].split("|") for row in rows if row["speeds"]]
    vector = {
        str(i): sum(min(max(float(pair[i]), 0), 400) for pair in pairs) / len(pairs) for i in (0, 1)
    }
    return {
        "damage": damaged, "damage_by_laplace": damaged,
        "phase": count["phase"], "phase_by_optimized_unary": count["phase"],
        "time_of_day": count["time_of_day"], "time_of_day_by_rappor": count["time_of_day"],
        "aircraft": count["aircraft"], "circumstances": {k: float(v) for k, v in facts.items()},
        "speed_knots": mean, "mean_speed_knots": mean, "speeds": vector,
    }


def channel_of(law: dict[str, float], size: int) -> tuple[float, float]:
    """With which probabilities a report says yes where the truth is no, and where it is yes."""
    if "flip" in law:
        return law["flip"], 1 - law["flip"]
    if "keep" in law:
        return (1 - law["keep"]) / size, law["keep"] + (1 - law["keep"]) / size
    return law["one_if_zero"], law["one_if_one"]


def promised_error(metric: dict, level: int, row: dict, size: int) -> tuple[float, float]:
    """The standard error that `sotto epsilon` promises this estimate, and how far off it may be.

    It is promised of a count of 0, and of numbers in the middle of the range. For other counts, and
    for a mean of bits, it follows from the mechanism's probabilities.
    """
    stated, n = metric["levels"][level], row["reports"]
    expected, law = stated["std_error"][1], stated["probabilities"]
    if metric["mechanism"] == "discrete_laplace":
        # The middle is where the most is left of the noise. Nearer to an end it is clamped more,
        # which at epsilon 4 takes a tenth from the error. And how many are clamped is chance.
        return 0.95 * expected["mean"] * math.sqrt(expected["reports"] / n), 0.08
    if metric["mechanism"] == "one_bit_mean":
        if_one = law["flip"] + (1 - 2 * law["flip"]) * row["estimate"] / SPEEDS
        return expected["mean"] * math.sqrt(4 * if_one * (1 - if_one) * expected["reports"] / (n - 1)), 1e-6
    none = expected["share"] * math.sqrt(expected["reports"] * n)
    if metric["mechanism"] == "rappor":
        # So many candidates take as many of the equations; which bits they share, and how well all
        # fit, is chance.
        equations = metric["table"]["bits"] * metric["table"]["cohorts"]
        return none / math.sqrt(1 - (size + 1) / equations), 0.15
    if_zero, if_one = channel_of(law, size)
    count = min(max(row["estimate"], 0), n)
    more = count / n * (if_one * (1 - if_one) / (if_zero * (1 - if_zero)) - 1)
    return none * math.sqrt(1 + more), 1e-6


def by_chance(held: int, count: int) -> float:
    """The probability that no more than so many 95 % intervals hold the truth."""
    return sum(math.comb(count, k) * 0.95**k * 0.05 ** (count - k) for k in range(held + 1))


def value_of(row: dict) -> str | None:
    value = row["value"]
    return None if value is None else "true" if value is True else str(value)


def main() -> int:
    folder = Path(sys.argv[1])
    with open(folder / "rows.csv", newline="", encoding="utf-8") as file:
        truth = truths(list(csv.DictReader(file)))
    promised = {m["name"]: m for m in json.loads((folder / "epsilon.json").read_text())["metrics"]}
    seen: dict[str, list[list[dict]]] = defaultdict(lambda: [[] for _ in range(LEVELS)])
    for level in range(LEVELS):
        for row in json.loads((folder / f"level{level}.json").read_text()):
            seen[row["metric"]][level].append(row)

    print(f"{'metric':26}{'level':>6}{'epsilon':>9}{'± 95 %':>12}{'worst error':>13}"
          f"{'in intervals':>14}   all levels together")
    failures = []
    intervals, holding = [0] * LEVELS, [0] * LEVELS
    for name, by_level in seen.items():
        errors = []
        for level, rows in enumerate(by_level):
            if not rows:
                failures.append(f"{name}: nothing at level {level}")
                continue
            z = [(r["estimate"] - truth[name].get(value_of(r), 0.0)) / r["std_error"] for r in rows]
            worst = max(z, key=abs)
            held = sum(r["ci_low"] <= truth[name].get(value_of(r), 0.0) <= r["ci_high"] for r in rows)
            intervals[level] += len(rows)
            holding[level] += held
            errors.append(math.sqrt(sum(r["std_error"] ** 2 for r in rows) / len(rows)))
            joint = promised[name]["joint"] if level == LEVELS - 1 else None
            print(f"{name:26}{level:>6}{rows[0]['epsilon']:>9.3f}{1.96 * errors[-1]:>12.1f}"
                  f"{worst:>11.1f} σ{held:>8} of {len(rows):<3}"
                  + (f"   epsilon {joint:.3f}" if joint else ""))
            stated = promised[name]["levels"][level]
            for row in rows:
                expected, tolerance = promised_error(promised[name], level, row, len(rows))
                if abs(row["std_error"] / expected - 1) > tolerance:
                    failures.append(f"{name} {row['value']}, level {level}: standard error "
                                    f"{row['std_error']:.2f}, promised {expected:.2f}")
            if joint and name not in NOT_LOSSLESS and not 0 <= stated["nominal"] - joint < 1e-5:
                failures.append(f"{name}: together {joint}, the highest is {stated['nominal']}")
            if joint and name in NOT_LOSSLESS and joint <= stated["realised"]:
                failures.append(f"{name}: together {joint}, no more than the highest")
            if abs(worst) > LIMIT:
                failures.append(f"{name}, level {level}: {worst:.1f} standard errors off")
        if errors != sorted(errors, reverse=True):
            failures.append(f"{name}: relaxing made it less accurate")
    for level, (held, count) in enumerate(zip(holding, intervals)):
        print(f"level {level}: {held} of {count} intervals hold the truth")
        if by_chance(held, count) < 1e-9:
            failures.append(f"level {level}: {held} of {count} 95 % intervals hold the truth")
    missing = truth.keys() - seen.keys()
    failures += [f"{name}: no estimate" for name in missing]
    for failure in failures:
        print(failure, file=sys.stderr)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
