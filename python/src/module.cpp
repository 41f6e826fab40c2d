// SPDX-License-Identifier: Apache-2.0
// The functions of sotto/__init__.py, which has their types and words. None holds the interpreter's
// lock while it works.
#include "aggregator/program/commands.hpp"
#include "aggregator/program/formats.hpp"
#include "aggregator/store/store.hpp"
#include "aggregator/text/estimate_text.hpp"
#include "aggregator/text/remark_words.hpp"
#include "arrow_stream.hpp"
#include "host.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "tables.hpp"

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sotto::python {
namespace {

namespace nb = nanobind;
using namespace aggregator;
using namespace nb::literals;

// A table that Python, and whoever it hands the table to, shares.
struct shared_table {
    std::shared_ptr<const column> content;
};

nb::object stream_of(const shared_table &table, const nb::object &) {
    auto stream = std::make_unique<ArrowArrayStream>();
    export_stream(table.content, *stream);
    return nb::steal(PyCapsule_New(stream.release(), "arrow_array_stream", [](PyObject *capsule) {
        auto *held =
            static_cast<ArrowArrayStream *>(PyCapsule_GetPointer(capsule, "arrow_array_stream"));
        if (held->release != nullptr) {
            held->release(held);
        }
        delete held;
    }));
}

nb::object schema_of(const shared_table &table) {
    auto schema = std::make_unique<ArrowSchema>();
    export_schema(*table.content, *schema);
    return nb::steal(PyCapsule_New(schema.release(), "arrow_schema", [](PyObject *capsule) {
        auto *held = static_cast<ArrowSchema *>(PyCapsule_GetPointer(capsule, "arrow_schema"));
        if (held->release != nullptr) {
            held->release(held);
        }
        delete held;
    }));
}

// (name, format, length, buffers, columns in it)
nb::tuple parts_of(const column &from) {
    nb::list buffers, children;
    for (const std::vector<std::uint8_t> &bytes : from.buffers) {
        buffers.append(nb::bytes(bytes.data(), bytes.size()));
    }
    for (const column &child : from.children) {
        children.append(parts_of(child));
    }
    return nb::make_tuple(from.name, from.format, from.length, buffers, children);
}

shared_table shared(column &&table) { return {std::make_shared<const column>(std::move(table))}; }

nb::tuple estimated_table(const nb::dict &given) {
    const estimate_options options = estimate_options_of(given);
    shared_table table;
    std::vector<std::string> remarks;
    {
        const nb::gil_scoped_release unlocked;
        const std::unique_ptr<made_estimate> made = make_estimate(options);
        table = shared(estimate_table(made->found));
        remarks = estimate_remarks(made->found);
    }
    return nb::make_tuple(table, remarks);
}

shared_table stored_rows(const std::string &registry_path, const std::string &store_path,
                         const std::string &name, std::optional<std::uint32_t> epoch) {
    const nb::gil_scoped_release unlocked;
    const store from = store::to_read(store_path);
    const registry with = from.completed(load_registry(registry_path).content);
    const metric *m = with.find(name);
    if (m == nullptr) {
        throw usage_error(fmt::format("metric: no metric \"{}\"; the registry has {}", name,
                                      fmt::join(with.metric_names(), ", ")));
    }
    return shared(row_table(from, *m, epoch));
}

nb::dict ingested_of(const ingested &made) {
    nb::dict rejected;
    for (std::size_t i = 0; i < reason_count; ++i) {
        const auto why = static_cast<reason>(i);
        if (const std::uint64_t times = made.rejected.count(why); times > 0) {
            rejected[reason_text(why)] = times;
        }
    }
    nb::dict out;
    out["reports"] = made.reports;
    out["envelopes"] = made.envelopes;
    out["rejected"] = rejected;
    return out;
}

// All files are taken in before an error of one is raised.
nb::dict ingested_files_of(const std::string &registry_path, const std::string &store_path,
                           const std::vector<std::string> &files, const std::string &key,
                           const nb::object &told) {
    progress shown(told);
    ingested made;
    std::vector<std::string> complaints;
    {
        const nb::gil_scoped_release unlocked;
        named_store target(store_path, load_registry(registry_path));
        std::optional<keyring> keys;
        if (!key.empty()) {
            keys.emplace(read_private_keys(key));
        }
        made = ingest_files_into(
            target, keys ? &*keys : nullptr, files, chosen_by::user,
            {[&](std::uint64_t envelopes, double share) { shown(envelopes, share); },
             [&](exit_code, const std::string &line) { complaints.push_back(line); }});
    }
    if (!complaints.empty()) {
        const std::string lines = fmt::format("{}", fmt::join(complaints, "\n"));
        if (made.code == exit_code::usage) {
            throw usage_error(lines);
        }
        throw failure(made.code, lines);
    }
    return ingested_of(made);
}

nb::dict simulated_reports(const nb::dict &given, const nb::object &told) {
    const simulate_options options = simulate_options_of(given);
    progress shown(told);
    simulated made;
    {
        const nb::gil_scoped_release unlocked;
        made = simulate_table(options,
                              [&](std::uint64_t devices, double share) { shown(devices, share); });
    }
    nb::dict out;
    out["devices"] = made.devices;
    out["reports"] = made.reports;
    out["bytes"] = made.bytes;
    out["clamped"] = made.adapted.clamped;
    out["over_budget"] = made.adapted.over_budget;
    out["remarks"] = made.unseen;
    return out;
}

std::string plan_text(const nb::dict &given) {
    const plan_request request = plan_request_of(given);
    const nb::gil_scoped_release unlocked;
    return format_of("json").plan(make_plan(request));
}

std::string promise_text(const std::string &path, std::optional<std::uint32_t> horizon) {
    const nb::gil_scoped_release unlocked;
    const registry known = load_registry(path).content;
    const output_format &json = format_of("json");
    return horizon ? json.horizon(known, horizon_of(known, *horizon), any_width)
                   : json.epsilon(known, any_width);
}

} // namespace

NB_MODULE(_sotto, module) {
    nb::exception<failure> error(module, "Error");
    nb::exception<usage_error>(module, "UsageError", error.ptr());
    nb::class_<shared_table>(module, "Table")
        .def("__arrow_c_stream__", stream_of, "requested_schema"_a = nb::none())
        .def("__arrow_c_schema__", schema_of)
        .def("parts", [](const shared_table &table) { return parts_of(*table.content); });
    module.def("estimate", estimated_table);
    module.def("rows", stored_rows);
    module.def("ingest", ingested_files_of, "registry"_a, "store"_a, "files"_a, "key"_a,
               "progress"_a.none());
    module.def("simulate", simulated_reports, "options"_a, "progress"_a.none());
    module.def("plan", plan_text);
    module.def("promise", promise_text);
    define_host(module);
}

} // namespace sotto::python
