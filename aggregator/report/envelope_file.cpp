// SPDX-License-Identifier: Apache-2.0
#include "aggregator/report/envelope_file.hpp"

#include <algorithm>
#include <cstring>

namespace sotto::aggregator {
namespace {

constexpr std::size_t chunk_bytes = 1 << 16;
constexpr std::size_t varint_bytes_max = 3; // a length's, up to envelope_bytes_max

static_assert(envelope_bytes_max < std::size_t{1} << (7 * varint_bytes_max));

// An envelope has bytes: so a file of zeros, which a hole reads as, is not gone through.
// `next_byte` answers an optional byte.
template <typename NextByte> std::optional<std::size_t> read_length(NextByte next_byte) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < varint_bytes_max; ++i) {
        const std::optional<unsigned char> byte = next_byte();
        if (!byte) {
            return std::nullopt;
        }
        value |= std::size_t{*byte & 0x7fU} << (7 * i);
        if (*byte < 0x80) {
            return value > 0 && value <= envelope_bytes_max ? std::optional(value) : std::nullopt;
        }
    }
    return std::nullopt;
}

std::optional<unsigned char> take_byte(std::string_view &from) noexcept {
    if (from.empty()) {
        return std::nullopt;
    }
    const auto first = static_cast<unsigned char>(from.front());
    from.remove_prefix(1);
    return first;
}

} // namespace

std::optional<std::string_view> take_envelope(std::string_view &bytes) noexcept {
    std::string_view rest = bytes;
    const auto length = read_length([&rest] { return take_byte(rest); });
    if (!length || *length > rest.size()) {
        return std::nullopt;
    }
    bytes = rest.substr(*length);
    return rest.substr(0, *length);
}

bool ends_with_an_envelope(std::string_view bytes) noexcept {
    while (take_envelope(bytes)) {
    }
    return bytes.empty();
}

envelope_file::envelope_file(const std::string &path, chosen_by whom)
    : file_(path, whom), buffer_(chunk_bytes) {}

void envelope_file::digest_at(next_length lengths) {
    lengths_ = std::move(lengths);
    stop_ = next_stop(0);
}

std::optional<std::uint64_t> envelope_file::next_stop(std::uint64_t above_bytes) const {
    const auto next = lengths_(above_bytes, head_);
    return above_bytes < file_head_bytes ? std::min(next.value_or(file_head_bytes), file_head_bytes)
                                         : next;
}

std::optional<content_prefix> envelope_file::prefix_before(std::uint64_t end_bytes) {
    if (prefixes_.empty() || prefixes_.front().bytes >= end_bytes) {
        return std::nullopt;
    }
    const content_prefix first = prefixes_.front();
    prefixes_.pop_front();
    return first;
}

std::optional<std::string_view> envelope_file::next() {
    if (truncated_ || !have(1)) {
        return std::nullopt;
    }
    const std::optional<std::size_t> bytes = read_length([this]() -> std::optional<unsigned char> {
        return have(1) ? std::optional(static_cast<unsigned char>(buffer_[begin_++]))
                       : std::nullopt;
    });
    if (!bytes || !have(*bytes)) {
        truncated_ = true;
        return std::nullopt;
    }
    const std::string_view envelope(buffer_.data() + begin_, *bytes);
    begin_ += *bytes;
    return envelope;
}

// Whether that many bytes stand at begin_, reading on as far as needed.
bool envelope_file::have(std::size_t bytes) {
    if (end_ - begin_ >= bytes) {
        return true;
    }
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    while (end_ < bytes) {
        if (end_ == buffer_.size()) { // grows with what is there, not with what is claimed
            buffer_.resize(2 * buffer_.size());
        }
        const std::size_t got = file_.read(std::span(buffer_).subspan(end_));
        if (got == 0) {
            return false;
        }
        digest({reinterpret_cast<const std::uint8_t *>(buffer_.data()) + end_, got});
        end_ += got;
    }
    return true;
}

void envelope_file::digest(std::span<const std::uint8_t> more) {
    while (stop_ && *stop_ <= read_bytes_ + more.size()) {
        const std::uint64_t at = *stop_;
        const auto before = static_cast<std::size_t>(at - read_bytes_);
        digest_.add(more.first(before));
        prefixes_.push_back({at, digest_.value()});
        more = more.subspan(before);
        read_bytes_ = at;
        head_ = at == file_head_bytes ? digest_.value() : head_;
        stop_ = next_stop(at);
    }
    digest_.add(more);
    read_bytes_ += more.size();
}

} // namespace sotto::aggregator
