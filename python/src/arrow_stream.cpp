// SPDX-License-Identifier: Apache-2.0
#include "arrow_stream.hpp"

#include <cerrno>
#include <utility>
#include <vector>

namespace sotto::python {
namespace {

template <typename Struct> void release_children(Struct &parent) {
    for (std::int64_t i = 0; i < parent.n_children; ++i) {
        if (parent.children[i]->release != nullptr) {
            parent.children[i]->release(parent.children[i]);
        }
    }
}

// Holds all that a structure points to, until it is released.
template <typename Struct> struct held_children {
    std::vector<Struct> structs;
    std::vector<Struct *> pointers;

    explicit held_children(std::size_t count) : structs(count) {
        for (Struct &child : structs) {
            pointers.push_back(&child);
        }
    }
};

struct held_schema : held_children<ArrowSchema> {
    std::string name, format;

    explicit held_schema(const column &from)
        : held_children(from.children.size()), name(from.name), format(from.format) {}
};

struct held_array : held_children<ArrowArray> {
    std::shared_ptr<const column> table;
    std::vector<const void *> buffers;

    held_array(const column &from, std::shared_ptr<const column> whole)
        : held_children(from.children.size()), table(std::move(whole)) {
        for (const std::vector<std::uint8_t> &bytes : from.buffers) {
            buffers.push_back(bytes.data());
        }
        // No bits are needed where nothing is missing.
        if (from.nulls == 0) {
            buffers.front() = nullptr;
        }
    }
};

template <typename Struct, typename Held> void release_held(Struct *out) {
    release_children(*out);
    delete static_cast<Held *>(out->private_data);
    out->release = nullptr;
}

void export_array(const column &from, const std::shared_ptr<const column> &whole, ArrowArray &out) {
    auto held = std::make_unique<held_array>(from, whole);
    for (std::size_t i = 0; i < from.children.size(); ++i) {
        export_array(from.children[i], whole, held->structs[i]);
    }
    out = {from.length,
           from.nulls,
           0,
           static_cast<std::int64_t>(held->buffers.size()),
           static_cast<std::int64_t>(held->pointers.size()),
           held->buffers.data(),
           held->pointers.data(),
           nullptr,
           release_held<ArrowArray, held_array>,
           nullptr};
    out.private_data = held.release();
}

struct stream_state {
    std::shared_ptr<const column> table;
    bool is_done = false;
};

stream_state &state_of(ArrowArrayStream *stream) {
    return *static_cast<stream_state *>(stream->private_data);
}

int get_schema(ArrowArrayStream *stream, ArrowSchema *out) {
    try {
        export_schema(*state_of(stream).table, *out);
        return 0;
    } catch (...) {
        return ENOMEM;
    }
}

int get_next(ArrowArrayStream *stream, ArrowArray *out) {
    stream_state &state = state_of(stream);
    *out = {};
    if (std::exchange(state.is_done, true)) {
        return 0; // released already: the end
    }
    try {
        export_array(*state.table, state.table, *out);
        return 0;
    } catch (...) {
        return ENOMEM;
    }
}

const char *get_last_error(ArrowArrayStream *) { return "out of memory"; }

void release_stream(ArrowArrayStream *stream) {
    delete &state_of(stream);
    stream->release = nullptr;
}

} // namespace

void export_schema(const column &from, ArrowSchema &out) {
    auto held = std::make_unique<held_schema>(from);
    for (std::size_t i = 0; i < from.children.size(); ++i) {
        export_schema(from.children[i], held->structs[i]);
    }
    out = {held->format.c_str(),
           held->name.c_str(),
           nullptr,
           from.format == "+s" ? 0 : arrow_nullable,
           static_cast<std::int64_t>(held->pointers.size()),
           held->pointers.data(),
           nullptr,
           release_held<ArrowSchema, held_schema>,
           nullptr};
    out.private_data = held.release();
}

void export_stream(std::shared_ptr<const column> table, ArrowArrayStream &out) {
    out = {get_schema, get_next, get_last_error, release_stream,
           new stream_state{std::move(table), false}};
}

} // namespace sotto::python
