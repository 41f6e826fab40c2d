// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/atomic_file.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/host_device.hpp"
#include "aggregator/program/mapping.hpp"
#include "aggregator/program/progress.hpp"
#include "aggregator/program/seed.hpp"
#include "aggregator/registry/tables.hpp"
#include "aggregator/seal/key.hpp"

#include "sotto_posix.h"
#include "sotto_testing.h"

// The testing port asks every program that links it to admit so. This one does for --seed, which
// says on standard error that what it writes is not private.
SOTTO_TEST_PROGRAM();

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t epoch_max = 0xfffffffe;

// A registry that has this key, as metrics.toml would give it one.
class sealed_tables {
  public:
    sealed_tables(const sotto_registry &plain, const std::string &key_path) : registry_(plain) {
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
    sealed_tables(const sealed_tables &) = delete; // points into itself
    sealed_tables &operator=(const sealed_tables &) = delete;

    const sotto_registry &get() const noexcept { return registry_; }

  private:
    sotto_seal_key key_ = {};
    sotto_sealing sealing_ = {};
    sotto_registry registry_;
};

class fleet {
  public:
    fleet(const registry &of, const sotto_registry &tables, std::optional<seed_bytes> seed,
          const simulate_options &options)
        : device_(of, tables), seed_(std::move(seed)), epoch_(options.epoch),
          levels_(options.levels) {}

    // One row, one device.
    void run(std::vector<mapped_column> &columns, const std::vector<std::string> &cells,
             const csv_file &from, atomic_file &to) {
        values_.clear();
        for (mapped_column &column : columns) {
            if (std::optional<cell_value> value = column.read(cells, from)) {
                values_.emplace_back(column.of, std::move(*value));
            }
        }
        sotto_testing testing;
        const seed_bytes seed = seed_.value_or(seed_bytes{});
        sotto_testing_init(&testing, seed.data(), seed.size(), from.row());
        const sotto_entropy &entropy = seed_ ? testing.entropy : sotto_posix_entropy;
        reports += device_.run(entropy, epoch_, values_, levels_,
                               [&](std::string_view envelope) { to.write(envelope); });
        ++devices;
    }

    // "12 values adapted: ...", and what was not reported; "" when there is nothing to say.
    std::string adapted_text() const {
        const adapted_values &a = device_.adapted();
        std::vector<std::string> parts;
        if (a.clamped > 0) {
            parts.push_back(grouped(a.clamped) + " clamped to the range");
        }
        if (a.too_long > 0) {
            parts.push_back(grouped(a.too_long) + " too long, reported as one reserved value");
        }
        if (a.too_many > 0) {
            parts.push_back(grouped(a.too_many) + " with too many members, the first ones kept");
        }
        const std::uint64_t all = a.clamped + a.too_long + a.too_many;
        std::string text;
        if (all > 0) {
            text = fmt::format("{} adapted: {}\n", counted(all, "value"), joined(parts));
        }
        if (a.over_budget > 0) {
            text += fmt::format("{} not made: the budget of metric or device was spent\n",
                                counted(a.over_budget, "report"));
        }
        return text;
    }

    std::uint64_t devices = 0, reports = 0;

  private:
    host_device device_;
    std::optional<seed_bytes> seed_;
    std::uint32_t epoch_, levels_;
    host_device::values values_;
};

} // namespace

exit_code simulate(const simulate_options &options) {
    const registry with = load_registry(options.registry).content;
    const tables plain_tables(with);
    const sealed_tables host_tables(plain_tables.get(), options.key);
    csv_file input(options.input);
    std::vector<mapped_column> columns = map_columns(options.mapping, with, input);
    if (options.epoch > epoch_max) {
        throw usage_error(
            fmt::format("--epoch: {} is not within 0 to {}", options.epoch, epoch_max));
    }
    fleet devices(with, host_tables.get(), read_seed(options.seed), options);
    atomic_file out(options.out);
    {
        progress shown("devices");
        std::vector<std::string> cells;
        while (input.next(cells)) {
            devices.run(columns, cells, input, out);
            shown.show(devices.devices, share_of(input.read_bytes(), input.size_bytes()));
        }
    }
    out.commit();
    for (const std::string &line : texts_unseen(columns)) {
        fmt::print(stderr, "sotto: {}\n", line);
    }
    fmt::print("{}, {}, {} -> {}\n", counted(devices.devices, "device"),
               counted(devices.reports, "report"), bytes_text(out.written_bytes()), options.out);
    fmt::print("{}", devices.adapted_text());
    return exit_code::done;
}

} // namespace sotto::aggregator
