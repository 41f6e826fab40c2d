// SPDX-License-Identifier: Apache-2.0
#include "aggregator/host/sotto_host.h"

#include "aggregator/base/failure.hpp"
#include "aggregator/host/partitioned_rows.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

struct sotto_host {
    sotto::aggregator::admitted with;
};

struct sotto_host_rows {
    sotto::aggregator::partitioned_rows rows;
};

namespace sotto::aggregator {
namespace {

// A line that is too long ends before a whole character of UTF-8.
void write_line(char *line, std::string_view text) {
    std::size_t length = std::min<std::size_t>(text.size(), std::size_t{SOTTO_HOST_LINE_BYTES} - 1);
    while (length > 0 && length < text.size() && (text[length] & 0xc0) == 0x80) {
        --length;
    }
    std::copy_n(text.data(), length, line);
    line[length] = '\0';
}

// No exception leaves the library.
template <typename Work> int answer(char *line, Work work) noexcept {
    write_line(line, "");
    try {
        work();
        return SOTTO_HOST_DONE;
    } catch (const failure &error) {
        write_line(line, error.what());
        return error.code() == exit_code::usage ? SOTTO_HOST_USAGE : SOTTO_HOST_ENVIRONMENT;
    } catch (const std::bad_alloc &) {
        write_line(line, "out of memory; more parts or smaller files need less");
    } catch (const std::exception &error) {
        write_line(line, error.what());
    }
    return SOTTO_HOST_ENVIRONMENT;
}

std::string_view text_of_view(const sotto_host_view &view) {
    return {static_cast<const char *>(view.data), view.size};
}

std::vector<std::string_view> texts_of(const sotto_host_view *views, std::size_t count) {
    std::vector<std::string_view> texts(count);
    std::transform(views, views + count, texts.begin(), text_of_view);
    return texts;
}

sotto_host_bytes given_out(std::string_view text) {
    if (text.empty()) {
        return {nullptr, 0};
    }
    void *data = std::malloc(text.size());
    if (data == nullptr) {
        throw std::bad_alloc();
    }
    std::memcpy(data, text.data(), text.size());
    return {data, text.size()};
}

} // namespace
} // namespace sotto::aggregator

using namespace sotto::aggregator;

uint32_t sotto_host_version(void) { return SOTTO_HOST_VERSION; }

int sotto_host_open(const sotto_host_view *registries, size_t count, const char *keys,
                    sotto_host **host, char *line) {
    return answer(line, [&] {
        *host = new sotto_host{admit(texts_of(registries, count), keys != nullptr ? keys : "")};
    });
}

void sotto_host_close(sotto_host *host) { delete host; }

int sotto_host_rows_new(const sotto_host *host, uint32_t parts, sotto_host_rows **rows,
                        char *line) {
    return answer(line, [&] { *rows = new sotto_host_rows{partitioned_rows(host->with, parts)}; });
}

void sotto_host_rows_free(sotto_host_rows *rows) { delete rows; }

int sotto_host_parse(sotto_host_rows *rows, sotto_host_view file, sotto_host_read *read,
                     char *line) {
    read_counts counts;
    const int code = answer(line, [&] { rows->rows.add(text_of_view(file), counts); });
    read->envelopes += counts.envelopes;
    read->reports += counts.reports;
    read->rejected += counts.rejected.total();
    return code != SOTTO_HOST_DONE
               ? code
               : answer(line, [&] { write_line(line, counts.rejected.text()); });
}

size_t sotto_host_rows_size(const sotto_host_rows *rows) { return rows->rows.memory_bytes(); }

int sotto_host_take(sotto_host_rows *rows, uint32_t part, sotto_host_bytes *taken, char *line) {
    return answer(line, [&] { *taken = given_out(rows->rows.take(part)); });
}

int sotto_host_tally(const sotto_host *host, uint32_t part, uint32_t parts,
                     const sotto_host_view *taken, size_t count, sotto_host_bytes *share,
                     char *line) {
    return answer(line, [&] {
        *share =
            given_out(share_text(count_taken(host->with, {part, parts}, texts_of(taken, count))));
    });
}

int sotto_host_merge(const sotto_host *host, const sotto_host_view *shares, size_t count,
                     sotto_host_bytes *tallies, char *line) {
    return answer(line, [&] {
        std::vector<tally_share> read;
        for (const std::string_view text : texts_of(shares, count)) {
            read.push_back(read_share(text));
        }
        *tallies =
            given_out(tally_file_text(add_shares(std::move(read), host->with.metrics), "shares"));
    });
}

void sotto_host_free(sotto_host_bytes *bytes) {
    std::free(bytes->data);
    *bytes = {nullptr, 0};
}
