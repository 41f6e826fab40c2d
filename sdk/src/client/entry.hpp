// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_ENTRY_HPP
#define SOTTO_CLIENT_ENTRY_HPP

#include "client/internal.hpp"

namespace sotto::device {

// Whether a client can be looked at.
inline sotto_status readable(const sotto_client *client) {
    if (is_live(client)) {
        return SOTTO_OK;
    }
    return is_blocked(client) ? client->status : sotto_status{SOTTO_ERR_NOT_INITIALISED};
}

// Stands for a call in progress. A second one on the same client waits where the port has a lock;
// where it breaks into the first it is refused.
class entry {
  public:
    explicit entry(sotto_client *client, bool even_if_blocked = false) : client_(client) {
        if (!may_enter(even_if_blocked)) {
            return;
        }
        const sotto_port &port = client_->port;
        if (port.lock != nullptr && port.lock(port.context) != SOTTO_OK) {
            refuse();
            return;
        }
        unlock_ = port.unlock;
        context_ = port.context;
        // The thread that had the lock may have ended or blocked the client meanwhile.
        if (!may_enter(even_if_blocked)) {
            return;
        }
        if (client_->is_busy != 0) {
            refuse();
            return;
        }
        client_->is_busy = 1;
    }
    // No client is ever const: it had to be initialised.
    explicit entry(const sotto_client *client) : entry(const_cast<sotto_client *>(client)) {}
    entry(const entry &) = delete;
    entry &operator=(const entry &) = delete;
    ~entry() {
        if (client_ != nullptr) {
            client_->is_busy = 0;
        }
        unlock();
    }
    sotto_status status() const { return status_; }

  private:
    bool may_enter(bool even_if_blocked) {
        status_ =
            even_if_blocked && is_blocked(client_) ? sotto_status{SOTTO_OK} : readable(client_);
        client_ = status_ == SOTTO_OK ? client_ : nullptr;
        return status_ == SOTTO_OK;
    }
    void refuse() {
        status_ = SOTTO_ERR_BUSY;
        client_ = nullptr;
    }
    // Kept apart from the client, which the call may have ended.
    void unlock() const {
        if (unlock_ != nullptr) {
            unlock_(context_);
        }
    }
    sotto_client *client_;
    sotto_status status_;
    void (*unlock_)(void *context) = nullptr;
    void *context_ = nullptr;
};

} // namespace sotto::device
#endif
