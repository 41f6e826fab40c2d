// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/own_candidates.hpp"

#include "aggregator/mechanism/mechanism.hpp"

#include <charconv>
#include <utility>

namespace sotto::aggregator {
namespace {

std::vector<std::string> all_texts(const metric &m) {
    std::vector<std::string> texts = m.names;
    for (std::uint32_t i = 0; m.names.empty() && i < m.value_size(); ++i) {
        texts.push_back(std::to_string(i));
    }
    return texts;
}

own_candidates categories_of(const metric &m, std::vector<std::string> given) {
    const category_texts known(m);
    const std::size_t unknown =
        std::erase_if(given, [&](const std::string &text) { return !known.index_of(text); });
    if (given.empty() && m.value_size() <= categories_tried_max) {
        return {all_texts(m), std::nullopt};
    }
    own_candidates own = {std::move(given), std::nullopt};
    if (unknown > 0) {
        own.left_out = candidates_unknown{unknown, m.value_size()};
    }
    return own;
}

} // namespace

category_texts::category_texts(const metric &m) : size_(m.value_size()) {
    for (std::uint32_t i = 0; i < m.names.size(); ++i) {
        names_.emplace(m.names[i], i);
    }
}

std::optional<std::uint32_t> category_texts::index_of(const std::string &text) const {
    if (!names_.empty()) {
        const auto at = names_.find(text);
        return at == names_.end() ? std::nullopt : std::optional(at->second);
    }
    std::uint32_t index = 0;
    std::from_chars(text.data(), text.data() + text.size(), index);
    return index < size_ && std::to_string(index) == text ? std::optional(index) : std::nullopt;
}

own_candidates own_candidates_of(const metric &m, std::vector<std::string> given) {
    const bloom_shape *shape = mechanism_of(m).strings(m);
    if (shape == nullptr) {
        return {std::move(given), std::nullopt};
    }
    if (shape->categories > 0) {
        return categories_of(m, std::move(given));
    }
    const std::size_t longer = std::erase_if(
        given, [&](const std::string &text) { return text.size() > shape->max_bytes; });
    own_candidates own = {std::move(given), std::nullopt};
    if (longer > 0) {
        own.left_out = candidates_too_long{longer, shape->max_bytes};
    }
    return own;
}

} // namespace sotto::aggregator
