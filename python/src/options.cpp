// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>

namespace sotto::python {

using namespace aggregator;
namespace nb = nanobind;

namespace {

// Takes options out of a copy; what is left over has no meaning.
class given_options {
  public:
    explicit given_options(const nb::dict &given) { left_.update(given); }

    template <typename Value> given_options &take(const char *name, Value &option) {
        if (left_.contains(name)) {
            option = cast<Value>(name);
            nb::del(left_[name]);
        }
        return *this;
    }

    void finish() const {
        for (const auto &[name, value] : left_) {
            throw nb::key_error(nb::cast<std::string>(name).c_str());
        }
    }

  private:
    template <typename Value> Value cast(const char *name) const {
        try {
            return nb::cast<Value>(left_[name]);
        } catch (const nb::cast_error &) {
            throw nb::type_error((std::string(name) + ": a value of another type").c_str());
        }
    }

    nb::dict left_;
};

} // namespace

estimate_options estimate_options_of(const nb::dict &given) {
    estimate_options o;
    for (char c = ' '; c <= '~'; ++c) {
        o.request.alphabet += c;
    }
    given_options(given)
        .take("registry", o.registry)
        .take("store", o.store)
        .take("candidate_file", o.candidates)
        .take("candidates", o.request.decode.candidates)
        .take("discover", o.discover)
        .take("alphabet", o.request.alphabet)
        .take("correction", o.correction)
        .take("ranges", o.ranges)
        .take("boxes", o.boxes)
        .take("metric", o.request.metric)
        .take("epoch", o.request.what.epoch)
        .take("level", o.request.what.level)
        .take("all_epochs", o.request.all_epochs)
        .take("window", o.request.window)
        .take("decay", o.request.decay)
        .take("smoothed", o.request.smoothed)
        .take("coalition", o.request.decode.coalition)
        .finish();
    return o;
}

simulate_options simulate_options_of(const nb::dict &given) {
    simulate_options o;
    given_options(given)
        .take("registry", o.registry)
        .take("input", o.input)
        .take("out", o.out)
        .take("map", o.mapping.map)
        .take("true", o.mapping.true_texts)
        .take("false", o.mapping.false_texts)
        .take("scale", o.mapping.scales)
        .take("device", o.device)
        .take("epoch_column", o.epoch_column)
        .take("epoch", o.epoch)
        .take("levels", o.levels)
        .take("relaxed", o.relaxed)
        .take("repeat", o.repeat)
        .take("key", o.key)
        .take("seed", o.seed)
        .finish();
    return o;
}

plan_request plan_request_of(const nb::dict &given) {
    plan_request r;
    given_options(given)
        .take("type", r.type)
        .take("name", r.name)
        .take("devices", r.devices)
        .take("reports_per_day", r.reports_per_day)
        .take("epsilon", r.epsilon)
        .take("epsilon_per_day", r.epsilon_per_day)
        .take("epsilon_lifetime", r.epsilon_lifetime)
        .take("accuracy", r.accuracy)
        .take("floor", r.floor)
        .take("size", r.size)
        .take("members", r.members)
        .take("max_members", r.max_members)
        .take("min", r.min)
        .take("max", r.max)
        .take("length", r.length)
        .take("l1_sensitivity", r.l1_sensitivity)
        .take("bits", r.bits)
        .take("hashes", r.hashes)
        .take("cohorts", r.cohorts)
        .take("event", r.event)
        .take("window", r.window)
        .take("bins", r.bins)
        .take("delta", r.delta)
        .take("range", r.range)
        .take("points", r.points)
        .finish();
    return r;
}

} // namespace sotto::python
