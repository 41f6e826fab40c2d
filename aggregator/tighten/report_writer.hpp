// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TIGHTEN_REPORT_WRITER_HPP
#define SOTTO_AGGREGATOR_TIGHTEN_REPORT_WRITER_HPP

#include "aggregator/base/atomic_file.hpp"
#include "aggregator/report/decode.hpp"

#include "sotto/registry.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace sotto::aggregator {

// Writes reports of one metric as devices do, in plain envelopes of one epoch each that hold as
// many as follow one another.
class report_writer {
  public:
    // All must outlive it.
    report_writer(const sotto_registry &tables, const sotto_metric &image, atomic_file &file)
        : tables_(tables), image_(image), file_(file) {}

    // `like`, but of this release, at this level and with these words for its value. Written by and
    // by.
    void add(const report &like, const release_id &release, std::uint32_t level,
             std::vector<std::uint32_t> words);
    // Writes the last ones.
    void finish();

  private:
    struct waiting {
        release_id release;
        std::uint32_t level, cohort;
        std::vector<std::uint32_t> words;
    };

    const sotto_registry &tables_;
    const sotto_metric &image_;
    atomic_file &file_;
    std::uint32_t epoch_ = 0;
    std::size_t bytes_ = 0; // ids and values that wait
    std::vector<waiting> waiting_;
};

} // namespace sotto::aggregator
#endif
