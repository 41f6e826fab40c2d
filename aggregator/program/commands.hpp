// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_COMMANDS_HPP
#define SOTTO_AGGREGATOR_PROGRAM_COMMANDS_HPP

#include "aggregator/base/failure.hpp"
#include "aggregator/plan/plan.hpp"
#include "aggregator/store/merge.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sotto::aggregator {

// What each subcommand was told (command_line.cpp says what it means), and the subcommand itself.
// All throw failure.

struct mapping_options {
    std::vector<std::string> map;                     // METRIC=COLUMN[,METRIC=COLUMN...]
    std::vector<std::string> true_texts, false_texts; // METRIC=TEXT[|TEXT...]
};

struct simulate_options {
    std::string registry, input, out, seed, key;
    mapping_options mapping;
    std::uint32_t epoch = 0;
    std::uint32_t levels = 0;
};
exit_code simulate(const simulate_options &options);

struct ingest_options {
    std::string registry, store, key;
    std::vector<std::string> files;
    bool strict = false;
};
exit_code ingest_files(const ingest_options &options);

struct inspect_options {
    std::string registry, file, key;
};
exit_code inspect(const inspect_options &options);

struct keygen_options {
    std::string out;
    bool requests = false;
};
exit_code keygen(const keygen_options &options);

struct request_relax_options {
    std::string registry, key, metric, epochs, select, out;
    std::uint32_t level = 0, serial = 0;
};
exit_code request_relax(const request_relax_options &options);

struct estimate_options {
    std::string registry, store, metric, candidates, out;
    std::string format = "table";
    selection what;
};
exit_code print_estimate(const estimate_options &options);

struct epsilon_options {
    std::string registry;
    std::string format = "table";
};
exit_code print_epsilon(const epsilon_options &options);

struct plan_options {
    plan_request request;
    std::string format = "table";
};
exit_code print_plan(const plan_options &options);

} // namespace sotto::aggregator
#endif
