// SPDX-License-Identifier: Apache-2.0
#include "aggregator/serve/body_kind.hpp"

#include "aggregator/report/decode.hpp"
#include "aggregator/report/envelope_file.hpp"

namespace sotto::aggregator {
namespace {

envelope_kind kind_of_envelope(std::string_view bytes) noexcept {
    const auto read = decode_envelope(bytes);
    if (const reason *why = std::get_if<reason>(&read)) {
        return {1 + static_cast<int>(*why), 0, false, 0};
    }
    const auto &e = *std::get_if<envelope>(&read);
    return {0, e.registry, e.sealed, e.key_id};
}

} // namespace

body_kind kind_of(std::string_view body) noexcept {
    body_kind kind;
    while (const auto bytes = take_envelope(body)) {
        const envelope_kind here = kind_of_envelope(*bytes);
        if (kind && *kind != here) {
            return std::nullopt;
        }
        kind = here;
    }
    return body.empty() ? kind : std::nullopt;
}

} // namespace sotto::aggregator
