// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SIMULATE_ENVELOPE_WRITER_HPP
#define SOTTO_AGGREGATOR_SIMULATE_ENVELOPE_WRITER_HPP

#include "aggregator/simulate/gateway.hpp"

#include "sotto/sotto.h"

#include <string>

namespace sotto::aggregator {

// Puts batches into envelopes, as the SDK does: the other end of decode_envelope.
class envelope_writer {
  public:
    // Sealed for the registry's key, where it has one; it must outlive this.
    explicit envelope_writer(const sotto_registry &tables) : registry_(tables) {}

    // An envelope behind its length, as it stands in a file, with the fault that the batch asks
    // for. Safe to call from several threads. Errors: environment_error.
    std::string write(packed_batch batch, const sotto_entropy &random) const;

  private:
    const sotto_registry &registry_;
};

} // namespace sotto::aggregator
#endif
