// SPDX-License-Identifier: Apache-2.0
// In place of the ledger in PostgreSQL where libpq was not there to build with.
#include "aggregator/base/failure.hpp"
#include "aggregator/store/postgres_ledger.hpp"

namespace sotto::aggregator {
namespace {

[[noreturn]] void refuse(const std::string &what) {
    throw environment_error(what + ": this sotto was built without libpq, and knows no ledger in "
                                   "PostgreSQL; install libpq-dev and build it again");
}

} // namespace

void postgres_ledger::check(const std::string &option, const std::string &) { refuse(option); }

ledger postgres_ledger::to_write(const std::string &where, const std::function<store_identity()> &,
                                 const std::function<void()> &) {
    refuse("ledger " + where);
}

ledger postgres_ledger::to_read(const std::string &where, const std::string &) {
    refuse("ledger " + where);
}

std::string postgres_ledger::stamp(const std::string &where, const std::string &) {
    refuse("ledger " + where);
}

} // namespace sotto::aggregator
