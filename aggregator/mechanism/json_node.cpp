// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/json_node.hpp"

#include "aggregator/base/big_integer.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/printable.hpp"
#include "aggregator/base/text.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::size_t longest_number = 1000;
// Sixteen draws of 64 bits, twice, and the one that RAPPOR adds.
constexpr std::uint32_t fraction_bits_max = 2200;

bool all_digits(std::string_view text) {
    return !text.empty() && text.size() <= longest_number &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
           (text.size() == 1 || text[0] != '0');
}

} // namespace

json_node json_node::at(const char *key) const {
    if (!value_->is_object()) {
        fail("not an object");
    }
    const std::string where = where_.empty() ? key : where_ + "." + key;
    const auto found = value_->find(key);
    if (found == value_->end()) {
        json_node(*value_, *path_, where).fail("missing");
    }
    return {*found, *path_, where};
}

std::vector<json_node> json_node::elements(std::size_t least, std::size_t most) const {
    if (!value_->is_array()) {
        fail("not an array");
    }
    if (value_->size() < least || value_->size() > most) {
        fail(least == most
                 ? fmt::format("{} elements, must be {}", value_->size(), least)
                 : fmt::format("{} elements, must be {} to {}", value_->size(), least, most));
    }
    std::vector<json_node> nodes;
    for (std::size_t i = 0; i < value_->size(); ++i) {
        nodes.emplace_back((*value_)[i], *path_, fmt::format("{}[{}]", where_, i));
    }
    return nodes;
}

std::uint32_t json_node::integer(std::uint32_t least, std::uint32_t most) const {
    // Negative integers are is_number_integer() but not is_number_unsigned().
    if (!value_->is_number_unsigned()) {
        fail("not a whole number");
    }
    const auto number = value_->get<std::uint64_t>();
    if (number < least || number > most) {
        fail(fmt::format("{} is not within {} to {}", number, least, most));
    }
    return static_cast<std::uint32_t>(number);
}

std::uint64_t json_node::large_integer() const {
    if (!value_->is_number_unsigned()) {
        fail("not a whole number");
    }
    return value_->get<std::uint64_t>();
}

std::int32_t json_node::signed_integer(std::int32_t least, std::int32_t most) const {
    if (!value_->is_number_integer()) {
        fail("not a whole number");
    }
    // Above 2^63 the number would wrap into the range.
    const bool huge = value_->is_number_unsigned() && value_->get<std::uint64_t>() >> 63 != 0;
    const auto number = value_->get<std::int64_t>();
    if (huge || number < least || number > most) {
        fail(fmt::format("{} is not within {} to {}", value_->dump(), least, most));
    }
    return static_cast<std::int32_t>(number);
}

bool json_node::boolean() const {
    if (!value_->is_boolean()) {
        fail("not true or false");
    }
    return value_->get<bool>();
}

const std::string &json_node::string() const {
    if (!value_->is_string()) {
        fail("not a string");
    }
    return value_->get_ref<const std::string &>();
}

std::string json_node::identifier(char extra, std::size_t longest) const {
    const std::string &text = string();
    const bool fits = std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == extra;
    });
    if (!fits || text.empty() || text.size() > longest) {
        fail(fmt::format("{} is not 1 to {} characters of a-z, 0-9, '{}'", in_quotes(text), longest,
                         extra));
    }
    return text;
}

std::string json_node::label(std::size_t longest) const {
    const std::string &text = string();
    if (printable(text) != text || text.empty() || text.size() > longest) {
        fail(fmt::format("{} is not 1 to {} bytes without control characters", in_quotes(text),
                         longest));
    }
    return text;
}

const std::string &json_node::digits() const {
    if (!all_digits(string())) {
        fail(in_quotes(string()) + " is not a decimal integer");
    }
    return string();
}

std::uint64_t json_node::integer_text(std::uint64_t least, std::uint64_t most) const {
    const std::string &text = digits();
    std::uint64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc() || number < least || number > most) {
        fail(fmt::format("{} is not within {} to {}", text.substr(0, 40), least, most));
    }
    return number;
}

wide_threshold json_node::wide_text(unsigned bits) const {
    const std::vector<std::uint32_t> limbs = big_integer(digits());
    wide_threshold number = {};
    if (bit_length(limbs) > bits) {
        fail(fmt::format("not within 0 to 2^{} - 1", bits));
    }
    std::copy(limbs.begin(), limbs.end(), number.begin());
    return number;
}

double json_node::fraction() const {
    const std::vector<std::uint32_t> numerator = big_integer(at("numerator").digits());
    const std::uint32_t bits = at("denominator_bits").integer(0, fraction_bits_max);
    // A probability below 2^-600 is no double to reckon with.
    if (bit_length(numerator) > bits + 1 || (bit_length(numerator) + 600 < bits)) {
        fail("not a probability");
    }
    const double value = scaled_down(numerator, bits);
    if (value > 1) {
        fail("not a probability");
    }
    return value;
}

decimal json_node::decimal_text() const {
    const std::string &text = string();
    const std::size_t point = text.find('.');
    const std::string fraction = point == std::string::npos ? "0" : "1" + text.substr(point + 1);
    decimal number{text, 0};
    if (!all_digits(text.substr(0, point)) || !all_digits(fraction) || text.back() == '.') {
        fail(in_quotes(text) + " is not a decimal number");
    }
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number.value);
    if (read.ec != std::errc() || !(number.value > 0)) {
        fail(in_quotes(text) + " is not a decimal number above 0");
    }
    return number;
}

std::uint32_t json_node::fingerprint() const {
    const std::string &text = string();
    const auto bytes = from_hex(text);
    const bool lower =
        std::none_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'F'; });
    if (!bytes || bytes->size() != 4 || !lower) {
        fail(in_quotes(text) + " is not a fingerprint: eight hex digits, lower case");
    }
    std::uint32_t number = 0;
    for (const std::uint8_t byte : *bytes) {
        number = number << 8 | byte;
    }
    return number;
}

void json_node::fail(const std::string &what) const {
    throw usage_error(where_.empty() ? fmt::format("{}: {}", *path_, what)
                                     : fmt::format("{}: {}: {}", *path_, where_, what));
}

} // namespace sotto::aggregator
