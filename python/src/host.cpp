// SPDX-License-Identifier: Apache-2.0
#include "host.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/host/sotto_host.h"

#include <memory>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sotto::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

// Makes a call without the interpreter's lock. Errors: failure, with its line. Else the line.
template <typename Call> std::string called(Call call) {
    char line[SOTTO_HOST_LINE_BYTES];
    const int code = [&] {
        const nb::gil_scoped_release unlocked;
        return call(line);
    }();
    if (code == SOTTO_HOST_USAGE) {
        throw aggregator::usage_error(line);
    }
    if (code != SOTTO_HOST_DONE) {
        throw aggregator::environment_error(line);
    }
    return line;
}

sotto_host_view view_of(const nb::bytes &bytes) { return {bytes.data(), bytes.size()}; }

// They last as long as the list does.
std::vector<sotto_host_view> views_of(const std::vector<nb::bytes> &list) {
    std::vector<sotto_host_view> views;
    for (const nb::bytes &bytes : list) {
        views.push_back(view_of(bytes));
    }
    return views;
}

// The bytes that `call` gives out.
template <typename Call> nb::bytes given_out(Call call) {
    sotto_host_bytes made{nullptr, 0};
    (void)called([&](char *line) { return call(&made, line); });
    const std::unique_ptr<sotto_host_bytes, decltype(&sotto_host_free)> held(&made,
                                                                             sotto_host_free);
    return nb::bytes(made.data, made.size);
}

class host {
  public:
    host(const std::vector<std::string> &registries, const std::string &key) {
        std::vector<sotto_host_view> texts;
        for (const std::string &text : registries) {
            texts.push_back({text.data(), text.size()});
        }
        (void)called([&](char *line) {
            return sotto_host_open(texts.data(), texts.size(), key.empty() ? nullptr : key.c_str(),
                                   &opened_, line);
        });
    }
    host(const host &) = delete;
    host &operator=(const host &) = delete;
    ~host() { sotto_host_close(opened_); }

    const sotto_host *get() const { return opened_; }

    nb::bytes tally(std::uint32_t part, std::uint32_t parts, const std::vector<nb::bytes> &taken) {
        const std::vector<sotto_host_view> views = views_of(taken);
        return given_out([&](sotto_host_bytes *share, char *line) {
            return sotto_host_tally(opened_, part, parts, views.data(), views.size(), share, line);
        });
    }

    nb::bytes merge(const std::vector<nb::bytes> &shares) {
        const std::vector<sotto_host_view> views = views_of(shares);
        return given_out([&](sotto_host_bytes *tallies, char *line) {
            return sotto_host_merge(opened_, views.data(), views.size(), tallies, line);
        });
    }

  private:
    sotto_host *opened_ = nullptr;
};

// The interpreter's lock may be given up in a call: one thread at a time is the caller's duty.
class host_rows {
  public:
    host_rows(const host &from, std::uint32_t parts) {
        (void)called(
            [&](char *line) { return sotto_host_rows_new(from.get(), parts, &rows_, line); });
    }
    host_rows(const host_rows &) = delete;
    host_rows &operator=(const host_rows &) = delete;
    ~host_rows() { sotto_host_rows_free(rows_); }

    // Why something was rejected; "": nothing was.
    std::string parse(const nb::bytes &file) {
        const sotto_host_view view = view_of(file);
        return called([&](char *line) { return sotto_host_parse(rows_, view, &read_, line); });
    }

    nb::bytes take(std::uint32_t part) {
        return given_out([&](sotto_host_bytes *taken, char *line) {
            return sotto_host_take(rows_, part, taken, line);
        });
    }

    std::size_t size() const { return sotto_host_rows_size(rows_); }
    nb::tuple read() const {
        return nb::make_tuple(read_.envelopes, read_.reports, read_.rejected);
    }

  private:
    sotto_host_rows *rows_ = nullptr;
    sotto_host_read read_{0, 0, 0};
};

} // namespace

void define_host(nb::module_ &module) {
    nb::class_<host>(module, "Host")
        .def(nb::init<const std::vector<std::string> &, const std::string &>(), "registries"_a,
             "key"_a)
        .def("tally", &host::tally, "part"_a, "parts"_a, "taken"_a)
        .def("merge", &host::merge, "shares"_a);
    nb::class_<host_rows>(module, "HostRows")
        .def(nb::init<const host &, std::uint32_t>(), "host"_a, "parts"_a, nb::keep_alive<1, 2>())
        .def("parse", &host_rows::parse, "file"_a)
        .def("take", &host_rows::take, "part"_a)
        .def_prop_ro("size", &host_rows::size)
        .def_prop_ro("read", &host_rows::read);
}

} // namespace sotto::python
