// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REPORT_ENVELOPE_FILE_HPP
#define SOTTO_AGGREGATOR_REPORT_ENVELOPE_FILE_HPP

#include "aggregator/base/checksum.hpp"
#include "aggregator/base/file.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace sotto::aggregator {

// An envelope that claims to be larger is no envelope, nor is one of no bytes.
inline constexpr std::size_t envelope_bytes_max = 1 << 20;

// Takes the first envelope off these bytes. Nothing where they end, or where the framing is lost:
// then they are not empty.
std::optional<std::string_view> take_envelope(std::string_view &bytes) noexcept;

// Whether the last envelope of these bytes ends where they end: what is appended is then read, too.
bool ends_with_an_envelope(std::string_view bytes) noexcept;

// The first bytes of a file, and their digest.
struct content_prefix {
    std::uint64_t bytes = 0, digest = 0;
};

// By the digest of so many bytes files are told apart: by then there is something random in them.
inline constexpr std::uint64_t file_head_bytes = 64;

// The envelopes of a report file, one after the other, in memory bounded by envelope_bytes_max.
class envelope_file {
  public:
    // Errors: see fail_input; also those of next().
    explicit envelope_file(const std::string &path, chosen_by whom = chosen_by::user);

    // The bytes of the next envelope, valid until the next call. Nothing at the end of the file,
    // and where the framing is lost: truncated() then says so.
    std::optional<std::string_view> next();
    bool truncated() const noexcept { return truncated_; }
    // Answers the least length above this one of files that begin with this head.
    using next_length =
        std::function<std::optional<std::uint64_t>(std::uint64_t above_bytes, std::uint64_t head)>;
    // Before the first next(): what is to be digested on the way.
    void digest_at(next_length lengths);
    // The next that was read of these, each once, when it ends before there.
    std::optional<content_prefix> prefix_before(std::uint64_t end_bytes);
    // Where the last envelope ends.
    std::uint64_t envelope_end() const noexcept { return read_bytes_ - (end_ - begin_); }
    std::uint64_t read_bytes() const noexcept { return read_bytes_; }
    std::uint64_t head() const noexcept {
        return head_;
    } // digest of file_head_bytes; 0: not so many
    std::uint64_t digest() const { return digest_.value(); } // over the bytes that were read
    std::uint64_t size_bytes() const noexcept { return file_.size_bytes(); }

  private:
    bool have(std::size_t bytes);
    void digest(std::span<const std::uint8_t> more);
    std::optional<std::uint64_t> next_stop(std::uint64_t above_bytes) const;

    input_file file_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::uint64_t read_bytes_ = 0;
    checksum_stream digest_;
    next_length lengths_;
    std::optional<std::uint64_t> stop_; // the next length
    std::uint64_t head_ = 0;
    std::deque<content_prefix> prefixes_; // read ahead of next(), and not asked for yet
    bool truncated_ = false;
};

} // namespace sotto::aggregator
#endif
