// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_POSTGRES_LEDGER_HPP
#define SOTTO_AGGREGATOR_STORE_POSTGRES_LEDGER_HPP

#include "aggregator/store/ledger.hpp"

#include <functional>
#include <string>

namespace sotto::aggregator {

// The store that a ledger belongs to, by a random number.
struct store_identity {
    std::string id;
    bool is_new; // until now no store had it
};

// A ledger in a schema of PostgreSQL, for programs of many machines that see one directory. The
// writer's lock ends with its connection, and no change is made over another one. `where` is a
// connection string of libpq. Errors: environment_error, also where sotto was built without libpq.
struct postgres_ledger {
    // Errors: usage_error "OPTION: …" when it is no connection string, or has a password in it.
    static void check(const std::string &option, const std::string &where);

    // Waits until no other writer holds it. `identify` is then asked for the store. A new store
    // takes a schema without tables, or a ledger that nothing was ever written to. `on_wait` is
    // called before it waits.
    static ledger to_write(const std::string &where,
                           const std::function<store_identity()> &identify,
                           const std::function<void()> &on_wait);
    // A snapshot. As long as it lives no writer removes a file that it names.
    static ledger to_read(const std::string &where, const std::string &id);
    // Another text after each change.
    static std::string stamp(const std::string &where, const std::string &id);
};

} // namespace sotto::aggregator
#endif
