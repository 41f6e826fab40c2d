// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/printable.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/report/check.hpp"
#include "aggregator/report/envelope_file.hpp"
#include "aggregator/seal/open.hpp"

#include "sotto/registry.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace sotto::aggregator {
namespace {

using json = nlohmann::ordered_json;

struct value_json {
    bool boolean; // an index is a boolean's

    json operator()(std::uint32_t index) const { return boolean ? json(index == 1) : json(index); }
    json operator()(std::int32_t number) const { return number; }
    json operator()(const bit_string &bits) const { return hex(bits); }
    json operator()(const number_list &numbers) const { return numbers; }
};

class inspect_command {
  public:
    inspect_command(registry with, const keyring *keys)
        : registry_(std::move(with)), layouts_(registry_) {
        if (keys != nullptr) {
            opener_.emplace(*keys);
        }
    }

    void show(std::string_view bytes) {
        const auto opened = decode_envelope(bytes);
        const envelope *e = std::get_if<envelope>(&opened);
        if (e == nullptr) {
            return rejected.add(std::get<reason>(opened));
        }
        if (e->registry != registry_.fingerprint) {
            return rejected.add_id(reason::unknown_registry, e->registry);
        }
        std::string_view bytes_of_batch = e->batch;
        if (e->sealed) {
            if (!opener_) {
                return rejected.add(reason::sealed);
            }
            const auto unsealed = opener_->open(*e);
            if (const reason *why = std::get_if<reason>(&unsealed)) {
                return rejected.add_id(*why, e->key_id);
            }
            bytes_of_batch = std::get<std::string_view>(unsealed);
        }
        const auto read = decode_batch(bytes_of_batch, layouts_);
        if (const reason *why = std::get_if<reason>(&read)) {
            return rejected.add(*why);
        }
        readable = true;
        for (const report &r : std::get<std::vector<report>>(read)) {
            show(r);
        }
    }

    rejections rejected;
    bool readable = false;

  private:
    void show(const report &r) {
        const auto checked = check_report(r, registry_);
        if (const reason *why = std::get_if<reason>(&checked)) {
            return rejected.add(*why);
        }
        const bool boolean = std::get<const metric *>(checked)->type == SOTTO_TYPE_BOOLEAN;
        const json line = {{"metric", r.metric},
                           {"epoch", r.epoch},
                           {"level", r.level},
                           {"release", hex(r.release)},
                           {"cohort", r.cohort ? json(*r.cohort) : json()},
                           {"value", std::visit(value_json{boolean}, r.value)}};
        fmt::print("{}\n", line.dump());
    }

    registry registry_;
    value_layouts layouts_;
    std::optional<opener> opener_;
};

} // namespace

exit_code inspect(const inspect_options &options) {
    registry with = load_registry(options.registry).content;
    envelope_file file(options.file);
    std::optional<keyring> keys;
    if (!options.key.empty()) {
        keys.emplace(read_private_keys(options.key));
    }
    inspect_command command(std::move(with), keys ? &*keys : nullptr);
    while (const auto bytes = file.next()) {
        command.show(*bytes);
    }
    if (file.truncated()) {
        command.rejected.add(reason::truncated);
    }
    const std::string rejected = command.rejected.text();
    if (!command.readable) {
        throw usage_error(options.file +
                          ": nothing readable: " + (rejected.empty() ? "empty" : rejected));
    }
    if (!rejected.empty()) {
        fmt::print(stderr, "sotto: {}: rejected {}: {}\n", printable(options.file),
                   grouped(command.rejected.total()), rejected);
    }
    return exit_code::done;
}

} // namespace sotto::aggregator
