#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/simulate/machine/wanted_machine.hpp"

namespace commgauge::python {

namespace py = pybind11;

/// Raises commgauge's exceptions as Python's, whatever bytes are in their messages.
void bind_errors(py::module_& module);
void bind_files(py::module_& module);
void bind_measurements(py::module_& module);
void bind_model(py::module_& module);
void bind_predictions(py::module_& module);
void bind_replay(py::module_& module);
void bind_tasks(py::module_& module);
void bind_thresholds(py::module_& module);

/// Dictionaries with the members of the package's `Diagnostic`; without a label and a model where
/// they are of no model file.
[[nodiscard]] py::list as_list(const std::vector<Warning>& warnings);
[[nodiscard]] py::list as_list(const std::vector<Diagnostic>& diagnostics);

/// Value, low and high.
[[nodiscard]] inline py::tuple as_tuple(const Estimate& one) {
  return py::make_tuple(one.value, one.low, one.high);
}

/// Numpy's view of numbers that `owner` holds: read-only, and it keeps the owner alive.
[[nodiscard]] inline py::array view(std::vector<py::ssize_t> shape, const double* numbers,
                                    const py::object& owner) {
  py::array_t<double> result(std::move(shape), numbers, owner);
  result.attr("setflags")(py::arg("write") = false);
  return result;
}

/// One number of each item.
template <class T, class Items, class Get>
[[nodiscard]] py::array_t<T> column(const Items& items, Get&& get) {
  py::array_t<T> result(static_cast<py::ssize_t>(items.size()));
  T* next = result.mutable_data();
  for (const auto& item : items) *next++ = static_cast<T>(get(item));
  return result;
}

/// Nothing; what --time-ratio takes; or a number for each rank.
using TimeRatio = std::optional<std::variant<std::string, std::vector<double>>>;
[[nodiscard]] simulate::TimeRatios time_ratios_of(const TimeRatio& said);

/// Where a long call asks whether Ctrl-C was pressed, without holding the interpreter's lock.
inline void heed_signals() {
  const py::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

[[nodiscard]] inline std::optional<std::uint64_t> number_of(std::optional<Bytes> size) {
  return size ? std::optional{size->value} : std::nullopt;
}

}  // namespace commgauge::python
