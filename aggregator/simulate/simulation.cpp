// SPDX-License-Identifier: Apache-2.0
#include "aggregator/simulate/simulation.hpp"

#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/checksum.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/seed.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/registry/tables.hpp"
#include "aggregator/request/key.hpp"
#include "aggregator/seal/key.hpp"
#include "aggregator/simulate/device_lives.hpp"
#include "aggregator/simulate/gateway.hpp"
#include "aggregator/simulate/simulated_fleet.hpp"
#include "aggregator/simulate/simulated_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t last_epoch = 0xfffffffe;
constexpr std::uint64_t repeat_max = 1'000'000'000;

// Where things happen to reports is no secret: without a seed it is the same every time.
std::uint64_t place_seed(const std::optional<seed_bytes> &seed, std::uint64_t purpose) {
    return checksum(seed.value_or(seed_bytes{})) ^ purpose;
}

// "0.03" -> 30,000 millionths; "" is none.
std::uint32_t read_share(const char *option, const std::string &text) {
    if (text.empty()) {
        return 0;
    }
    double share = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
    const double millionths = std::round(share * 1e6);
    if (error != std::errc() || end != text.data() + text.size() || !(share >= 0) ||
        !(millionths < 1e6) || std::abs(share * 1e6 - millionths) > 1e-6) {
        throw usage_error(fmt::format("{}: {} is not a share from 0 to below 1, of at most six "
                                      "decimals",
                                      option, in_quotes(text)));
    }
    return static_cast<std::uint32_t>(millionths);
}

std::vector<std::uint8_t> read_request(const simulate_options &options) {
    if (options.request.empty() != options.request_key.empty()) {
        throw usage_error("--request, --request-key: the one needs the other");
    }
    if (options.request.empty()) {
        return {};
    }
    const std::string bytes = read_whole(options.request, SOTTO_REQUEST_BYTES_MAX);
    if (bytes.empty()) {
        throw usage_error(options.request + ": empty; sotto request-relax writes a request");
    }
    return {bytes.begin(), bytes.end()};
}

// A registry that has these keys, as metrics.toml would give it them.
class keyed_tables {
  public:
    keyed_tables(const sotto_registry &plain, const std::string &key_path,
                 const std::string &request_key_path)
        : registry_(plain) {
        if (!request_key_path.empty()) {
            request_key_ = read_public_request_key(request_key_path);
            registry_.request_key = request_key_.data();
        }
        if (key_path.empty()) {
            return;
        }
        const public_key key = read_public_key(key_path);
        key_.id = key.id;
        key_.last_epoch = UINT32_MAX;
        std::copy(key.bytes.begin(), key.bytes.end(), key_.public_key);
        sealing_ = {&key_, 1, sotto_seal_hpke};
        registry_.sealing = &sealing_;
    }
    keyed_tables(const keyed_tables &) = delete; // points into itself
    keyed_tables &operator=(const keyed_tables &) = delete;

    const sotto_registry &get() const noexcept { return registry_; }

  private:
    p256_point request_key_ = {};
    sotto_seal_key key_ = {};
    sotto_sealing sealing_ = {};
    sotto_registry registry_;
};

// From devices to the file, by way of the gateway where there is one.
void run(simulated_rows &rows, simulated_fleet &fleet, std::optional<gateway> &by, atomic_file &out,
         const simulation_progress &shown) {
    std::uint64_t batches = 0;
    const auto write_packed = [&] {
        for (const std::string &envelope : fleet.write(by->packed(), batches)) {
            out.write(envelope);
            ++batches;
        }
    };
    std::vector<simulated_device> block;
    while (rows.next(block)) {
        for (const std::string &envelopes : fleet.run(block)) {
            if (by) {
                by->take(envelopes);
            } else {
                out.write(envelopes);
            }
        }
        if (by) {
            write_packed();
        }
        shown(rows.devices(), rows.done_share());
    }
    if (by) {
        by->finish();
        write_packed();
    }
}

simulated_rows::plan plan_of(const simulate_options &options,
                             const std::vector<mapped_column> &columns) {
    const simulated_rows::plan plan = {options.repeat, options.levels,
                                       read_share("--relaxed", options.relaxed)};
    if (plan.repeat == 0 || plan.repeat > repeat_max) {
        throw usage_error(
            fmt::format("--repeat: {} is not within 1 to {}", plan.repeat, grouped(repeat_max)));
    }
    if (!options.relaxed.empty() && plan.levels > 0) {
        throw usage_error("--levels, --relaxed: only one of them can say what is relaxed");
    }
    if (plan.relaxed > 0 && std::none_of(columns.begin(), columns.end(), [](const auto &c) {
            return c.subject->level_count() > 1;
        })) {
        throw usage_error("--relaxed: no metric of --map has a second level");
    }
    return plan;
}

// The first option that dated rows have no use for; null: there is none.
const char *without_use(const simulate_options &o) {
    const std::pair<const char *, bool> given[] = {{"--epoch", o.epoch > 0},
                                                   {"--repeat", o.repeat != 1},
                                                   {"--relaxed", !o.relaxed.empty()},
                                                   {"--malformed", !o.malformed.empty()},
                                                   {"--duplicated", !o.duplicated.empty()},
                                                   {"--request", !o.request.empty()}};
    const auto found =
        std::ranges::find_if(given, [](const auto &option) { return option.second; });
    return found == std::end(given) ? nullptr : found->first;
}

// Devices that live through all epochs of the file, each handed on as it is done.
simulated simulate_lives(const simulate_options &options, const registry &with,
                         const sotto_registry &in_flash, const simulation_progress &shown) {
    if (options.device.empty() || options.epoch_column.empty()) {
        throw usage_error("--device, --epoch-column: the one needs the other");
    }
    if (const char *other = without_use(options)) {
        throw usage_error(fmt::format("--epoch-column: not with {}", other));
    }
    csv_file input(options.input);
    std::vector<mapped_column> columns =
        map_columns(options.mapping, with, input, row_meaning::dated);
    const device_lives table =
        read_lives(input, columns, {options.device, options.epoch_column}, with);
    const std::optional<seed_bytes> seed = read_seed(options.seed);
    const std::vector<std::uint8_t> no_request;
    simulated_fleet fleet(with, in_flash, who_seals::device, seed, 0, no_request);
    atomic_file out(options.out);
    constexpr std::size_t at_once = 64; // a life may be megabytes
    const std::span<const device_life> lives = table.devices;
    for (std::size_t i = 0; i < lives.size(); i += at_once) {
        const std::size_t some = std::min(at_once, lives.size() - i);
        for (const std::string &reports :
             fleet.live(lives.subspan(i, some), table.first, table.last, options.levels)) {
            out.write(reports);
        }
        const auto done = static_cast<double>(i + some);
        shown(i + some, done / static_cast<double>(lives.size()));
    }
    out.commit();
    simulated made;
    made.epochs = {table.first, table.last};
    made.devices = lives.size();
    made.reports = fleet.reports();
    made.bytes = out.written_bytes();
    made.adapted = fleet.adapted();
    made.unseen = texts_unseen(columns);
    return made;
}

} // namespace

simulated simulate_table(const simulate_options &options, const simulation_progress &shown) {
    check_is_no_input(options.out, {options.registry, options.input, options.key, options.request,
                                    options.request_key});
    const registry with = load_registry(options.registry).content;
    const tables plain_tables(with);
    const keyed_tables host_tables(plain_tables.get(), options.key, options.request_key);
    if (!options.device.empty() || !options.epoch_column.empty()) {
        return simulate_lives(options, with, host_tables.get(), shown);
    }
    csv_file input(options.input);
    std::vector<mapped_column> columns =
        map_columns(options.mapping, with, input, row_meaning::device);
    if (options.epoch > last_epoch) {
        throw usage_error(
            fmt::format("--epoch: {} is not within 0 to {}", options.epoch, last_epoch));
    }
    const simulated_rows::plan plan = plan_of(options, columns);
    const gateway::shares wrong = {read_share("--malformed", options.malformed),
                                   read_share("--duplicated", options.duplicated)};
    const std::vector<std::uint8_t> request = read_request(options);
    const std::optional<seed_bytes> seed = read_seed(options.seed);
    simulated_rows rows(input, columns, plan, place_seed(seed, 1));
    std::optional<gateway> by;
    if (wrong.malformed + wrong.duplicated > 0) {
        by.emplace(with, wrong, !options.key.empty(), with.padding_bytes, place_seed(seed, 2));
    }
    simulated_fleet fleet(with, host_tables.get(), by ? who_seals::gateway : who_seals::device,
                          seed, options.epoch, request);
    atomic_file out(options.out);
    run(rows, fleet, by, out, shown);
    out.commit();
    simulated made;
    made.devices = rows.devices();
    made.reports = fleet.reports();
    made.bytes = out.written_bytes();
    made.adapted = fleet.adapted();
    made.unseen = texts_unseen(columns);
    if (!request.empty()) {
        made.answers = fleet.answers();
    }
    if (by) {
        made.wrong = wrong_reports{by->spoilt_reports(), by->duplicates()};
    }
    return made;
}

} // namespace sotto::aggregator
