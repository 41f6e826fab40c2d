// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_TESTS_AGGREGATOR_TALLY_STORE_HPP
#define SOTTO_TESTS_AGGREGATOR_TALLY_STORE_HPP

#include "aggregator/base/big_endian.hpp"
#include "aggregator/store/append.hpp"
#include "aggregator/tally/update.hpp"
#include "aggregator/tally/verify.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <random>

namespace sotto::aggregator::test {

// A store of the small registry, filled by hand, and its tallies.
class tally_store : public testing::Test {
  protected:
    tally_store() { store_.keep({registry_, registry_text()}); }

    const metric &smoke() const { return *registry_.find("smoke"); }

    append_result add(std::uint32_t release, std::uint32_t level, bool value,
                      std::uint32_t epoch = 5, std::uint32_t flags = 0) {
        report r;
        put_big_endian(&r.release[4], release);
        r.level = level;
        r.epoch = epoch;
        r.flags = flags;
        r.value = std::uint32_t{value};
        row_list list = rows_of(smoke(), {row_of(smoke(), r)});
        return append(store_, smoke(), list);
    }

    void add_some(std::uint32_t count, std::uint32_t epoch = 5) {
        std::mt19937 random(3);
        row_list list(row_bytes(smoke()));
        for (std::uint32_t i = 0; i < count; ++i) {
            report r;
            put_big_endian(&r.release[0], static_cast<std::uint32_t>(random() | 1));
            r.level = random() % 2;
            r.epoch = epoch + i % 3;
            r.value = static_cast<std::uint32_t>(random() % 2);
            std::vector<std::uint8_t> bytes;
            list.add(view_of(r, bytes));
        }
        EXPECT_EQ(append(store_, smoke(), list).added, count);
    }

    epoch_tally counted(std::uint32_t epoch = 5) {
        metric_epochs epochs(store_, smoke());
        for (const epoch_record &record : epochs.epochs()) {
            if (record.epoch == epoch) {
                return epochs.tally(record);
            }
        }
        return empty_epoch_tally(smoke());
    }

    std::vector<std::string> problems() { return verify(store_).problems; }

    const temporary_directory directory_;
    const registry registry_ = parse_registry(registry_text(), "M.json");
    const registry every_ = parse_registry(every_type_text(), "M.json");
    store store_ = store::to_write(directory_ / "store");
};

} // namespace sotto::aggregator::test
#endif
