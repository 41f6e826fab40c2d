// SPDX-License-Identifier: Apache-2.0
#include "aggregator/simulate/envelope_writer.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/report/wire_tags.hpp"

#include <array>
#include <protozero/pbf_writer.hpp>
#include <protozero/varint.hpp>

namespace sotto::aggregator {
namespace {

constexpr std::size_t x25519_bytes = 32, tag_bytes = 16;

std::uint8_t *bytes_of(std::string &text) { return reinterpret_cast<std::uint8_t *>(text.data()); }

// The fields before the batch or before enc.
std::string header_of(const sotto_registry &tables, const sotto_seal_key *key,
                      std::optional<reason> fault) {
    std::string header;
    protozero::pbf_writer writer(header);
    writer.add_uint32(envelope_tag::version,
                      wire_version + (fault == reason::unknown_version ? 1 : 0));
    writer.add_fixed32(envelope_tag::registry, fault == reason::unknown_registry
                                                   ? ~tables.fingerprint
                                                   : tables.fingerprint);
    if (key != nullptr) {
        writer.add_fixed32(envelope_tag::key_id, fault == reason::unknown_key ? ~key->id : key->id);
    }
    return header;
}

void seal(std::string &envelope, std::string text, const sotto_registry &tables,
          const sotto_seal_key &key, const sotto_entropy &random) {
    std::array<std::uint8_t, x25519_bytes> ephemeral;
    std::string enc(x25519_bytes, '\0');
    const std::size_t text_bytes = text.size();
    text.resize(text_bytes + tag_bytes);
    const std::int32_t got = random.read(random.context, ephemeral.data(), ephemeral.size());
    const sotto_status status =
        got == static_cast<std::int32_t>(ephemeral.size())
            ? tables.sealing->seal(key.public_key, ephemeral.data(), bytes_of(envelope),
                                   envelope.size(), bytes_of(enc), bytes_of(text), text_bytes)
            : static_cast<sotto_status>(SOTTO_ERR_ENTROPY_SHORT);
    if (status < SOTTO_OK) {
        throw environment_error(sotto_status_text(status));
    }
    protozero::pbf_writer writer(envelope);
    writer.add_bytes(envelope_tag::enc, enc);
    writer.add_bytes(envelope_tag::ciphertext, text);
}

} // namespace

std::string envelope_writer::write(packed_batch batch, const sotto_entropy &random) const {
    const sotto_seal_key *key = registry_.sealing == nullptr ? nullptr : registry_.sealing->keys;
    std::string envelope = header_of(registry_, key, batch.fault);
    if (key == nullptr) {
        protozero::pbf_writer(envelope).add_bytes(envelope_tag::batch, batch.bytes);
    } else {
        seal(envelope, std::move(batch.bytes), registry_, *key, random);
    }
    if (batch.fault == reason::not_opened) {
        envelope.back() ^= 1;
    }
    std::string bytes;
    protozero::write_varint(std::back_inserter(bytes), envelope.size());
    return bytes + envelope;
}

} // namespace sotto::aggregator
