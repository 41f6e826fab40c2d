// SPDX-License-Identifier: Apache-2.0
#include "aggregator/request/request.hpp"

#include <protozero/pbf_writer.hpp>
#include <string_view>

namespace sotto::aggregator {
namespace {

// Field numbers of sdk/proto/report.proto.
namespace request_tag {
enum : std::uint32_t { body = 1, signature };
}
namespace body_tag {
enum : std::uint32_t { registry = 1, metric, level, first_epoch, last_epoch, serial, select };
}

std::string body_of(const request &r) {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    const auto put = [&](std::uint32_t tag, std::uint32_t value) {
        if (value != 0) {
            writer.add_uint32(tag, value);
        }
    };
    writer.add_fixed32(body_tag::registry, r.registry);
    put(body_tag::metric, r.metric);
    put(body_tag::level, r.level);
    put(body_tag::first_epoch, r.first_epoch);
    put(body_tag::last_epoch, r.last_epoch);
    put(body_tag::serial, r.serial);
    writer.add_packed_uint32(body_tag::select, r.select.begin(), r.select.end()); // nothing of none
    return bytes;
}

} // namespace

std::string sign_request(const request &r, const request_key &key) {
    static constexpr std::string_view label = "\x10sotto request v1";
    const std::string body = body_of(r);
    std::vector<std::uint8_t> text(label.begin(), label.end());
    text.insert(text.end(), body.begin(), body.end());
    const p256_signature signature = key.sign(text);
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_bytes(request_tag::body, body);
    writer.add_bytes(request_tag::signature, reinterpret_cast<const char *>(signature.data()),
                     signature.size());
    return bytes;
}

} // namespace sotto::aggregator
