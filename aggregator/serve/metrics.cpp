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

void put_requests(page &to, const server_numbers &of) {
    std::uint64_t refused = 0;
    for (const auto &[words, times] : of.refused) {
        refused += times;
    }
    to.family("requests", "counter", "Requests by what became of them.");
    to.sample("_total", of.stored, "{outcome=\"stored\"}");
    to.sample("_total", refused, "{outcome=\"refused\"}");
    to.sample("_total", of.not_stored, "{outcome=\"not_stored\"}");
    to.sample("_total", of.cut, "{outcome=\"cut\"}");
    to.family("refusals", "counter", "Refused requests by the answer.");
    for (const auto &[words, times] : of.refused) {
        to.sample("_total", times, fmt::format("{{answer=\"{}\"}}", label_text(words)));
    }
}

void put_disk(page &to, const server_numbers &of) {
    to.counter("stored_bytes", of.stored_bytes, "Bytes of bodies that are durable.", "bytes");
    to.counter("groups", of.groups, "Groups of bodies that were written together.");
    to.counter("syncs", of.syncs, "Calls of fsync.");
    to.gauge("waiting_bytes", of.waiting_bytes, "What waits to be ingested.", "bytes");
    to.gauge("waiting_max_bytes", of.waiting_bytes_max, "What may wait.", "bytes");
    to.gauge("waiting_files", of.waiting_files, "Files that wait to be ingested.", "files");
}

} // namespace

std::string metrics_text(const server_numbers &of) {
    page out;
    out.family("build", "info", "The program.");
    out.sample("_info", 1, "{version=\"" SOTTO_VERSION "\"}");
    put_requests(out, of);
    put_disk(out, of);
    out.gauge("connections", of.connections, "Open connections.", "connections");
    out.counter("connections_accepted", of.connections_accepted, "Connections that came.");
    out.counter("connections_dropped", of.connections_dropped,
                "Connections that were closed without an answer: too many.");
    return std::move(out).finished();
}

} // namespace sotto::aggregator
