// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_KEY_READER_HPP
#define SOTTO_AGGREGATOR_BASE_KEY_READER_HPP

#include "aggregator/base/failure.hpp"
#include "aggregator/base/file.hpp"
#include "aggregator/base/text.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <optional>
#include <string>
#include <string_view>

namespace sotto::aggregator {

// How key files begin: those of keys that open and seal, and of those that sign requests and let
// devices check them.
namespace key_label {
inline constexpr std::string_view opens = "sotto private key v1\n", seals = "sotto public key v1\n",
                                  signs = "sotto private request key v1\n",
                                  checks = "sotto public request key v1\n";
} // namespace key_label

// One line of a key file of sotto keygen after another, as they must stand there. Zeroes what it
// read when it goes. Errors: usage_error "path: what", that never shows what is in the file; see
// fail_input.
class key_reader {
  public:
    explicit key_reader(const std::string &path)
        : path_(path), text_(read_whole(path, file_bytes_max)) {}
    ~key_reader() { OPENSSL_cleanse(text_.data(), text_.size()); }

    // Whether this stands next; if so, reads on behind it.
    bool has(std::string_view line) {
        const bool there = text_.compare(at_, line.size(), line) == 0;
        at_ += there ? line.size() : 0;
        return there;
    }

    // The bytes of a line that is `name` and 2 * size lower-case digits of hex.
    template <std::size_t size> std::array<std::uint8_t, size> hex_line(std::string_view name) {
        std::array<std::uint8_t, size> bytes;
        if (!has(name) || text_.size() - at_ < 2 * size + 1 || text_[at_ + 2 * size] != '\n') {
            fail_shape();
        }
        const std::string_view digits(text_.data() + at_, 2 * size);
        const bool lower = digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
        auto read = lower ? from_hex(digits) : std::nullopt;
        if (!read) {
            fail_shape();
        }
        std::copy(read->begin(), read->end(), bytes.begin());
        OPENSSL_cleanse(read->data(), read->size());
        at_ += 2 * size + 1;
        return bytes;
    }

    // The id of the last line, which guards the key against a changed digit.
    void finish(std::uint32_t id) {
        const auto read = hex_line<4>("id ");
        if (hex(read) != fingerprint_text(id)) {
            fail(fmt::format("its id {} does not fit its key: a digit was changed", hex(read)));
        }
    }
    void require_end() const {
        if (at_ != text_.size()) {
            fail_shape();
        }
    }

    [[noreturn]] void fail(const std::string &what) const {
        throw usage_error(path_ + ": " + what);
    }
    [[noreturn]] void fail_shape() const { fail("no key as sotto keygen writes it"); }

  private:
    static constexpr std::size_t file_bytes_max = 4096;
    std::string path_, text_;
    std::size_t at_ = 0;
};

} // namespace sotto::aggregator
#endif
