// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SERVE_BODY_KIND_HPP
#define SOTTO_AGGREGATOR_SERVE_BODY_KIND_HPP

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

namespace sotto::aggregator {

// The visible part of an envelope, without any key. It says why a body is none (0: it is one), its
// registry, whether it is sealed, and for which key. `sotto ingest` admits all envelopes of one
// kind, or none of them.
using envelope_kind = std::tuple<int, std::uint32_t, bool, std::uint32_t>;

// The kind of all envelopes of a body. Nothing where they are of several, and where the body does
// not end with an envelope: what follows would be lost with its framing.
using body_kind = std::optional<envelope_kind>;

// Reads the framing and the visible fields; any bytes will do.
body_kind kind_of(std::string_view body) noexcept;

} // namespace sotto::aggregator
#endif
