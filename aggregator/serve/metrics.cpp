// SPDX-License-Identifier: Apache-2.0
#include "aggregator/serve/metrics.hpp"

#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace sotto::aggregator {
namespace {

// A label's value, where three characters are written otherwise.
std::string label_text(std::string_view value) {
    std::string out;
    for (const char c : value) {
        if (c == '\\' || c == '"') {
            out += '\\';
        }
        out += c == '\n' ? "\\n" : std::string(1, c);
    }
    return out;
}

class page {
  public:
    void family(const char *name, const char *type, const char *help, const char *unit = "") {
        name_ = std::string("sotto_serve_") + name;
        text_ += fmt::format("# TYPE {} {}\n", name_, type);
        if (*unit != '\0') {
            text_ += fmt::format("# UNIT {} {}\n", name_, unit);
        }
        text_ += fmt::format("# HELP {} {}\n", name_, help);
    }
    // `suffix`: "_total" of a counter, "" of a gauge, "_info"; `labels` with their braces.
    void sample(const char *suffix, std::uint64_t value, const std::string &labels = "") {
        text_ += fmt::format("{}{}{} {}\n", name_, suffix, labels, value);
    }
    void counter(const char *name, std::uint64_t value, const char *help, const char *unit = "") {
        family(name, "counter", help, unit);
        sample("_total", value);
    }
    void gauge(const char *name, std::uint64_t value, const char *help, const char *unit = "") {
        family(name, "gauge", help, unit);
        sample("", value);
    }
    std::string finished() && { return std::move(text_) + "# EOF\n"; }

  private:
    std::string name_, text_;
};

void put_requests(page &out, const server_numbers &numbers) {
    std::uint64_t refused = 0;
    for (const auto &[words, times] : numbers.refused) {
        refused += times;
    }
    out.family("requests", "counter", "Requests by what became of them.");
    out.sample("_total", numbers.stored, "{outcome=\"stored\"}");
    out.sample("_total", refused, "{outcome=\"refused\"}");
    out.sample("_total", numbers.not_stored, "{outcome=\"not_stored\"}");
    out.sample("_total", numbers.cut, "{outcome=\"cut\"}");
    out.family("refusals", "counter", "Refused requests by the answer.");
    for (const auto &[words, times] : numbers.refused) {
        out.sample("_total", times, fmt::format("{{answer=\"{}\"}}", label_text(words)));
    }
}

void put_disk(page &out, const server_numbers &numbers) {
    out.counter("stored_bytes", numbers.stored_bytes, "Bytes of bodies that are durable.", "bytes");
    out.counter("groups", numbers.groups, "Groups of bodies that were written together.");
    out.counter("syncs", numbers.syncs, "Calls of fsync.");
    out.gauge("waiting_bytes", numbers.waiting_bytes, "Size of the files that wait to be ingested.",
              "bytes");
    out.gauge("waiting_max_bytes", numbers.waiting_bytes_max, "Limit of that size.", "bytes");
    out.gauge("waiting_files", numbers.waiting_files, "Files that wait, at the last count.",
              "files");
}

} // namespace

std::string metrics_text(const server_numbers &numbers) {
    page out;
    out.family("build", "info", "The program.");
    out.sample("_info", 1, "{version=\"" SOTTO_VERSION "\"}");
    put_requests(out, numbers);
    put_disk(out, numbers);
    out.gauge("connections", numbers.connections, "Open connections.", "connections");
    out.counter("connections_accepted", numbers.connections_accepted, "Connections that came.");
    out.counter("connections_dropped", numbers.connections_dropped,
                "Connections that were closed without an answer: too many.");
    return std::move(out).finished();
}

} // namespace sotto::aggregator
