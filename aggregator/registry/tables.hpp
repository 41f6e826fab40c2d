// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REGISTRY_TABLES_HPP
#define SOTTO_AGGREGATOR_REGISTRY_TABLES_HPP

#include "aggregator/registry/registry.hpp"

#include "sotto/registry.h"

#include <vector>

namespace sotto::aggregator {

// The tables that a device has in flash, made at run time so that the SDK itself runs on the host.
class tables {
  public:
    explicit tables(const registry &source);
    tables(const tables &) = delete; // the tables point into each other
    tables &operator=(const tables &) = delete;

    const sotto_registry &get() const noexcept { return registry_; }

  private:
    std::vector<sotto_threshold> thresholds_;
    std::vector<sotto_randomized_response> randomized_response_;
    std::vector<sotto_metric> metrics_;
    sotto_registry registry_ = {};
};

} // namespace sotto::aggregator
#endif
