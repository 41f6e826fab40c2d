// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_OPENMETRICS_HPP
#define SOTTO_AGGREGATOR_BASE_OPENMETRICS_HPP

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto::aggregator {

// An exposition in OpenMetrics 1.0.0 (openmetrics.io, "Text format"). Samples follow their family.
class openmetrics_text {
  public:
    using labels = std::vector<std::pair<const char *, std::string>>;

    explicit openmetrics_text(std::string prefix) : prefix_(std::move(prefix)) {}

    // `name` without the prefix; it ends in the unit, where there is one.
    void family(const char *name, const char *type, const char *help, const char *unit = "");
    // `suffix`: "_total" of a counter, "" of a gauge, "_info". A label whose value is "" is none.
    // `value` as text: digits, or a decimal.
    void sample(const char *suffix, const std::string &value, const labels &with = {});
    void counter(const char *name, const std::string &value, const char *help,
                 const char *unit = "");
    void gauge(const char *name, const std::string &value, const char *help, const char *unit = "");
    std::string finished() && { return std::move(text_) + "# EOF\n"; }

  private:
    std::string prefix_, name_, text_;
};

} // namespace sotto::aggregator
#endif
