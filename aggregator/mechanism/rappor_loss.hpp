// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_MECHANISM_RAPPOR_LOSS_HPP
#define SOTTO_AGGREGATOR_MECHANISM_RAPPOR_LOSS_HPP

namespace sotto::aggregator {

// What `reports` reports of one value lose between them, all from the same permanent bits: with
// `pairs` bits that can differ in either direction (the hashes of a Bloom filter; 1 for one-hot),
//   epsilon(n) = pairs (e1 + e0),
//   e1 = ln [(1 - f/2) X + f/2] / [(f/2) X + 1 - f/2],   X = (q / p)^n,
//   e0 the same of Y = ((1 - p) / (1 - q))^n.
// In doubles, for planning: what is promised is certified by sotto-registry.
double rappor_loss(double f, double p, double q, double pairs, double reports);
// However many: 2 pairs ln [(2 - f) / f].
double rappor_loss_forever(double f, double pairs);

} // namespace sotto::aggregator
#endif
