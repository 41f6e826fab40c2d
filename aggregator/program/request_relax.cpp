// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/selective_relaxation.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/registry/registry.hpp"
#include "aggregator/request/request.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t epoch_max = 0xfffffffe;

std::optional<std::uint32_t> number(std::string_view text) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                    : std::nullopt;
}

void read_epochs(const std::string &text, request &r) {
    const std::size_t dash = text.find('-');
    const auto first = number(text.substr(0, dash));
    const auto last = dash == std::string::npos ? first : number(text.substr(dash + 1));
    if (!first || !last || *first > *last || *last > epoch_max) {
        throw usage_error(fmt::format("--epochs: {} is not A-B with 0 <= A <= B <= {}",
                                      in_quotes(text), epoch_max));
    }
    r.first_epoch = *first;
    r.last_epoch = *last;
}

std::string in_list(std::vector<std::string> names) {
    std::transform(names.begin(), names.end(), names.begin(),
                   [](const std::string &name) { return in_quotes(name); });
    return joined(names);
}

std::vector<std::string> selectable(const metric &m) {
    if (!allows_for_selection(m)) {
        throw usage_error(fmt::format("--select: {} is of type {} by {}{}, which no estimator "
                                      "allows for; --select takes a metric whose releases keep the "
                                      "value with a known probability, as a boolean by "
                                      "randomized response",
                                      in_quotes(m.name), m.type_name, m.mechanism_name,
                                      mechanism_of(m).words(m).variant));
    }
    return m.type == SOTTO_TYPE_BOOLEAN ? std::vector<std::string>{"false", "true"} : m.names;
}

// A name with a comma in it takes the pieces that it is made of.
std::vector<std::uint32_t> read_select(const std::string &text, const metric &m) {
    const std::vector<std::string> names = selectable(m);
    const std::vector<std::string> pieces = split(text, ',');
    std::vector<std::uint32_t> select;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        std::string name = pieces[i];
        auto at = std::find(names.begin(), names.end(), name);
        for (std::size_t k = i + 1; at == names.end() && k < pieces.size(); ++k) {
            name += "," + pieces[k];
            at = std::find(names.begin(), names.end(), name);
            i = at == names.end() ? i : k;
        }
        if (names.empty() && number(pieces[i]).value_or(m.value_size()) < m.value_size()) {
            select.push_back(*number(pieces[i]));
        } else if (at != names.end()) {
            select.push_back(static_cast<std::uint32_t>(at - names.begin()));
        } else {
            throw usage_error(fmt::format(
                "--select: {} has no {}; it has {}", in_quotes(m.name), in_quotes(pieces[i]),
                names.empty() ? fmt::format("0 to {}", m.value_size() - 1) : in_list(names)));
        }
    }
    std::sort(select.begin(), select.end());
    select.erase(std::unique(select.begin(), select.end()), select.end());
    if (select.size() == m.value_size()) {
        throw usage_error("--select: names every value; leave it out to relax everybody");
    }
    return select;
}

request read_request(const request_relax_options &options, const registry &known) {
    const metric *m = known.find(options.metric);
    if (m == nullptr) {
        throw usage_error(fmt::format("--metric: no {} in {}; it has {}", in_quotes(options.metric),
                                      options.registry, joined(known.metric_names())));
    }
    if (m->request_level == 0) {
        throw usage_error(fmt::format("--metric: {} has no request_level: its devices can't be "
                                      "asked",
                                      in_quotes(m->name)));
    }
    if (options.level == 0 || options.level > m->request_level) {
        throw usage_error(fmt::format("--level: {} is not 1 to {}, the request_level of {}",
                                      options.level, m->request_level, in_quotes(m->name)));
    }
    if (options.serial == 0) {
        throw usage_error("--serial: 0 is not 1 to 4294967295");
    }
    request r;
    r.registry = known.fingerprint;
    r.metric = m->id;
    r.level = options.level;
    r.serial = options.serial;
    read_epochs(options.epochs, r);
    if (!options.select.empty()) {
        r.select = read_select(options.select, *m);
    }
    return r;
}

} // namespace

exit_code request_relax(const request_relax_options &options) {
    check_is_no_input(options.out, {options.registry, options.key});
    const request r = read_request(options, load_registry(options.registry).content);
    const request_key key = read_request_key(options.key);
    const std::string bytes = sign_request(r, key);
    if (bytes.size() > request_bytes_max) {
        throw usage_error(fmt::format("--select: {} values make a request of {} bytes; devices "
                                      "read {}",
                                      r.select.size(), bytes.size(), request_bytes_max));
    }
    write_atomically(options.out, bytes);
    fmt::print("request {} to relax {} to level {} in epochs {} to {}{}, signed with key {}: {}\n",
               r.serial, in_quotes(options.metric), r.level, r.first_epoch, r.last_epoch,
               r.select.empty() ? "" : ", selected by what they said", fingerprint_text(key.id()),
               options.out);
    return exit_code::done;
}

} // namespace sotto::aggregator
