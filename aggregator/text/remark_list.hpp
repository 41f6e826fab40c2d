// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_TEXT_REMARK_LIST_HPP
#define SOTTO_AGGREGATOR_TEXT_REMARK_LIST_HPP

#include "aggregator/registry/registry.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sotto::aggregator {

// Remarks beside estimates, in the order in which they were added, but doubts about the estimates
// first. The same remark on several epochs is one line that names them.
class remark_list {
  public:
    enum class kind : std::uint8_t { doubt, plain };

    // `epoch` is one that was read, or nothing for a remark that is not about one.
    void add(const metric &m, std::optional<std::uint32_t> epoch, const std::string &text,
             kind as = kind::plain);
    // Where a metric has one epoch only, its remarks don't name it.
    void read(const metric &m, std::uint32_t epoch) { read_[&m].insert(epoch); }

    // "damage, epochs 0 to 2: text". At most 20 for a metric and kind, as anybody can send reports
    // of many epochs. One more line then says how many more there are, and in which epochs.
    std::vector<std::string> lines() const;

  private:
    struct remark {
        const metric *subject;
        kind as;
        std::string text;
        std::set<std::uint32_t> epochs;
    };

    std::string line_of(const remark &r) const;
    void add_lines(std::vector<std::string> &out, kind wanted) const;

    std::vector<remark> remarks_;
    std::map<std::pair<const metric *, std::string>, std::size_t> places_; // in all_
    std::map<const metric *, std::set<std::uint32_t>> read_;
};

} // namespace sotto::aggregator
#endif
