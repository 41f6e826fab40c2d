// SPDX-License-Identifier: Apache-2.0
// A store with reports of every type, and the program that reads it.
#ifndef SOTTO_TESTS_AGGREGATOR_EVERY_STORE_HPP
#define SOTTO_TESTS_AGGREGATOR_EVERY_STORE_HPP

#include "aggregator/estimate/bloom.hpp"
#include "aggregator/store/append.hpp"
#include "aggregator/store/store.hpp"
#include "run_program.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace sotto::aggregator::test {

class every_store : public testing::Test {
  protected:
    every_store() {
        (void)directory_.file("metrics.json", every_type_text());
        (void)directory_.file("other.json", registry_text());
        (void)directory_.file("names.txt", "B737\r\nC172\nA320\n");
        store target = store::to_write(directory_ / "store");
        target.keep({registry_, every_type_text()});
        std::mt19937 random(1);
        for (const metric &m : registry_.metrics) {
            std::vector<row> rows;
            for (std::uint32_t i = 0; i < releases; ++i) {
                rows.push_back(row_of(m, report_of(m, i, random)));
            }
            row_list list = rows_of(m, rows);
            (void)append(target, m, list);
        }
    }

    // Any value that the metric can have: strings without noise, all else without meaning.
    static report report_of(const metric &m, std::uint32_t number, std::mt19937 &random) {
        report r;
        r.epoch = 3;
        r.release[6] = static_cast<std::uint8_t>(number >> 8);
        r.release[7] = static_cast<std::uint8_t>(number);
        if (m.kind() == value_kind::index) {
            r.value = static_cast<std::uint32_t>(random() % m.value_size());
        } else if (m.kind() == value_kind::number) {
            r.value = static_cast<std::int32_t>(random() % 50);
        } else if (m.kind() == value_kind::numbers) {
            r.value = number_list(m.value_size(), static_cast<std::int32_t>(random() % 5));
        } else {
            bit_string bits((m.value_size() + 7) / 8);
            if (const auto *table = std::get_if<rappor_table>(&m.table);
                table && table->hashes > 0) {
                const auto cohort = static_cast<std::uint32_t>(random() % table->cohorts);
                r.cohort = cohort;
                const bloom_function bloom = bloom_of(*table);
                for (const std::uint32_t b : bloom("B737", cohort)) {
                    bits[b / 8] = static_cast<std::uint8_t>(bits[b / 8] | 1u << b % 8);
                }
            }
            r.value = bits;
        }
        return r;
    }

    program_result run(const std::string &arguments) const {
        return run_program(directory_, arguments);
    }
    program_result estimate(const std::string &more, const char *registry = "metrics.json") const {
        return run("estimate --store store --registry " + std::string(registry) + " " + more);
    }

    static constexpr std::uint32_t releases = 300;
    temporary_directory directory_;
    registry registry_ = parse_registry(every_type_text(), "M.json");
};

} // namespace sotto::aggregator::test
#endif
