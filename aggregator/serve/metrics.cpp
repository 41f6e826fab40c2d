// SPDX-License-Identifier: Apache-2.0
#include "aggregator/serve/metrics.hpp"

#include "aggregator/base/openmetrics.hpp"

#include <utility>

namespace sotto::aggregator {
namespace {

using page = openmetrics_text;

std::string digits(std::uint64_t number) { return std::to_string(number); }

void put_requests(page &out, const server_numbers &numbers) {
    std::uint64_t refused = 0;
    for (const auto &[words, times] : numbers.refused) {
        refused += times;
    }
    out.family("requests", "counter", "Requests by what became of them.");
    out.sample("_total", digits(numbers.stored), {{"outcome", "stored"}});
    out.sample("_total", digits(refused), {{"outcome", "refused"}});
    out.sample("_total", digits(numbers.not_stored), {{"outcome", "not_stored"}});
    out.sample("_total", digits(numbers.cut), {{"outcome", "cut"}});
    out.family("refusals", "counter", "Refused requests by the answer.");
    for (const auto &[words, times] : numbers.refused) {
        out.sample("_total", digits(times), {{"answer", words}});
    }
}

void put_disk(page &out, const server_numbers &numbers) {
    out.counter("stored_bytes", digits(numbers.stored_bytes), "Bytes of bodies that are durable.",
                "bytes");
    out.counter("groups", digits(numbers.groups), "Groups of bodies that were written together.");
    out.counter("syncs", digits(numbers.syncs), "Calls of fsync.");
    out.gauge("waiting_bytes", digits(numbers.waiting_bytes),
              "Size of the files that wait to be ingested.", "bytes");
    out.gauge("waiting_max_bytes", digits(numbers.waiting_bytes_max), "Limit of that size.",
              "bytes");
    out.gauge("waiting_files", digits(numbers.waiting_files), "Files that wait, at the last count.",
              "files");
}

} // namespace

std::string metrics_text(const server_numbers &numbers) {
    page out("sotto_serve_");
    out.family("build", "info", "The program.");
    out.sample("_info", "1", {{"version", SOTTO_VERSION}});
    put_requests(out, numbers);
    put_disk(out, numbers);
    out.gauge("connections", digits(numbers.connections), "Open connections.", "connections");
    out.counter("connections_accepted", digits(numbers.connections_accepted),
                "Connections that came.");
    out.counter("connections_dropped", digits(numbers.connections_dropped),
                "Connections that were closed without an answer: too many.");
    return std::move(out).finished();
}

} // namespace sotto::aggregator
