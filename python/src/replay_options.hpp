#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bindings.hpp"
#include "commgauge/replay/prediction/prediction.hpp"

namespace commgauge::python {

/// Which model of a file, and how a program runs on its machine: what the package's functions of
/// recorded programs have in common. Hosts and ranks of each, where the machine is larger than the
/// model.
struct ReplayOptions {
  std::string kind;
  std::string collectives;
  bool computes{};
  bool rematches{};
  bool has_interval{};
  TimeRatio time_ratio;
  std::optional<std::vector<int>> placement;
  std::optional<std::pair<int, int>> hosts;
};

/// Its progress lets Ctrl-C through, and has to be called without the interpreter's lock.
/// @throws InputError  no such collectives
[[nodiscard]] replay::PredictionOptions prediction_options(const ReplayOptions& options);

/// What the options' machine is made of: the model of predictions with them, and of what is
/// `assumed` in them.
/// @throws InputError  as commgauge::larger_model()
[[nodiscard]] LargerModel larger_model(const Model& model, const ReplayOptions& options);

/// Whatever bytes are in it: an archive may hold any.
[[nodiscard]] py::str text_of(const std::string& text);

/// `notes`: a pair of kind and text for each.
[[nodiscard]] py::list notes_of(const std::vector<Diagnostic>& notes);

/// time, low, high, confidence, interval_meaning, model, program, notes
[[nodiscard]] py::dict run_of(const replay::Predicted& run, const trace::Trace& trace,
                              const Model& model);

void bind_replay_options(py::module_& module);
void bind_explanations(py::module_& module);
void bind_what_if(py::module_& module);

}  // namespace commgauge::python
