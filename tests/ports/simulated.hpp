// SPDX-License-Identifier: Apache-2.0
// Peripherals that the register-level ports run against, on the host, with the faults that hardware
// has.
#ifndef SIMULATED_HPP
#define SIMULATED_HPP

#include <cstddef>
#include <cstdint>
#include <random>

enum class fault {
    none,
    stuck,     // the noise source gives one value
    biased,    // ... gives one value far too often
    locked,    // ... gives 0 and 1 in turn
    silent,    // never ready
    slow,      // ready at last
    seed_once, // a seed error, or a failed check, that recovery mends
    seed_read, // the same, between the poll and the read, which gives bad_word
    seed_stays,
    zero_read, // data of 0, and no flag that says so
    clock_error,
    clock_was_slow,
    not_running,
    same_block,
    checks_off, // the checks can't be switched on
};

constexpr uint32_t bad_word = 0xbadbad00;

class peripheral {
  public:
    peripheral() = default;
    peripheral(const peripheral &) = delete;
    peripheral &operator=(const peripheral &) = delete;
    virtual ~peripheral() = default;
    virtual uint32_t read(uint32_t offset) = 0;
    virtual void write(uint32_t offset, uint32_t value) = 0;

    fault now = fault::none;

  protected:
    uint32_t noise() {
        switch (now) {
        case fault::stuck:
            return 0x5a5a5a5a;
        case fault::biased:
            return engine_() % 4 == 0 ? 0x5a : static_cast<uint32_t>(engine_());
        default:
            return static_cast<uint32_t>(engine_());
        }
    }
    // Polls until the next value.
    int delay() const { return now == fault::slow ? 20000 : 2; }

  private:
    std::mt19937 engine_{2026};
};

// As strict as the first nRF51 (PAN-028): clearing the event resets the value and lets the next one
// come, STOP forgets it. nRF52 only differs in that values come on their own.
class nrf5x_rng : public peripheral {
  public:
    explicit nrf5x_rng(bool early) : early_(early) {}

    uint32_t read(uint32_t offset) override {
        if (offset == 0x508) {
            return value_;
        }
        if (offset != 0x100 || !started_ || now == fault::silent) {
            return 0;
        }
        if (!ready_ || !early_) {
            if (--wait_ <= 0) {
                value_ = noise() & 0xff;
                ready_ = true;
                wait_ = delay();
            }
        }
        return ready_ ? 1 : 0;
    }
    void write(uint32_t offset, uint32_t value) override {
        if (offset == 0x000) {
            started_ = true;
            wait_ = delay();
        } else if (offset == 0x004) {
            started_ = false;
            value_ = early_ ? 0 : value_;
        } else if (offset == 0x100 && value == 0) {
            ready_ = false;
            value_ = early_ ? 0 : value_;
        } else if (offset == 0x504) {
            corrects_bias = (value & 1) != 0;
        }
    }

    bool is_started() const { return started_; }
    bool corrects_bias = false;

  private:
    bool early_, started_ = false, ready_ = false;
    int wait_ = 0;
    uint32_t value_ = 0;
};

// RNG of STM32, with either of the recoveries. Its own health tests notice a stuck or biased
// source.
class stm32_rng : public peripheral {
  public:
    explicit stm32_rng(bool has_condrst) : has_condrst_(has_condrst) {}

    uint32_t read(uint32_t offset) override {
        if (offset == 0x00) {
            if (reset_polls_ > 0 && --reset_polls_ == 0) {
                control_ &= ~(1u << 30);
                mend();
            }
            return control_;
        }
        if (offset == 0x04) {
            return status();
        }
        if (offset != 0x08) {
            return 0;
        }
        flushed_ += seed_error_ ? 1 : 0;
        if (seed_error_ || !is_ready_) {
            return 0;
        }
        is_ready_ = false;
        wait_ = delay();
        if (now == fault::zero_read && words_++ == 5) {
            return 0;
        }
        if (now == fault::seed_read && words_++ == 5) {
            seed_error_ = true;
            return bad_word;
        }
        return now == fault::same_block ? 0x12345678 : noise() | 1;
    }
    void write(uint32_t offset, uint32_t value) override {
        if (offset == 0x00) {
            const bool restarted = (control_ & 4) == 0 && (value & 4) != 0;
            const bool was_in_reset = (control_ >> 30 & 1) != 0;
            control_ = value;
            if (has_condrst_) {
                if (was_in_reset && (value >> 30 & 1) == 0) {
                    reset_polls_ = 3;
                    control_ |= 1u << 30;
                }
            } else if (restarted) {
                wait_ = delay();
                if (cleared_ && flushed_ >= 12) {
                    mend();
                }
            }
        } else if (offset == 0x04) {
            if ((value & 1u << 6) == 0 && seed_error_) {
                cleared_ = true;
                flushed_ = 0;
            }
            if ((value & 1u << 5) == 0) {
                clock_flag_cleared = true;
            }
        }
    }

    bool is_enabled() const { return (control_ & 4) != 0; }
    bool clock_flag_cleared = false;
    int mended = 0;

  private:
    void mend() {
        ++mended;
        seed_error_ = now == fault::seed_stays || now == fault::stuck || now == fault::biased;
        cleared_ = false;
        flushed_ = 0;
        is_ready_ = false;
        if (now == fault::seed_once) {
            now = fault::none;
        }
    }
    uint32_t status() {
        if (!is_enabled()) {
            return 0;
        }
        if (now == fault::clock_error) {
            return 1u << 1 | 1u << 5;
        }
        const uint32_t clock = now == fault::clock_was_slow && !clock_flag_cleared ? 1u << 5 : 0;
        if (now == fault::seed_once || now == fault::seed_stays || now == fault::stuck ||
            now == fault::biased) {
            seed_error_ = true;
        }
        if (seed_error_) {
            return (1u << 6) | (1u << 2);
        }
        if (now == fault::silent) {
            return 0;
        }
        if (!is_ready_ && --wait_ <= 0) {
            is_ready_ = true;
        }
        return clock | (is_ready_ ? 1 : 0);
    }

    bool has_condrst_, is_ready_ = false, seed_error_ = false, cleared_ = false;
    int wait_ = 0, reset_polls_ = 0, flushed_ = 0, words_ = 0;
    uint32_t control_ = 0;
};

// Reads take a while, and bits that are read too soon after one another are the same.
class rp2040_rosc : public peripheral {
  public:
    uint32_t read(uint32_t offset) override {
        ++reads_;
        if (offset == 0x18) {
            return now == fault::not_running ? 0 : 1u << 31 | 1u << 12;
        }
        if (offset == 0x1c && reads_ > 20) {
            reads_ = 0;
            bit_ = next();
        }
        return bit_;
    }
    void write(uint32_t, uint32_t) override {}

  private:
    uint32_t next() {
        switch (now) {
        case fault::stuck:
            return 1;
        case fault::locked:
            return ++count_ & 1;
        case fault::biased:
            return noise() % 10 < 8 ? 1 : 0; // the debiasing is for such a source
        default:
            return noise() >> 31;
        }
    }

    uint32_t count_ = 0, reads_ = 0, bit_ = 0;
};

class rp2350_trng : public peripheral {
  public:
    uint32_t read(uint32_t offset) override {
        if (offset == 0x104) {
            tick();
            return isr_;
        }
        if (offset >= 0x114 && offset <= 0x128) {
            const uint32_t word = block_[(offset - 0x114) / 4];
            if (offset == 0x128) {
                for (uint32_t &drawn : block_) {
                    drawn = 0;
                }
                isr_ &= ~1u;
                wait_ = delay();
                if (now == fault::seed_read && ++blocks_ <= 3) {
                    isr_ |= 1u << blocks_; // each of the checks once
                }
            }
            return word;
        }
        return offset == 0x138 ? debug_ : 0;
    }
    void write(uint32_t offset, uint32_t value) override {
        if (offset == 0x140 && value == 1) { // the only way out of a failed autocorrelation
            isr_ = 0;
            is_on_ = false;
            ++resets;
            if (now == fault::seed_once && resets > 3) {
                now = fault::none;
            }
        } else if (offset == 0x108) {
            isr_ &= ~(value & 13u);
        } else if (offset == 0x12c) {
            is_on_ = (value & 1) != 0;
            wait_ = delay();
        } else if (offset == 0x138) {
            debug_ = now == fault::checks_off ? 14 : value & 14;
        }
    }

    bool is_on() const { return is_on_; }
    int resets = 0;

  private:
    void tick() {
        if (!is_on_ || isr_ != 0 || now == fault::silent || --wait_ > 0) {
            return;
        }
        if (now == fault::seed_once || now == fault::seed_stays || now == fault::locked) {
            isr_ = 1u << 1;
            return;
        }
        isr_ = 1;
        if (now == fault::zero_read && ++blocks_ == 3) {
            return;
        }
        for (uint32_t &drawn : block_) {
            drawn = now == fault::same_block ? ++same_ % 6 + 1 : 0;
            for (int i = 0; now != fault::same_block && i < 4; ++i) {
                drawn = drawn << 8 | (noise() & 0xff);
            }
            if (now == fault::seed_read && blocks_ < 3) {
                drawn = bad_word;
            }
        }
    }

    bool is_on_ = false;
    int wait_ = 0, blocks_ = 0;
    uint32_t isr_ = 0, debug_ = 14, same_ = 0, block_[6] = {};
};

#endif
