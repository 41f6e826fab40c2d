// SPDX-License-Identifier: Apache-2.0
// The metrics.toml that sotto plan prints, through the registry compiler: the window that keeps
// the cap on a day, and the ladder that it offers.
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/plan/options.hpp"
#include "support.hpp"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

registry compiled(const std::string &metric_toml) {
    const temporary_directory directory;
    const std::string toml = "[registry]\nname = \"plan\"\nversion = 1\n\n" + metric_toml;
    const std::string command = "'" SOTTO_PYTHON "' '" SOTTO_COMPILER "' compile " +
                                directory.file("m.toml", toml) + " --out " +
                                (directory / "out").string() + " >/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << toml;
    return load_registry(directory / "out/metrics.json").content;
}

plan_request twice_a_day(const std::string &type) {
    plan_request r;
    r.type = type;
    r.devices = 1e5;
    r.epsilon = 2;
    r.epsilon_per_day = 2.5;
    r.reports_per_day = 2;
    return r;
}

TEST(PlanToml, TheCapOnADayIsAWindow) {
    plan_request category = twice_a_day("category"), integer = twice_a_day("integer");
    category.size = 5;
    integer.min = 0;
    integer.max = 300;
    for (const plan_request &r :
         {twice_a_day("boolean"), category, integer, twice_a_day("string")}) {
        const plan made = make_plan(r);
        const registry with = compiled(made.toml());
        ASSERT_EQ(with.metrics.size(), 1u);
        const metric &m = with.metrics[0];
        ASSERT_TRUE(m.window) << r.type;
        EXPECT_EQ(m.window->epochs, 2u);
        EXPECT_EQ(m.window->epsilon.text, "2.5");
        // Both reports of a day fit.
        const double both = r.type == "string" ? m.cost(0, 2) : 2.0 * m.cost(0, 1);
        EXPECT_LE(both, m.window->units) << r.type;
    }
}

// A ladder has one set of parameters, which its highest level chooses: no level is planned with
// those that would be its own.
TEST(PlanToml, TheLadderLosesItsHighestLevel) {
    plan_request category = twice_a_day("category"), integer = twice_a_day("integer");
    category.size = 60;
    integer.min = 0;
    integer.max = 300;
    plan_request many = category, shape = integer;
    many.size = 1000;
    many.epsilon = shape.epsilon = 4;
    many.epsilon_per_day = shape.epsilon_per_day = 8;
    shape.type = "distribution";
    for (const plan_request &r : {twice_a_day("boolean"), category, many, integer, shape}) {
        const plan made = make_plan(r);
        ASSERT_TRUE(made.is_ladder) << r.type;
        ASSERT_EQ(made.levels.size(), 3u);
        std::string epsilons;
        for (const plan_option &o : made.levels) {
            epsilons += (epsilons.empty() ? "" : ", ") + epsilon_text(o.epsilon);
        }
        const registry with = compiled(replaced(
            made.toml(), "[" + epsilon_text(made.chosen().epsilon) + "]", "[" + epsilons + "]"));
        const metric &m = with.metrics[0];
        EXPECT_EQ(m.mechanism_name, made.chosen().mechanism);
        EXPECT_LE(m.joint.value, made.chosen().epsilon * (1 + 1e-12)) << r.type;
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_NEAR(m.levels[i].realised.value, made.levels[i].epsilon, 1e-6) << r.type;
            if (r.type == "distribution" || m.mechanism_name == "design") {
                EXPECT_EQ(made.levels[i].parameters, made.chosen().parameters);
            }
            if (const std::optional<double> rare = made.levels[i].rare_error) {
                const bit_channel by = *mechanism_of(m).channel(m, m.levels[i].law);
                EXPECT_NEAR(std::sqrt(bit_channel_variance(1e5, 0, by)) / (1e5 * *rare), 1, 1e-3)
                    << m.mechanism_name << ", level " << i;
            }
        }
    }
}

} // namespace
} // namespace sotto::aggregator::test
