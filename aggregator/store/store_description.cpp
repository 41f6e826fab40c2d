// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/store_description.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/file.hpp"
#include "aggregator/base/json_layout.hpp"
#include "aggregator/store/postgres_ledger.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <fmt/format.h>
#include <sys/random.h>

namespace sotto::aggregator {
namespace {

constexpr unsigned store_format = 4;
constexpr std::size_t format_bytes_max = 4096;

std::string format_text(unsigned number) { return json_text({{"format", number}}) + "\n"; }

} // namespace

std::string store_description::text() const {
    return ledger.empty()
               ? format_text(store_format)
               : json_text({{"format", store_format}, {"ledger", ledger}, {"id", id}}) + "\n";
}

store_description read_description(const std::filesystem::path &file) {
    const std::string text = read_whole(file, format_bytes_max);
    for (unsigned older = 1; older < store_format; ++older) {
        if (text == format_text(older)) {
            throw usage_error(fmt::format("{}: the store is of an older format ({}, this program "
                                          "writes {}); ingest its report files into a new one",
                                          file.string(), older, store_format));
        }
    }
    store_description read;
    const json_value value = json_value::parse(text, nullptr, false);
    const auto string_at = [&](const char *key) {
        const auto at = value.is_object() ? value.find(key) : value.end();
        return at != value.end() && at->is_string() ? at->get<std::string>() : "";
    };
    read.ledger = string_at("ledger");
    read.id = string_at("id");
    if (text != read.text()) {
        throw environment_error(fmt::format("{}: not the format that this program knows ({}); if a "
                                            "newer sotto wrote the store, use that one",
                                            file.string(), store_format));
    }
    if (!read.ledger.empty()) {
        postgres_ledger::check(file.string(), read.ledger);
    }
    return read;
}

std::string new_store_id() {
    std::array<std::uint8_t, 16> bytes = {};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        throw environment_error("random numbers", errno);
    }
    std::string id;
    for (const std::uint8_t byte : bytes) {
        id += fmt::format("{:02x}", byte);
    }
    return id;
}

} // namespace sotto::aggregator
