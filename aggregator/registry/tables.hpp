// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REGISTRY_TABLES_HPP
#define SOTTO_AGGREGATOR_REGISTRY_TABLES_HPP

#include "aggregator/mechanism/device_memory.hpp"
#include "aggregator/registry/registry.hpp"

#include "sotto/registry.h"

namespace sotto::aggregator {

// The tables that a device has in flash, made at run time so that the SDK itself runs on the host.
class tables {
  public:
    explicit tables(const registry &source);
    tables(const tables &) = delete; // the tables point into each other
    tables &operator=(const tables &) = delete;

    const sotto_registry &get() const noexcept { return registry_; }

  private:
    device_memory memory_; // all the arrays and tables
    sotto_registry registry_ = {};
};

} // namespace sotto::aggregator
#endif
