// SPDX-License-Identifier: Apache-2.0
#include "report/decode_request.hpp"

#include "random/fixed_time.hpp"
#include "report.pb.h"

namespace sotto::report {
namespace {

enum wire_type : uint32_t { varint = 0, delimited = 2, fixed32 = 5 };

// One message, from front to back. Once something is wrong, all that follows is.
class reader {
  public:
    reader(const uint8_t *bytes, size_t length_bytes) : at_(bytes), left_(length_bytes) {}

    // Is this the next field? It is read over then.
    bool field(uint32_t tag, wire_type type) {
        const bool is_next = left_ > 0 && *at_ == (tag << 3 | type);
        if (is_next) {
            skip(1);
        }
        return is_next;
    }

    // In its shortest form only.
    bool number(uint32_t &value) {
        value = 0;
        for (uint32_t shift = 0; left_ > 0 && shift < 35; shift += 7) {
            const uint32_t byte = *at_;
            skip(1);
            value |= (byte & 0x7f) << shift;
            if ((byte & 0x80) == 0) {
                return (byte != 0 || shift == 0) && (shift < 28 || byte < 0x10);
            }
        }
        return false;
    }

    bool fixed(uint32_t &value) {
        if (left_ < 4) {
            return false;
        }
        value = load32(at_);
        skip(4);
        return true;
    }

    bool piece(const uint8_t *&bytes, size_t &length_bytes) {
        uint32_t length = 0;
        if (!number(length) || length > left_) {
            return false;
        }
        bytes = at_;
        length_bytes = length;
        skip(length);
        return true;
    }

    bool at_end() const { return left_ == 0; }

  private:
    void skip(size_t bytes) {
        at_ += bytes;
        left_ -= bytes;
    }
    const uint8_t *at_;
    size_t left_;
};

// A zero is not written.
bool optional_number(reader &in, uint32_t tag, uint32_t &value) {
    value = 0;
    return !in.field(tag, varint) || (in.number(value) && value != 0);
}

bool required_number(reader &in, uint32_t tag, uint32_t &value) {
    return optional_number(in, tag, value) && value != 0;
}

bool is_rising(const uint8_t *select, size_t length_bytes) {
    reader in(select, length_bytes);
    uint32_t last = 0, value = 0;
    bool is_first = true, ok = true;
    while (ok && !in.at_end()) {
        ok = in.number(value) && (is_first || value > last);
        last = value;
        is_first = false;
    }
    return ok;
}

bool decode_body(request &decoded) {
    reader in(decoded.body, decoded.body_bytes);
    if (!in.field(sotto_RequestBody_registry_tag, fixed32) || !in.fixed(decoded.registry) ||
        !required_number(in, sotto_RequestBody_metric_tag, decoded.metric) ||
        !required_number(in, sotto_RequestBody_level_tag, decoded.level) ||
        !optional_number(in, sotto_RequestBody_first_epoch_tag, decoded.first_epoch) ||
        !optional_number(in, sotto_RequestBody_last_epoch_tag, decoded.last_epoch) ||
        !required_number(in, sotto_RequestBody_serial_tag, decoded.serial)) {
        return false;
    }
    decoded.select = nullptr;
    decoded.select_bytes = 0;
    if (in.field(sotto_RequestBody_select_tag, delimited) &&
        (!in.piece(decoded.select, decoded.select_bytes) || decoded.select_bytes == 0)) {
        return false;
    }
    return in.at_end() && decoded.first_epoch <= decoded.last_epoch &&
           is_rising(decoded.select, decoded.select_bytes);
}

} // namespace

bool request::selects(uint32_t value) const {
    reader in(select, select_bytes);
    uint32_t selected = 0;
    while (!in.at_end()) {
        if (in.number(selected) && selected == value) {
            return true;
        }
    }
    return false;
}

uint32_t request::highest_selected() const {
    reader in(select, select_bytes);
    uint32_t value = 0;
    while (!in.at_end()) {
        (void)in.number(value);
    }
    return value;
}

bool decode_request(const uint8_t *bytes, size_t length_bytes, request &decoded) {
    reader in(bytes, length_bytes);
    size_t signature_length = 0;
    return length_bytes <= request_bytes_max && in.field(sotto_Request_body_tag, delimited) &&
           in.piece(decoded.body, decoded.body_bytes) &&
           in.field(sotto_Request_signature_tag, delimited) &&
           in.piece(decoded.signature, signature_length) && signature_length == signature_bytes &&
           in.at_end() && decode_body(decoded);
}

} // namespace sotto::report
