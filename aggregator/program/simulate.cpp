// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/atomic_file.hpp"
#include "aggregator/program/boolean_columns.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/program/host_device.hpp"
#include "aggregator/program/progress.hpp"
#include "aggregator/registry/tables.hpp"

#include "sotto_posix.h"
#include "sotto_testing.h"

// The testing port asks every program that links it to admit so. This one does for --seed, which
// says on standard error that what it writes is not private.
SOTTO_TEST_PROGRAM();

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t epoch_max = 0xfffffffe;
constexpr std::size_t seed_bytes_max = 32;

using seed_bytes = std::vector<std::uint8_t>;

std::optional<seed_bytes> read_seed(const std::string &text) {
    if (text.empty()) {
        return std::nullopt;
    }
    auto seed = from_hex(text);
    if (!seed || seed->size() > seed_bytes_max) {
        throw usage_error(
            fmt::format("--seed: {} is not 1 to {} bytes in hex", in_quotes(text), seed_bytes_max));
    }
    fmt::print(stderr,
               "sotto: --seed: the noise can be predicted: what is written is NOT private\n");
    return seed;
}

class fleet {
  public:
    fleet(const sotto_registry &tables, std::optional<seed_bytes> seed, std::uint32_t epoch)
        : device_(tables), seed_(std::move(seed)), epoch_(epoch) {}

    // One row, one device.
    void run(const std::vector<boolean_column> &columns, const std::vector<std::string> &cells,
             const csv_file &from, atomic_file &to) {
        values_.clear();
        for (const boolean_column &column : columns) {
            if (const std::optional<bool> value = column.read(cells, from)) {
                values_.emplace_back(column.of->id, *value);
            }
        }
        const auto send = [&](std::string_view envelope) { to.write(envelope); };
        if (seed_) {
            sotto_testing testing;
            sotto_testing_init(&testing, seed_->data(), seed_->size(), from.row());
            const sotto_port port = sotto_testing_port(&testing);
            device_.run(port, epoch_, values_, send);
        } else {
            device_.run(sotto_posix_port, epoch_, values_, send);
        }
        ++devices;
        reports += values_.size();
    }

    std::uint64_t devices = 0, reports = 0;

  private:
    host_device device_;
    std::optional<seed_bytes> seed_;
    std::uint32_t epoch_;
    std::vector<std::pair<std::uint16_t, bool>> values_;
};

} // namespace

exit_code simulate(const simulate_options &options) {
    const registry with = load_registry(options.registry).content;
    const tables host_tables(with);
    csv_file input(options.input);
    const std::vector<boolean_column> columns = map_columns(options.mapping, with, input);
    if (options.epoch > epoch_max) {
        throw usage_error(
            fmt::format("--epoch: {} is not within 0 to {}", options.epoch, epoch_max));
    }
    fleet devices(host_tables.get(), read_seed(options.seed), options.epoch);
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
    fmt::print("{}, {}, {} -> {}\n", counted(devices.devices, "device"),
               counted(devices.reports, "report"), bytes_text(out.written_bytes()), options.out);
    return exit_code::done;
}

} // namespace sotto::aggregator
