// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_PROGRAM_STOP_SIGNAL_HPP
#define SOTTO_AGGREGATOR_PROGRAM_STOP_SIGNAL_HPP

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>

namespace sotto::aggregator {

// While it lives, SIGTERM and SIGINT interrupt nothing: the work in hand is finished first. For
// one thread, before there are others.
class stop_signal {
  public:
    stop_signal() {
        sigemptyset(&signals_);
        sigaddset(&signals_, SIGTERM);
        sigaddset(&signals_, SIGINT);
        (void)pthread_sigmask(SIG_BLOCK, &signals_, &before_);
    }
    stop_signal(const stop_signal &) = delete;
    stop_signal &operator=(const stop_signal &) = delete;
    ~stop_signal() { (void)pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

    bool has_come() const noexcept {
        sigset_t come = {};
        return sigpending(&come) == 0 &&
               (sigismember(&come, SIGTERM) == 1 || sigismember(&come, SIGINT) == 1);
    }

    // Whether one has come, or comes within that time; it is forgotten then.
    bool within(std::chrono::seconds time) const {
        const timespec wait = {time.count(), 0};
        int got = 0;
        do {
            got = sigtimedwait(&signals_, nullptr, &wait);
        } while (got < 0 && errno == EINTR);
        return got > 0;
    }

  private:
    sigset_t signals_ = {}, before_ = {};
};

} // namespace sotto::aggregator
#endif
