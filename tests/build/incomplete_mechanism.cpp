// SPDX-License-Identifier: Apache-2.0
// A mechanism that leaves a part out must not compile.
#include "aggregator/mechanism/counted.hpp"

class half_a_mechanism final : public sotto::aggregator::counted_mechanism {};

const half_a_mechanism object;
