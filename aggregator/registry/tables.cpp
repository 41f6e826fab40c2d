// SPDX-License-Identifier: Apache-2.0
#include "aggregator/registry/tables.hpp"

#include "mechanism/every_code.hpp"

#include <algorithm>
#include <memory>
#include <type_traits>

namespace sotto::aggregator {
namespace {

sotto_threshold limbs(threshold t) {
    return {{static_cast<std::uint32_t>(t), static_cast<std::uint32_t>(t >> 32)}};
}

sotto_bit_channel channel(const bit_channel_table &c) {
    return {limbs(c.one_if_zero), limbs(c.one_if_one), c.bits};
}

// Lays out the tables of one metric.
class writer {
  public:
    explicit writer(std::pmr::monotonic_buffer_resource &memory) : memory_(memory) {}

    void operator()(const randomized_response_table &t, sotto_metric &to) {
        // Thresholded Laplace noise on the unit grid is this, and the device takes it for this.
        to.mechanism = SOTTO_MECHANISM_RANDOMIZED_RESPONSE;
        to.table.randomized_response = keep(sotto_randomized_response{thresholds(t.flip)});
    }

    void operator()(const laplace_threshold_table &t, sotto_metric &to) {
        to.table.laplace_threshold = keep(
            sotto_laplace_threshold{lattice(t.lattice), static_cast<std::int32_t>(t.threshold)});
    }

    void operator()(const k_randomized_response_table &t, sotto_metric &to) {
        to.table.k_randomized_response =
            keep(sotto_k_randomized_response{thresholds(t.keep), t.size});
    }

    void operator()(const unary_table &t, sotto_metric &to) {
        to.table.unary = keep(sotto_unary{channels(t.channel), t.size, t.max_members});
    }

    void operator()(const rappor_table &t, sotto_metric &to) {
        sotto_rappor out = {};
        out.permanent = channels(t.permanent);
        out.instantaneous = channels(t.instantaneous);
        out.bits = t.bits;
        out.hashes = t.hashes;
        out.cohorts = t.cohorts;
        out.max_bytes = t.max_bytes;
        out.max_values = t.max_values;
        out.chained = t.chained;
        out.protects_sequence = t.protects_sequence ? 1 : 0;
        // The id tells the metrics of a simulated device apart: its secret serves no other
        // registry.
        static constexpr std::uint8_t definition[32] = {};
        out.definition = t.protects_sequence ? nullptr : definition;
        to.table.rappor = keep(out);
    }

    void operator()(const discrete_laplace_table &t, sotto_metric &to) {
        to.table.discrete_laplace = keep(lattice(t));
    }

    void operator()(const one_bit_mean_table &t, sotto_metric &to) {
        to.table.one_bit_mean = keep(sotto_one_bit_mean{thresholds(t.flip), t.min, t.max, t.scale});
    }

    // Each metric's forward steps are of one kind.
    void forward(const std::vector<forward_level> &steps, sotto_metric &to) {
        to.forward_count = static_cast<std::uint8_t>(steps.size());
        if (steps.empty()) {
            return;
        }
        to.forward_fingerprint =
            each<std::uint32_t>(steps, [](const forward_level &s) { return s.fingerprint; });
        if (std::holds_alternative<forward_permanent_table>(steps[0].table)) {
            forward_permanent(steps, to);
        } else if (std::holds_alternative<forward_bits_table>(steps[0].table)) {
            to.forward.bits = each<sotto_forward_bits>(steps, [](const forward_level &s) {
                const auto &t = std::get<forward_bits_table>(s.table);
                return sotto_forward_bits{{channel(t.given[0]), channel(t.given[1])}};
            });
        } else if (std::holds_alternative<forward_category_table>(steps[0].table)) {
            to.forward.category = each<sotto_forward_category>(steps, [](const forward_level &s) {
                const auto &t = std::get<forward_category_table>(s.table);
                return sotto_forward_category{{limbs(t.to_value[0]), limbs(t.to_value[1])},
                                              limbs(t.keep_last)};
            });
        } else {
            to.forward.laplace = each<sotto_forward_laplace>(steps, [&](const forward_level &s) {
                const auto &t = std::get<forward_laplace_table>(s.table);
                return sotto_forward_laplace{limbs(t.opposite), limbs(t.stay), geometric(t.within),
                                             geometric(t.beyond), geometric(t.tail)};
            });
        }
    }

    const std::uint32_t *numbers(const std::vector<std::uint32_t> &from) {
        return each<std::uint32_t>(from, [](std::uint32_t n) { return n; });
    }

    template <typename T> T *array(std::size_t count) {
        static_assert(std::is_trivially_destructible_v<T>); // nobody will
        auto *place = static_cast<T *>(memory_.allocate(count * sizeof(T), alignof(T)));
        std::uninitialized_value_construct_n(place, count);
        return place;
    }

  private:
    // The reports of these levels stand behind those of the ladder.
    void forward_permanent(const std::vector<forward_level> &steps, sotto_metric &to) {
        to.forward.bits = each<sotto_forward_bits>(steps, [](const forward_level &s) {
            const auto &t = std::get<forward_permanent_table>(s.table).permanent;
            return sotto_forward_bits{{channel(t.given[0]), channel(t.given[1])}};
        });
        sotto_rappor out = *to.table.rappor;
        auto *reports = array<sotto_bit_channel>(to.level_count + steps.size());
        std::copy_n(out.instantaneous, to.level_count, reports);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            reports[to.level_count + i] =
                channel(std::get<forward_permanent_table>(steps[i].table).instantaneous);
        }
        out.instantaneous = reports;
        out.forward_permanent = 1;
        to.table.rappor = keep(out);
    }

    template <typename T> const T *keep(const T &table) {
        T *place = array<T>(1);
        *place = table;
        return place;
    }

    template <typename T, typename From, typename Make>
    const T *each(const std::vector<From> &from, Make make) {
        T *place = array<T>(from.size());
        std::transform(from.begin(), from.end(), place, make);
        return place;
    }

    const sotto_threshold *thresholds(const std::vector<threshold> &from) {
        return each<sotto_threshold>(from, limbs);
    }

    const sotto_bit_channel *channels(const std::vector<bit_channel_table> &from) {
        return each<sotto_bit_channel>(from, channel);
    }

    sotto_geometric geometric(const geometric_table &from) {
        std::vector<wide_threshold> all = from.digits;
        if (from.overflow) {
            all.push_back(*from.overflow);
        }
        const std::size_t count = from.digit_bits / 32;
        std::uint32_t *place = array<std::uint32_t>(count * all.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            std::copy_n(all[i].begin(), count, place + count * i);
        }
        return {place, static_cast<std::uint8_t>(from.digits.size()),
                static_cast<std::uint8_t>(count), static_cast<std::uint8_t>(from.overflow ? 1 : 0)};
    }

    sotto_discrete_laplace lattice(const discrete_laplace_table &from) {
        sotto_discrete_laplace out = {};
        out.noise = each<sotto_laplace_noise>(from.noise, [&](const laplace_noise_table &noise) {
            return sotto_laplace_noise{limbs(noise.nonzero), geometric(noise.size)};
        });
        out.min = from.min;
        out.max = from.max;
        out.publish_min = from.publish_min;
        out.publish_max = from.publish_max;
        out.length = from.length;
        out.l1_half = from.l1_half;
        return out;
    }

    std::pmr::monotonic_buffer_resource &memory_;
};

std::uint8_t epochs(const std::optional<budget> &b) {
    return static_cast<std::uint8_t>(b ? b->epochs : 0);
}

std::uint32_t units(const std::optional<budget> &b) { return b ? b->units : 0; }

} // namespace

tables::tables(const registry &source) {
    writer write(memory_);
    auto *metrics = write.array<sotto_metric>(source.metrics.size());
    for (std::size_t i = 0; i < source.metrics.size(); ++i) {
        const metric &m = source.metrics[i];
        sotto_metric &out = metrics[i];
        out.fingerprint = m.fingerprint;
        out.id = m.id;
        out.type = m.type;
        out.mechanism = m.mechanism;
        out.level_count = static_cast<std::uint8_t>(m.levels.size());
        out.value_words = m.value_words;
        out.random_bytes = m.random_bytes;
        out.window_epochs = epochs(m.window);
        out.budget = units(m.window);
        out.per_epoch = static_cast<std::uint8_t>(m.per_epoch);
        out.request_level = static_cast<std::uint8_t>(m.request_level);
        out.cost_reports = static_cast<std::uint8_t>(m.cost_reports);
        out.cost = write.numbers(m.costs);
        std::visit([&](const auto &table) { write(table, out); }, m.table);
        out.code = code_of(out.mechanism);
        out.forward_code = m.forward.empty() ? nullptr : forward_code_of(out.mechanism);
        write.forward(m.forward, out);
    }
    registry_.fingerprint = source.fingerprint;
    registry_.metric_count = static_cast<std::uint16_t>(source.metrics.size());
    registry_.metrics = metrics;
    registry_.budget = units(source.device);
    registry_.window_epochs = epochs(source.device);
    registry_.max_epoch_jump = source.max_epoch_jump;
}

} // namespace sotto::aggregator
