// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REPORT_STRICT_MESSAGE_HPP
#define SOTTO_AGGREGATOR_REPORT_STRICT_MESSAGE_HPP

#include "aggregator/report/reason.hpp"

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string_view>

namespace sotto::aggregator {

struct rejected {
    reason why;
};

// Walks the fields of one protobuf message and believes nothing: protozero's accessors only assert
// the wire type. Throws rejected, or protozero::exception on broken encoding.
class strict_message {
  public:
    // Tags run from 1 to last_tag; `repeated` may occur again, any other only once.
    strict_message(std::string_view bytes, std::uint32_t last_tag, std::uint32_t repeated = 0)
        : reader_(bytes.data(), bytes.size()), last_tag_(last_tag), repeated_(repeated) {}

    // On to the next known field. Unknown and repeated ones are noted, not yet refused: a later
    // version may mean something by them.
    bool next() {
        while (reader_.next()) {
            const std::uint32_t tag = reader_.tag();
            if (tag <= last_tag_) {
                const std::uint32_t bit = std::uint32_t{1} << tag;
                canonical_ &= tag == repeated_ || (seen_ & bit) == 0;
                seen_ |= bit;
                return true;
            }
            canonical_ = false;
            reader_.skip();
        }
        return false;
    }

    std::uint32_t tag() const { return reader_.tag(); }
    bool seen(std::uint32_t tag) const { return (seen_ >> tag & 1) != 0; }

    void require(std::uint32_t tag) const {
        if (!seen(tag)) {
            throw rejected{reason::missing_field};
        }
    }

    void require_canonical() const {
        if (!canonical_) {
            throw rejected{reason::not_canonical};
        }
    }

    std::uint32_t varint() {
        expect(protozero::pbf_wire_type::varint);
        const std::uint64_t value = reader_.get_uint64();
        if (value > 0xffffffff) {
            throw rejected{reason::malformed};
        }
        return static_cast<std::uint32_t>(value);
    }

    std::uint32_t fixed32() {
        expect(protozero::pbf_wire_type::fixed32);
        return reader_.get_fixed32();
    }

    std::string_view bytes() {
        expect(protozero::pbf_wire_type::length_delimited);
        const protozero::data_view view = reader_.get_view();
        return {view.data(), view.size()};
    }

  private:
    void expect(protozero::pbf_wire_type type) const {
        if (!reader_.has_wire_type(type)) {
            throw rejected{reason::malformed};
        }
    }

    protozero::pbf_reader reader_;
    std::uint32_t last_tag_, repeated_, seen_ = 0;
    bool canonical_ = true;
};

} // namespace sotto::aggregator
#endif
