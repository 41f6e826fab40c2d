// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_MECHANISM_JSON_NODE_HPP
#define SOTTO_AGGREGATOR_MECHANISM_JSON_NODE_HPP

#include "aggregator/mechanism/metric.hpp"

#include <nlohmann/json.hpp>

namespace sotto::aggregator {

// A place in a JSON document that knows its name, so that every complaint says where. Each reader
// throws usage_error "path: where: what is wrong" unless the value is just what was asked for.
class json_node {
  public:
    json_node(const nlohmann::json &value, const std::string &path, std::string where = "")
        : value_(&value), path_(&path), where_(std::move(where)) {}

    // The member of an object; the elements of an array of `least` to `most`.
    json_node at(const char *key) const;
    std::vector<json_node> elements(std::size_t least, std::size_t most) const;
    bool is_null() const { return value_->is_null(); }
    bool has(const char *key) const { return value_->is_object() && value_->contains(key); }

    // A JSON integer.
    std::uint32_t integer(std::uint32_t least, std::uint32_t most) const;
    std::uint64_t large_integer() const;
    std::int32_t signed_integer(std::int32_t least, std::int32_t most) const;
    // A JSON string of 1 to `longest` characters out of a-z, 0-9 and `extra`.
    std::string identifier(char extra, std::size_t longest) const;
    bool boolean() const;
    const std::string &string() const;
    // A JSON string of 1 to `longest` bytes, none of them a control character.
    std::string label(std::size_t longest) const;
    // A string of digits without a leading zero.
    std::uint64_t integer_text(std::uint64_t least, std::uint64_t most) const;
    const std::string &digits() const;
    // A number of up to 64 or 128 bits in digits, as limbs.
    wide_threshold wide_text(unsigned bits) const;
    // {"numerator": "...", "denominator_bits": n}: the double nearest to it, 0 to 1.
    double fraction() const;
    // A string of digits with a point between them or none, greater than 0.
    decimal decimal_text() const;
    // A string of eight lower-case hex digits.
    std::uint32_t fingerprint() const;

    [[noreturn]] void fail(const std::string &what) const;

  private:
    const nlohmann::json *value_;
    const std::string *path_;
    std::string where_;
};

} // namespace sotto::aggregator
#endif
