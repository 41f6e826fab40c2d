// SPDX-License-Identifier: Apache-2.0
// The adapter on littlefs itself, in RAM that is cut at every program and every erase.
#include "campaign.hpp"
#include "sotto_littlefs.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

namespace {

constexpr lfs_size_t block_bytes = 256, block_count = 24, unit_bytes = 16;

class littlefs_device {
  public:
    littlefs_device() : bytes_(size_t{block_bytes} * block_count, 0xff) {
        config_.context = this;
        config_.read = read;
        config_.prog = program;
        config_.erase = erase;
        config_.sync = [](const lfs_config *) { return 0; };
        config_.read_size = config_.prog_size = unit_bytes;
        config_.cache_size = unit_bytes * 4;
        config_.block_size = block_bytes;
        config_.block_count = block_count;
        config_.block_cycles = 100;
        config_.lookahead_size = 8;
        config_.read_buffer = read_cache_.data();
        config_.prog_buffer = write_cache_.data();
        config_.lookahead_buffer = lookahead_.data();
        EXPECT_EQ(lfs_format(&lfs_, &config_), 0);
        EXPECT_EQ(lfs_mount(&lfs_, &config_), 0);
    }
    littlefs_device(const littlefs_device &) = delete;
    littlefs_device &operator=(const littlefs_device &) = delete;

    void cut(size_t step, size_t kind) {
        steps_ = 0;
        cut_step_ = step;
        kind_ = kind;
    }
    bool has_power() const { return has_power_; }
    void restart() {
        has_power_ = true;
        cut_step_ = SIZE_MAX;
        lfs_ = {};
        EXPECT_EQ(lfs_mount(&lfs_, &config_), 0);
    }
    int32_t load(uint32_t slot, uint8_t *bytes, size_t capacity) {
        return sotto_littlefs_load(&files_, slot, bytes, capacity);
    }
    sotto_status store(uint32_t slot, const uint8_t *bytes, size_t length) {
        return sotto_littlefs_store(&files_, slot, bytes, length);
    }

  private:
    static littlefs_device &self_of(const lfs_config *c) {
        return *static_cast<littlefs_device *>(c->context);
    }
    bool ends() {
        has_power_ = has_power_ && steps_++ != cut_step_;
        return !has_power_;
    }
    static int read(const lfs_config *c, lfs_block_t block, lfs_off_t at, void *target,
                    lfs_size_t n) {
        const littlefs_device &self = self_of(c);
        const auto from = self.bytes_.begin() + static_cast<ptrdiff_t>(block * block_bytes + at);
        std::copy_n(from, n, static_cast<uint8_t *>(target));
        return self.has_power_ ? 0 : LFS_ERR_IO;
    }
    static int program(const lfs_config *c, lfs_block_t block, lfs_off_t at, const void *from,
                       lfs_size_t n) {
        littlefs_device &self = self_of(c);
        const auto *bytes = static_cast<const uint8_t *>(from);
        for (lfs_size_t i = 0; i < n; ++i) { // each byte is a step
            if (self.ends()) {
                return LFS_ERR_IO;
            }
            self.bytes_[block * block_bytes + at + i] &= bytes[i];
        }
        return 0;
    }
    static int erase(const lfs_config *c, lfs_block_t block) {
        littlefs_device &self = self_of(c);
        const bool is_cut = self.ends();
        const lfs_size_t n = is_cut ? block_bytes / 4 * (self.kind_ % 4) : block_bytes;
        std::fill_n(self.bytes_.begin() + static_cast<ptrdiff_t>(block * block_bytes),
                    self.has_power_ || self.steps_ == self.cut_step_ + 1 ? n : 0, uint8_t{0xff});
        return is_cut ? LFS_ERR_IO : 0;
    }

    std::vector<uint8_t> bytes_;
    size_t steps_ = 0, cut_step_ = SIZE_MAX, kind_ = 0;
    bool has_power_ = true;
    alignas(8) std::array<uint8_t, unit_bytes * 4> read_cache_{}, write_cache_{}, file_cache_{};
    alignas(8) std::array<uint8_t, 8> lookahead_{};
    lfs_config config_{};
    lfs_t lfs_{};
    sotto_littlefs files_ = {&lfs_, file_cache_.data(), {"secret", "state_a", "state_b"}};
};

TEST(Littlefs, IsCutAtEveryByteAndErase) {
    for (size_t step = 0; step < 2000; ++step) {
        littlefs_device device;
        storage_campaign campaign(device, static_cast<uint32_t>(step % 7));
        ASSERT_EQ(campaign.run({{SIZE_MAX, 0}, {step, step % 4}, {step % 90, step / 3 % 4}}, 8), "")
            << "step " << step;
    }
}

} // namespace
