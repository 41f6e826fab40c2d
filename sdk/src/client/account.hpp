// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_CLIENT_ACCOUNT_HPP
#define SOTTO_CLIENT_ACCOUNT_HPP

#include "privacy/ledger.hpp"
#include "sotto/sotto.h"

// A device's memory of each metric, and first of all together (id 0). It has the measurements,
// the cost of each epoch in its window, and the state of its mechanism. Where releases share noise,
// an epoch has their number and highest level in place of a cost. The window is then the longer of
// the metric's and the device's.
namespace sotto {
struct lasting_noise; // client_code.hpp
}

namespace sotto::device {

inline constexpr uint16_t device_id = 0;
inline constexpr uint32_t no_epoch = UINT32_MAX;

class account {
  public:
    explicit account(uint32_t *row) : row_(row) {}

    uint16_t metric_id() const { return static_cast<uint16_t>(row_[0]); }
    uint32_t window_epochs() const { return row_[0] >> 16 & 0xff; }
    uint32_t times() const { return row_[0] >> 24; } // measured in last_epoch
    uint32_t fingerprint() const { return row_[1]; }
    uint32_t last_epoch() const { return row_[2]; }
    uint32_t measured() const { return row_[3]; }
    uint32_t state_words() const { return 2 * row_[4]; } // kept as pairs
    bool has_state(uint32_t words) const { return row_[4] == words / 2; }
    uint32_t *slots() const { return row_ + head_words; } // newest first
    uint32_t *state() const { return slots() + ledger::slot_count(window_epochs()); }
    uint32_t words() const { return words(window_epochs(), state_words()); }

    void begin(uint16_t metric_id, uint32_t window_epochs, uint32_t fingerprint,
               uint32_t state_words) const;
    void set_measured(uint32_t epoch, uint32_t times) const {
        row_[2] = epoch;
        row_[0] = (row_[0] & 0x00ffffff) | times << 24;
    }
    void set_fingerprint(uint32_t fingerprint) const { row_[1] = fingerprint; }
    void set_window(uint32_t epochs) const { row_[0] = (row_[0] & 0xff00ffff) | epochs << 16; }
    void count() const { row_[3] += row_[3] != UINT32_MAX ? 1 : 0; }

    static constexpr uint32_t words(uint32_t window_epochs, uint32_t state_words) {
        return head_words + ledger::slot_count(window_epochs) + state_words;
    }

  private:
    static constexpr uint32_t head_words = 5;
    uint32_t *row_;
};

// The account of a metric, or of the device. It is there: the state has one of each.
account account_of(const sotto_client &client, uint16_t metric_id);

// A charge to the epoch that lies `age` before the present one, in the accounts of a metric and of
// the device. It is taken back when this goes, unless it was kept.
class charge {
  public:
    charge(const sotto_client &client, const sotto_metric &metric, uint32_t age);
    charge(const charge &) = delete;
    charge &operator=(const charge &) = delete;
    ~charge();

    // Charges `levels` of a release whose `paid` lowest levels are charged already; 0 for a new
    // one.
    void add(uint32_t paid, uint32_t levels);
    // Do all windows stay within the budgets of metric and device?
    bool fits() const;
    void keep();

  private:
    uint32_t *slot_of(uint16_t id);

    const sotto_client &client_;
    const sotto_metric &metric_;
    const lasting_noise *const lasting_;
    uint32_t age_, nothing_ = 0;
    uint32_t *slot_[2]; // nothing_ where no slot is kept
    uint32_t before_[2];
};

// The present epoch becomes one that is `epochs` later.
void pass_epochs(const sotto_client &client, uint32_t epochs);

// Was nothing ever measured, nor any budget spent by a wipe?
bool is_unmeasured(const sotto_client &client);

// Spends all that is left of a budget, or of every one, for one window from the present epoch on.
// Nothing can be measured in this epoch any more.
void spend(const sotto_client &client, const account &a);
void spend_everything(const sotto_client &client);

} // namespace sotto::device
#endif
