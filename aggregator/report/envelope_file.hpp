// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REPORT_ENVELOPE_FILE_HPP
#define SOTTO_AGGREGATOR_REPORT_ENVELOPE_FILE_HPP

#include "aggregator/base/checksum.hpp"
#include "aggregator/base/file.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace sotto::aggregator {

// An envelope that claims to be larger is no envelope.
inline constexpr std::size_t envelope_bytes_max = 1 << 20;

// The first bytes of a file, and their digest.
struct content_prefix {
    std::uint64_t bytes = 0, digest = 0;
};

// The envelopes of a report file, one after the other, in memory bounded by envelope_bytes_max.
class envelope_file {
  public:
    // Errors: see fail_input; also those of next().
    explicit envelope_file(const std::string &path, chosen_by whom = chosen_by::user);

    // The bytes of the next envelope, valid until the next call. Nothing at the end of the file,
    // and where the framing is lost: truncated() then says so.
    std::optional<std::string_view> next();
    bool truncated() const noexcept { return truncated_; }
    // Before the first next(): what is to be digested on the way, by length, rising.
    void digest_at(std::vector<std::uint64_t> lengths_bytes) { wanted_ = std::move(lengths_bytes); }
    // Of those lengths, what was read of them so far; it may be ahead of next().
    const std::vector<content_prefix> &prefixes() const noexcept { return prefixes_; }
    // Where the last envelope ends.
    std::uint64_t envelope_end() const noexcept { return read_bytes_ - (end_ - begin_); }
    std::uint64_t read_bytes() const noexcept { return read_bytes_; }
    std::uint64_t digest() const { return digest_.value(); } // of the bytes that were read
    std::uint64_t size_bytes() const noexcept { return file_.size_bytes(); }

  private:
    std::optional<std::size_t> length();
    bool have(std::size_t bytes);
    void digest(std::span<const std::uint8_t> more);

    input_file file_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::uint64_t read_bytes_ = 0;
    checksum_stream digest_;
    std::vector<std::uint64_t> wanted_; // lengths; as many as there are prefixes are done
    std::vector<content_prefix> prefixes_;
    bool truncated_ = false;
};

} // namespace sotto::aggregator
#endif
