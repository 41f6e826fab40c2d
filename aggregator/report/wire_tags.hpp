// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REPORT_WIRE_TAGS_HPP
#define SOTTO_AGGREGATOR_REPORT_WIRE_TAGS_HPP

#include <cstdint>

namespace sotto::aggregator {

// Field numbers of sdk/proto/report.proto.
namespace envelope_tag {
enum : std::uint32_t { version = 1, registry, batch, key_id, enc, ciphertext };
}
namespace batch_tag {
enum : std::uint32_t {
    epoch = 1,
    seed,
    metrics,
    levels,
    epoch_ages,
    flags,
    releases,
    values,
    padding
};
}

// The version of every envelope: sdk/proto/WIRE.md.
inline constexpr std::uint32_t wire_version = 2;

} // namespace sotto::aggregator
#endif
