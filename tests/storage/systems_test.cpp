// SPDX-License-Identifier: Apache-2.0
// The adapters of ports/storage over stand-ins for Zephyr's NVS and ZMS, ESP-IDF's NVS and
// littlefs, cut at every byte that they write. Each of the four replaces an entry when its last
// byte is there.
#include "campaign.hpp"
#include "planted.hpp"
#include "sotto_esp32_nvs.h"
#include "sotto_littlefs.h"
#include "sotto_zephyr_storage.h"

#include <cerrno>
#include <cstring>
#include <gtest/gtest.h>
#include <map>

namespace {

// The medium of all of them: entries, and a byte at which power goes.
struct medium {
    std::map<std::string, std::vector<uint8_t>> entries;
    size_t steps = 0, cut_step = SIZE_MAX;
    bool has_power = true;
    int failures = 0; // the next calls answer so many

    // May so many bytes be written?
    bool spend(size_t bytes) {
        if (!has_power || failures > 0) {
            failures -= has_power ? 1 : 0;
            return false;
        }
        const bool ends = cut_step >= steps && cut_step - steps < bytes;
        steps += bytes;
        has_power = !ends;
        return !ends;
    }
    bool reads() { return spend(0); }
} now;

constexpr size_t entry_bytes = 8; // an allocation table entry, an index, a directory's commit

std::string name_of(uint32_t id) { return std::to_string(id); }

ssize_t write_entry(const std::string &name, const void *data, size_t length) {
    const auto *from = static_cast<const uint8_t *>(data);
    const std::vector<uint8_t> next(from, from + length);
    if (now.has_power && now.entries.count(name) != 0 && now.entries[name] == next) {
        return 0;
    }
    if (!now.spend(length + entry_bytes)) {
        return -EIO;
    }
    now.entries[name] = next;
    return static_cast<ssize_t>(length);
}
int delete_entry(const std::string &name) {
    if (!now.spend(entry_bytes)) {
        return -EIO;
    }
    now.entries.erase(name);
    return 0;
}
ssize_t read_entry(const std::string &name, void *data, size_t length) {
    if (!now.reads()) {
        return -EIO;
    }
    const auto found = now.entries.find(name);
    if (found == now.entries.end()) {
        return -ENOENT;
    }
    std::memcpy(data, found->second.data(), std::min(length, found->second.size()));
    return static_cast<ssize_t>(found->second.size());
}

} // namespace

extern "C" {
ssize_t nvs_write(nvs_fs *, uint16_t id, const void *data, size_t length) {
    return write_entry(name_of(id), data, length);
}
int nvs_delete(nvs_fs *, uint16_t id) { return delete_entry(name_of(id)); }
ssize_t nvs_read(nvs_fs *, uint16_t id, void *data, size_t length) {
    return read_entry(name_of(id), data, length);
}

ssize_t zms_write(zms_fs *, uint32_t id, const void *data, size_t length) {
    return write_entry(name_of(id), data, length);
}
int zms_delete(zms_fs *, uint32_t id) { return delete_entry(name_of(id)); }
ssize_t zms_read(zms_fs *, uint32_t id, void *data, size_t length) {
    return std::min(read_entry(name_of(id), data, length), static_cast<ssize_t>(length));
}
ssize_t zms_get_data_length(zms_fs *, uint32_t id) { return read_entry(name_of(id), nullptr, 0); }

esp_err_t nvs_get_blob(nvs_handle_t, const char *key, void *target, size_t *length) {
    const ssize_t found = read_entry(key, nullptr, 0);
    if (found < 0) {
        return found == -ENOENT ? ESP_ERR_NVS_NOT_FOUND : ESP_FAIL;
    }
    if (target != nullptr && *length < static_cast<size_t>(found)) {
        return ESP_ERR_NVS_INVALID_LENGTH;
    }
    *length = static_cast<size_t>(found);
    return target == nullptr || read_entry(key, target, *length) >= 0 ? ESP_OK : ESP_FAIL;
}
esp_err_t nvs_set_blob(nvs_handle_t, const char *key, const void *value, size_t length) {
    return write_entry(key, value, length) < 0 ? ESP_FAIL : ESP_OK;
}
esp_err_t nvs_erase_key(nvs_handle_t, const char *key) {
    if (now.has_power && now.entries.count(key) == 0) {
        return ESP_ERR_NVS_NOT_FOUND;
    }
    return delete_entry(key) == 0 ? ESP_OK : ESP_FAIL;
}
esp_err_t nvs_commit(nvs_handle_t) { return now.spend(1) ? ESP_OK : ESP_FAIL; }

int lfs_file_opencfg(lfs_t *, lfs_file_t *file, const char *path, int flags,
                     const lfs_file_config *) {
    *file = {};
    file->path = path;
    file->flags = flags;
    if (now.entries.count(path) == 0) {
        if ((flags & LFS_O_CREAT) == 0 || !now.spend(entry_bytes)) {
            return (flags & LFS_O_CREAT) == 0 && now.reads() ? LFS_ERR_NOENT : LFS_ERR_IO;
        }
        now.entries[path] = {}; // committed at once, with nothing in it
    }
    if ((flags & LFS_O_TRUNC) == 0) {
        file->length = static_cast<lfs_size_t>(now.entries[path].size());
        std::copy(now.entries[path].begin(), now.entries[path].end(), file->bytes);
    }
    return now.reads() ? 0 : LFS_ERR_IO;
}
lfs_soff_t lfs_file_size(lfs_t *, lfs_file_t *file) {
    return static_cast<lfs_soff_t>(file->length);
}
lfs_ssize_t lfs_file_read(lfs_t *, lfs_file_t *file, void *target, lfs_size_t size) {
    const lfs_size_t length = std::min(size, file->length);
    std::memcpy(target, file->bytes, length);
    return now.reads() ? static_cast<lfs_ssize_t>(length) : LFS_ERR_IO;
}
lfs_ssize_t lfs_file_write(lfs_t *, lfs_file_t *file, const void *from, lfs_size_t size) {
    std::memcpy(file->bytes, from, size);
    file->length = size;
    return now.spend(size) ? static_cast<lfs_ssize_t>(size) : LFS_ERR_IO;
}
int lfs_file_close(lfs_t *, lfs_file_t *file) {
    if ((file->flags & LFS_O_WRONLY) == 0) {
        return 0;
    }
    if (!now.spend(entry_bytes)) {
        return LFS_ERR_IO;
    }
    now.entries[file->path].assign(file->bytes, file->bytes + file->length);
    return 0;
}
int lfs_remove(lfs_t *, const char *path) {
    if (now.has_power && now.entries.count(path) == 0) {
        return LFS_ERR_NOENT;
    }
    return delete_entry(path) == 0 ? 0 : LFS_ERR_IO;
}
}

namespace {

nvs_fs nvs;
zms_fs zms;
lfs_t lfs;
sotto_zephyr_nvs in_nvs = {&nvs, 100};
sotto_zephyr_zms in_zms = {&zms, 70000};
sotto_esp32_nvs in_esp = {1};
sotto_littlefs in_files = {&lfs, nullptr, {"secret", "state_a", "state_b"}};

struct adapter {
    storage_functions functions;
    void *context;
};
const adapter adapters[] = {
    {{"zephyr_nvs", sotto_zephyr_nvs_load, sotto_zephyr_nvs_store}, &in_nvs},
    {{"zephyr_zms", sotto_zephyr_zms_load, sotto_zephyr_zms_store}, &in_zms},
    {{"esp32_nvs", sotto_esp32_nvs_load, sotto_esp32_nvs_store}, &in_esp},
    {{"littlefs", sotto_littlefs_load, sotto_littlefs_store}, &in_files},
};

class system_device {
  public:
    explicit system_device(const adapter &a) : adapter_(a) { now = {}; }
    void cut(size_t step, size_t) {
        now.cut_step = step;
        now.steps = 0;
    }
    bool has_power() const { return now.has_power; }
    void restart() {
        now.has_power = true;
        now.cut_step = SIZE_MAX;
    }
    int32_t load(uint32_t slot, uint8_t *bytes, size_t capacity) {
        return adapter_.functions.load(adapter_.context, slot, bytes, capacity);
    }
    sotto_status store(uint32_t slot, const uint8_t *bytes, size_t length) {
        return adapter_.functions.store(adapter_.context, slot, bytes, length);
    }

  private:
    const adapter &adapter_;
};

std::string live(const adapter &a, size_t step) {
    system_device device(a);
    storage_campaign campaign(device, static_cast<uint32_t>(step));
    return campaign.run({{SIZE_MAX, 0}, {step, 0}, {step % 70, 0}}, 8);
}

TEST(SystemStorage, IsCutAtEveryByte) {
    for (const adapter &a : adapters) {
        for (size_t step = 0; step < 700; ++step) {
            ASSERT_EQ(live(a, step), "") << a.functions.name << ", byte " << step;
        }
    }
}

// The control: an adapter that removes the old bytes before the new ones are there.
TEST(SystemStorage, RemovingFirstIsFound) {
    const adapter wrong = {removes_first, &in_esp};
    size_t found = 0;
    for (size_t step = 0; step < 700; ++step) {
        found += live(wrong, step).empty() ? 0 : 1;
    }
    EXPECT_GT(found, 100u);
}

TEST(SystemStorage, TellsTheWholeLengthAndNoOtherError) {
    for (const adapter &a : adapters) {
        system_device device(a);
        const std::vector<uint8_t> bytes(60, 7);
        uint8_t few[4] = {};
        EXPECT_EQ(device.load(1, few, sizeof few), 0) << a.functions.name;
        EXPECT_EQ(device.store(1, nullptr, 0), SOTTO_OK) << a.functions.name;
        ASSERT_EQ(device.store(1, bytes.data(), bytes.size()), SOTTO_OK);
        EXPECT_EQ(device.load(1, few, sizeof few), 60) << a.functions.name;
        EXPECT_EQ(device.store(1, bytes.data(), bytes.size()), SOTTO_OK) << "the same again";
        EXPECT_EQ(device.load(SOTTO_SLOT_COUNT, few, sizeof few), SOTTO_ERR_STORAGE);
        EXPECT_EQ(device.store(SOTTO_SLOT_COUNT, few, sizeof few), SOTTO_ERR_STORAGE);
        now.failures = 1;
        EXPECT_EQ(device.load(1, few, sizeof few), SOTTO_ERR_STORAGE) << a.functions.name;
        now.failures = 1;
        EXPECT_EQ(device.store(1, bytes.data(), 30), SOTTO_ERR_STORAGE) << a.functions.name;
        now.failures = 1;
        EXPECT_EQ(device.store(1, nullptr, 0), SOTTO_ERR_STORAGE) << a.functions.name;
    }
}

} // namespace
