// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_COMMANDS_HPP
#define SOTTO_AGGREGATOR_PROGRAM_COMMANDS_HPP

#include "aggregator/base/failure.hpp"
#include "aggregator/estimate/estimate.hpp"
#include "aggregator/plan/plan.hpp"
#include "aggregator/simulate/simulation.hpp"
#include "aggregator/store/file_ingest.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sotto::aggregator {

// The options of each subcommand (command_line.cpp explains them), and the subcommand itself.
// All throw failure.

// Prints what it wrote.
exit_code simulate(const simulate_options &options);

// Adds report files to a store. Answers `rejects` where `strict` and more than duplicates was
// rejected.
struct ingest_options {
    std::string registry, store, key, ledger;
    std::vector<std::string> files;
    bool strict = false;
};
exit_code ingest_files(const ingest_options &options);

// Ingests files that anybody may have put there, see chosen_by. Names each that rejects came
// from; what fails is not printed.
ingested_files ingest_found(const ingest_options &options);

// Prints a JSON line for each report of a file. Without a key sealed ones stay shut.
struct inspect_options {
    std::string registry, file, key;
};
exit_code inspect(const inspect_options &options);

// Writes released reports to `out`, none above `level`.
struct tighten_options {
    std::string registry, metric, out, key, noise_key, seed;
    std::uint32_t level = 0;
    std::vector<std::string> files;
};
exit_code tighten(const tighten_options &options);

// Writes a new key pair to the directory `out`: for sealing, or for requests.
struct keygen_options {
    std::string out;
    bool requests = false;
};
exit_code keygen(const keygen_options &options);

// Writes a signed request to `out`.
struct request_relax_options {
    std::string registry, key, metric, epochs, select, out;
    std::uint32_t level = 0, serial = 0;
};
exit_code request_relax(const request_relax_options &options);

// Estimates from a store: to standard output, or to `out`.
struct estimate_options {
    std::string registry, store, candidates, out;
    std::string format = "table";
    std::string correction = "bh";   // or bonferroni
    std::string discover;            // A,B,...
    std::vector<std::string> ranges; // LOW:HIGH
    std::vector<std::string> boxes;  // X0:X1,Y0:Y1
    estimate_request request;
    bool always_write = false; // to `out`, even when there is nothing to estimate
};
// An answer from a store.
struct made_estimate {
    registry with; // the estimates point into it
    estimates found;
    rejections rejected;
    estimate_request request;
};
std::unique_ptr<made_estimate> make_estimate(const estimate_options &options);
// All remarks, a line each.
std::vector<std::string> estimate_remarks(const estimates &found);
exit_code print_estimate(const estimate_options &options);
// Writes the estimate as print_estimate does, and returns the remarks instead of printing them.
std::vector<std::string> write_estimate(const estimate_options &options);

// Ingests what comes into `in`, and keeps a page up to date.
struct watch_options {
    std::string in, key;
    std::uint32_t interval_seconds = 10;
    estimate_options estimate;      // the page
    std::string log_style = "text"; // or "json"
};
// Until SIGTERM or SIGINT.
exit_code watch(const watch_options &options);

// Takes report files by HTTP into `in`.
struct serve_options {
    std::string in, address = "127.0.0.1";
    std::uint16_t port = 8450; // 0: any
    std::uint64_t body_bytes = 4 << 20, waiting_bytes = std::uint64_t{1} << 30;
    std::size_t connections_of_one = 16;
    std::vector<std::string> proxies;
    std::optional<std::uint16_t> status_port;
    std::string log;                // "": standard error
    std::string log_style = "text"; // or "json"
};
// Until SIGTERM or SIGINT.
exit_code serve(const serve_options &options);

// Estimates pairs of values of two metrics, from report files.
struct joint_options {
    std::string registry, metrics, out, key; // metrics: A,B
    std::vector<std::string> candidates;     // METRIC=FILE
    std::vector<std::string> files;
    std::optional<std::uint32_t> epoch;
    std::string format = "table";
};
exit_code print_joint(const joint_options &options);

// Counts a store's reports: into the store, and to `out` if given; a part, "I/N", to `out` alone.
// A region's key makes `out` one that those of other stores can be added to.
struct tally_options {
    std::string registry, store, part, out, region_key;
    std::optional<std::uint32_t> epoch;
};
exit_code tally(const tally_options &options);

// Adds parts or regions up: into the store of the reports, a store without, or to `out`.
struct merge_options {
    std::string registry, store, into, out;
    std::vector<std::string> files;
};
exit_code merge(const merge_options &options);

// Lets no more reports of the epochs up to `epoch` in.
struct close_options {
    std::string store;
    std::uint32_t epoch = 0;
    std::optional<std::uint64_t> epoch_reports; // as many as an epoch usually has
};
exit_code close_store(const close_options &options);

// Closes them, and removes their reports for good.
using expire_options = close_options;
exit_code expire(const expire_options &options);

// Reads all of a store and counts again. Answers `environment` where something differs.
struct verify_options {
    std::string store;
};
exit_code verify_store(const verify_options &options);

// Becomes `python3 -m sotto export`: the Python package writes Arrow and Parquet. Returns only when
// there is no python3.
struct export_options {
    std::string registry, store;
    std::string rows;   // a metric, whose reports it writes; empty: estimates
    std::string format; // parquet or arrow; empty: as `out` ends
    std::string out;
    std::optional<std::uint32_t> epoch;
};
exit_code export_table(const export_options &options);

// Prints what a registry promises. With a horizon: what all of so many epochs lose together; with
// `shuffled`: the loss behind a relay that mixes reports of so many devices.
struct epsilon_options {
    std::string registry;
    std::optional<std::uint32_t> horizon;
    std::optional<std::uint64_t> shuffled;
    std::string format = "table";
};
exit_code print_epsilon(const epsilon_options &options);

// Prints a sheet of facts for a privacy reviewer.
struct datasheet_options {
    std::string registry;
    std::string store; // "": none
    std::optional<std::uint64_t> shuffled;
    std::string format = "md";
};
exit_code print_datasheet(const datasheet_options &options);

// Prints the ways to ask a question, and chooses one.
struct plan_options {
    plan_request request;
    std::string format = "table";
};
exit_code print_plan(const plan_options &options);

// Prints how a sliding window's budget is best spent: over known slots (`weights`), or as the
// policy of a metric.
struct schedule_options {
    std::string weights, column = "weight";
    std::size_t window = 0;
    double epsilon = 0;
    std::string registry, metric;
    double probability = 0;
    std::string format = "table";
};
exit_code print_schedule(const schedule_options &options);

} // namespace sotto::aggregator
#endif
