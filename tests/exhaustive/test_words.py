# SPDX-License-Identifier: Apache-2.0
"""
Every mechanism of few words, on its metrics of tests/mechanisms.toml. tests/mechanisms.hpp says
what decides a draw, so that a new mechanism is proved without a line here.
"""
import sys
import unittest

from compiled import Certified, core, decisions, index_of, metrics, scalar_kernels
from registry import mechanisms
from test_ladder import CHECKS

FEW = 8  # words: all subsets of levels are enumerated


class Words(Certified):
    def test_every_metric_of_few_words(self) -> None:
        proved = set()
        for metric in metrics:
            index, name = index_of[metric["name"]], metric["name"]
            if decisions(index, 0) and core.word_count(index) <= FEW:
                kernels = scalar_kernels(name, lambda level, index=index: decisions(index, level))
                self.lossless(name, kernels, range(core.truth_count(index)))
                proved.add(metric["mechanism"])
        self.assertGreaterEqual(len(proved), 3)
        missing = mechanisms.BY_NAME.keys() - proved - CHECKS.keys()
        self.assertEqual(missing, set(), "no test enumerates these mechanisms")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
