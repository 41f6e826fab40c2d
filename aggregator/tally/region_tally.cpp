// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/region_tally.hpp"

#include "aggregator/base/append_big_endian.hpp"
#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/bytes.hpp"
#include "aggregator/base/checksum.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace sotto::aggregator {
namespace {

constexpr std::string_view region_magic = "SOTTOREG";
constexpr std::uint32_t region_format = 1;
constexpr std::size_t region_head_bytes = 28, region_tail_bytes = 8;

// Behind the entries: as many samples as there are tallies, and nothing else.
std::optional<std::vector<release_sample>> read_samples(std::span<const std::uint8_t> rest,
                                                        std::size_t count) {
    std::vector<release_sample> samples(count);
    for (release_sample &sample : samples) {
        const std::size_t size = rest.size() < 4 ? 0 : get_big_endian<std::uint32_t>(rest.data());
        if (size == 0 || size > sample_releases_max || rest.size() - 4 < 8 * size) {
            return std::nullopt;
        }
        for (std::size_t i = 0; i < size; ++i) {
            sample.push_back(get_big_endian<std::uint64_t>(&rest[4 + 8 * i]));
        }
        if (std::ranges::adjacent_find(sample, std::ranges::greater_equal()) != sample.end()) {
            return std::nullopt;
        }
        rest = rest.subspan(4 + 8 * size);
    }
    return rest.empty() ? std::optional(std::move(samples)) : std::nullopt;
}

// One tally of a region, and where it is from.
struct region_part {
    const std::string *name;
    const partial_tally *tally;
    const release_sample *sample;

    bool is_same(const region_part &other) const {
        return tally->rows == other.tally->rows && tally->digest == other.tally->digest &&
               tally->counts == other.tally->counts && *sample == *other.sample;
    }
};

// The tallies of one metric and epoch.
class epoch_sum {
  public:
    explicit epoch_sum(const metric &m) : metric_(m), counts_(empty_epoch_tally(m)) {}

    void add(const region_part &part) {
        for (const region_part &other : parts_) {
            if (part.is_same(other)) {
                return;
            }
            if (const std::size_t both = shared(*part.sample, *other.sample); both > 0) {
                fail(part, fmt::format("{} of {} sampled releases are in {} as well; ingest the "
                                       "report files of both into one store",
                                       grouped(both), grouped(part.sample->size()), *other.name));
            }
        }
        const auto counts = read_tally(metric_, part.tally->counts);
        if (counts) {
            sotto::aggregator::add(counts_, *counts);
        }
        if (!counts || counted_rows(*counts) > part.tally->rows || !is_possible(metric_, counts_)) {
            fail(part, "not a tally that reports of this metric can have; tally it again");
        }
        parts_.push_back(part);
    }

    void move_to(region_tallies &out) const {
        partial_tally whole = *parts_.front().tally;
        release_sample sample = *parts_.front().sample;
        for (const region_part &part : std::span(parts_).subspan(1)) {
            whole.rows += part.tally->rows;
            whole.digest += part.tally->digest;
            sample = joined(sample, *part.sample);
        }
        whole.counts = tally_bytes(counts_);
        out.tallies.push_back(std::move(whole));
        out.samples.push_back(std::move(sample));
    }

  private:
    [[noreturn]] void fail(const region_part &part, const std::string &what) const {
        throw usage_error(
            fmt::format("{}: {}, epoch {}: {}", *part.name, metric_.name, part.tally->epoch, what));
    }

    const metric &metric_;
    epoch_tally counts_;
    std::vector<region_part> parts_;
};

} // namespace

std::string region_text(const region_tallies &region, const std::string &path) {
    const std::string entries = entries_text(region.tallies);
    std::string out(region_magic);
    append_big_endian(out, region_format);
    append_big_endian(out, region.key_check);
    append_big_endian(out, std::uint64_t{entries.size()});
    out += entries;
    for (const release_sample &sample : region.samples) {
        append_big_endian(out, static_cast<std::uint32_t>(sample.size()));
        for (const std::uint64_t hash : sample) {
            append_big_endian(out, hash);
        }
    }
    append_big_endian(out, checksum(bytes_of(out)));
    if (out.size() > tally_file_bytes_max) {
        throw usage_error(fmt::format("{}: more than {} of tallies; --epoch E makes those of one",
                                      path, bytes_text(tally_file_bytes_max)));
    }
    return out;
}

void write_region(const std::filesystem::path &path, const region_tallies &region) {
    write_atomically(path, region_text(region, path.string()));
}

bool is_region(std::string_view text) { return text.starts_with(region_magic); }

region_tallies read_region(const std::string &path, std::string_view text) {
    const std::span<const std::uint8_t> bytes = bytes_of(text);
    if (bytes.size() < region_head_bytes + region_tail_bytes || !is_region(text)) {
        throw usage_error(path +
                          ": not a region's tallies, as sotto tally --region-key writes them");
    }
    if (get_big_endian<std::uint32_t>(&bytes[8]) != region_format) {
        throw environment_error(path + ": a tally of another version of sotto; make it again");
    }
    const auto content = bytes.first(bytes.size() - region_tail_bytes);
    const auto rest = content.subspan(region_head_bytes);
    const auto size = get_big_endian<std::uint64_t>(&bytes[20]);
    if (checksum(content) == get_big_endian<std::uint64_t>(&bytes[content.size()]) &&
        size <= rest.size()) {
        auto tallies = read_entries(rest.first(size));
        auto samples = read_samples(rest.subspan(size), tallies ? tallies->size() : 0);
        const auto is_whole = [](const partial_tally &t) { return t.part.count == 1; };
        if (tallies && samples && std::ranges::all_of(*tallies, is_whole)) {
            return {path, get_big_endian<std::uint64_t>(&bytes[12]), std::move(*tallies),
                    std::move(*samples)};
        }
    }
    throw usage_error(path + ": damaged; tally it again");
}

region_tallies merge_regions(std::vector<region_tallies> regions, const registry &with) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, epoch_sum> sums; // by metric and epoch
    for (const region_tallies &region : regions) {
        if (region.key_check != regions.front().key_check) {
            throw usage_error(fmt::format("{}: sampled by another --region-key than {}; all "
                                          "regions need the same",
                                          region.name, regions.front().name));
        }
        for (std::size_t i = 0; i < region.tallies.size(); ++i) {
            const partial_tally &tally = region.tallies[i];
            const auto m = std::ranges::find(with.metrics, tally.metric, &metric::fingerprint);
            if (m == with.metrics.end()) {
                throw usage_error(
                    fmt::format("{}: a tally of metric {}, which the registry does not have",
                                region.name, fingerprint_text(tally.metric)));
            }
            sums.try_emplace({tally.metric, tally.epoch}, *m)
                .first->second.add({&region.name, &tally, &region.samples[i]});
        }
    }
    region_tallies out{"", regions.empty() ? 0 : regions.front().key_check, {}, {}};
    for (const auto &[place, sum] : sums) {
        sum.move_to(out);
    }
    return out;
}

} // namespace sotto::aggregator
