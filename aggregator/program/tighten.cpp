// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/seed.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/registry/tables.hpp"
#include "aggregator/store/admitted_batches.hpp"
#include "aggregator/tighten/chosen_reports.hpp"
#include "aggregator/tighten/noise_key.hpp"
#include "aggregator/tighten/report_writer.hpp"
#include "aggregator/tighten/tightening.hpp"

#include <filesystem>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

const metric &metric_of(const registry &with, const std::string &name) {
    const metric *m = with.find(name);
    if (m == nullptr) {
        throw usage_error(fmt::format("--metric: no metric {}; the registry has {}",
                                      in_quotes(name), joined(with.metric_names())));
    }
    return *m;
}

// Beside the registry itself, by whatever link it was named: a second key draws a second noise.
std::string noise_key_path(const tighten_options &options) {
    return options.noise_key.empty()
               ? std::filesystem::weakly_canonical(options.registry).string() + ".tighten-key"
               : options.noise_key;
}

kept_noise_key noise_key_for(const tighten_options &options, const std::string &path) {
    const std::optional<seed_bytes> seed = read_seed(options.seed);
    return seed ? kept_noise_key{noise_key_of(*seed), false} : read_or_draw_noise_key(path);
}

// However both are written, and before there is either.
bool is_one_file(const std::string &a, const std::string &b) {
    using namespace std::filesystem;
    return weakly_canonical(absolute(a)) == weakly_canonical(absolute(b));
}

void check_out(const tighten_options &options, const std::string &noise_key) {
    check_is_no_input(options.out, options.files);
    check_is_no_input(options.out, {options.registry, options.key, noise_key});
    if (is_one_file(options.out, noise_key)) {
        throw usage_error(fmt::format(
            "--out: {} is where the noise key belongs; it must be another file", options.out));
    }
}

} // namespace

exit_code tighten(const tighten_options &options) {
    const std::string key_path = noise_key_path(options);
    check_out(options, key_path);
    const registry with = load_registry(options.registry).content;
    const metric &m = metric_of(with, options.metric);
    const tables device(with);
    const sotto_metric &table = device.get().metrics[&m - with.metrics.data()];
    const kept_noise_key noise = noise_key_for(options, key_path);
    const tightening way(m, table, options.level, noise.key);
    std::optional<keyring> keys;
    if (!options.key.empty()) {
        keys.emplace(read_private_keys(options.key));
    }
    chosen_reports chosen(m, options.level, way);
    admitted_batches batches(with, keys ? &*keys : nullptr,
                             [&](const std::vector<admitted_report> &batch) { chosen.add(batch); });
    for (const std::string &path : options.files) {
        batches.read(path);
    }
    const std::string rejected = batches.rejected().text();
    if (chosen.releases().empty()) {
        throw usage_error(fmt::format("no report of {} in {}{}", m.name,
                                      counted(options.files.size(), "file"),
                                      rejected.empty() ? "" : ": rejected " + rejected));
    }
    if (noise.is_new) {
        keep_noise_key(key_path, noise.key);
    }
    atomic_file out(options.out);
    report_writer writer(device.get(), table, out);
    const tightened_counts counts = write_tightened(chosen, writer);
    out.commit();
    fmt::print("{} of {} tightened to level {}, {} passed on as they are, {} -> {}\n",
               counted(counts.tightened, "release"), m.name, options.level,
               grouped(counts.as_they_are), bytes_text(out.written_bytes()), options.out);
    if (counts.left_out > 0) {
        fmt::print("{} left out: published only above the ladder, where no way down starts, or "
                   "because of what they had said\n",
                   counted(counts.left_out, "release"));
    }
    if (!rejected.empty()) {
        fmt::print(stderr, "sotto: rejected {}: {}\n", grouped(batches.rejected().total()),
                   rejected);
    }
    return exit_code::done;
}

} // namespace sotto::aggregator
