// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/openmetrics.hpp"

#include "aggregator/base/printable.hpp"
#include "aggregator/base/text.hpp"

#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// A label's value, where three characters are written otherwise. It must be UTF-8.
std::string label_text(const std::string &value) {
    std::string out;
    for (const char c : is_utf8(value) ? value : printable(value)) {
        if (c == '\\' || c == '"') {
            out += '\\';
        }
        out += c == '\n' ? "\\n" : std::string(1, c);
    }
    return out;
}

} // namespace

void openmetrics_text::family(const char *name, const char *type, const char *help,
                              const char *unit) {
    name_ = prefix_ + name;
    text_ += fmt::format("# TYPE {} {}\n", name_, type);
    if (*unit != '\0') {
        text_ += fmt::format("# UNIT {} {}\n", name_, unit);
    }
    text_ += fmt::format("# HELP {} {}\n", name_, help);
}

void openmetrics_text::sample(const char *suffix, const std::string &value, const labels &with) {
    std::vector<std::string> texts;
    for (const auto &[name, label] : with) {
        if (!label.empty()) {
            texts.push_back(fmt::format("{}=\"{}\"", name, label_text(label)));
        }
    }
    const std::string braced = texts.empty() ? "" : fmt::format("{{{}}}", fmt::join(texts, ","));
    text_ += fmt::format("{}{}{} {}\n", name_, suffix, braced, value);
}

void openmetrics_text::counter(const char *name, const std::string &value, const char *help,
                               const char *unit) {
    family(name, "counter", help, unit);
    sample("_total", value);
}

void openmetrics_text::gauge(const char *name, const std::string &value, const char *help,
                             const char *unit) {
    family(name, "gauge", help, unit);
    sample("", value);
}

} // namespace sotto::aggregator
