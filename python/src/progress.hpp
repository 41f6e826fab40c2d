// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_PYTHON_PROGRESS_HPP
#define SOTTO_PYTHON_PROGRESS_HPP

#include <chrono>
#include <cstdint>
#include <nanobind/nanobind.h>
#include <utility>

namespace sotto::python {

// Calls a Python function, or none, a few times a second, and lets Ctrl-C through. It is called
// without the interpreter's lock, which it holds in the meantime.
class progress {
  public:
    explicit progress(nanobind::object told) : told_(std::move(told)) {}

    void operator()(std::uint64_t done, double share) {
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) {
            return;
        }
        next_ = now + std::chrono::milliseconds(200);
        const nanobind::gil_scoped_acquire lock;
        if (PyErr_CheckSignals() != 0) {
            throw nanobind::python_error();
        }
        if (!told_.is_none()) {
            told_(done, share);
        }
    }

  private:
    nanobind::object told_;
    std::chrono::steady_clock::time_point next_ = {}; // the first call is told
};

} // namespace sotto::python
#endif
