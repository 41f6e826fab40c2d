// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/seed.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/registry/tables.hpp"
#include "aggregator/store/admitted_batches.hpp"
#include "aggregator/tighten/noise_key.hpp"
#include "aggregator/tighten/report_writer.hpp"
#include "aggregator/tighten/tightening.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <tuple>

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

// The report of each release to go on with: the wanted level itself where it was published, so that
// nobody gets another drawing of it; else the lowest level above it; else the highest below it.
// Never a level that a request selected by the release's own value: those are no sample.
class chosen_reports {
  public:
    // By epoch, then by release: which reports came together is forgotten. Nothing: none will do.
    using by_release = std::map<std::pair<std::uint32_t, release_id>, std::optional<report>>;

    chosen_reports(const metric &m, std::uint32_t level, const tightening &way)
        : m_(m), level_(level), way_(way) {}

    void add(const std::vector<admitted_report> &batch) {
        for (const admitted_report &r : batch) {
            if (r.subject == &m_) {
                add(*r.content);
            }
        }
    }

    const by_release &releases() const { return releases_; }

  private:
    void add(const report &r) {
        std::optional<report> &best = releases_[{r.epoch, r.release}];
        const std::optional<std::size_t> rank = rank_of(r);
        if (rank && (!best || is_before(*rank, r, *rank_of(*best), *best))) {
            best = r;
        }
    }

    // Where two reports of one level differ, one is forged or broken: always the same one goes on.
    static bool is_before(std::size_t rank, const report &r, std::size_t best_rank,
                          const report &best) {
        return std::tie(rank, r.value, r.cohort) < std::tie(best_rank, best.value, best.cohort);
    }

    // Less is better.
    std::optional<std::size_t> rank_of(const report &r) const {
        if ((r.flags & report_flags::selected) != 0) {
            return std::nullopt;
        }
        if (r.level < level_) {
            return m_.level_count() + level_ - r.level;
        }
        const bool will_do = r.level == level_ || way_.starts_at(r.level);
        return will_do ? std::optional<std::size_t>(r.level - level_) : std::nullopt;
    }

    const metric &m_;
    std::uint32_t level_;
    const tightening &way_;
    by_release releases_;
};

struct tightened_counts {
    std::uint64_t tightened = 0, as_they_are = 0, left_out = 0;
};

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

struct outgoing {
    std::uint32_t epoch;
    release_id id;
    const report *source;
};

// In the order of the ids that they go on with: their own show in nothing that is written.
std::vector<outgoing> in_order(const chosen_reports::by_release &releases, const tightening &way) {
    std::vector<outgoing> out;
    for (const auto &[key, source] : releases) {
        if (source) {
            out.push_back({key.first, way.other_id(*source), &*source});
        }
    }
    std::sort(out.begin(), out.end(), [](const outgoing &a, const outgoing &b) {
        return std::tie(a.epoch, a.id) < std::tie(b.epoch, b.id);
    });
    return out;
}

tightened_counts write_all(const chosen_reports::by_release &releases, std::uint32_t level,
                           const tightening &way, report_writer &writer) {
    const std::vector<outgoing> those = in_order(releases, way);
    tightened_counts counts;
    counts.left_out = releases.size() - those.size();
    for (const outgoing &next : those) {
        const report &source = *next.source;
        if (source.level > level) {
            writer.add(source, next.id, level, way.tightened(source));
            ++counts.tightened;
        } else {
            writer.add(source, next.id, source.level, way.words(source));
            ++counts.as_they_are;
        }
    }
    writer.finish();
    return counts;
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
    const tightened_counts counts = write_all(chosen.releases(), options.level, way, writer);
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
