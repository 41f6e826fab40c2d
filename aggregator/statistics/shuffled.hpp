// SPDX-License-Identifier: Apache-2.0
// Privacy amplification by shuffling: the loss of reports to a reader who sees them mixed, without
// senders. The reduction to clones is that of Feldman, McMillan, Talwar (FOCS 2021).
#ifndef SOTTO_AGGREGATOR_STATISTICS_SHUFFLED_HPP
#define SOTTO_AGGREGATOR_STATISTICS_SHUFFLED_HPP

#include <cstdint>

namespace sotto::aggregator {

inline constexpr std::uint64_t shuffled_devices_max = 100'000'000;

// At least the delta at which mixed reports of `devices`, each of `local` epsilon, lose `central`.
// Every pair of values and every mechanism that all devices share is covered.
//
// Reports of two values are mixtures of two laws, with odds of e^local : 1 and 1 : e^local. A
// report of any other device is either law, alike, with probability e^-local at least: a clone.
// The n devices have t clones, 1 + Bin(n - 1, e^-local). Reports tell no more than how many of the
// t are of the first law. With B_t the law of d, the mean of t fair signs, delta is this, averaged
// over t:
//
//   (1 + e^central) * sum of B_t(d) * max(0, tanh(local / 2) * d - tanh(central / 2))
//
// Delta falls as t grows: a block of many t is counted as its least. No term is negative, so that
// rounding is relative. A bound of it is added, and of the tails that are left out.
double shuffled_delta(double local, double central, std::uint64_t devices);

// At least the least epsilon that mixed reports lose at `delta`; `local` at most.
double shuffled_epsilon(double local, std::uint64_t devices, double delta);

} // namespace sotto::aggregator
#endif
