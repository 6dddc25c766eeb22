#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commgauge.h"
#include "commgauge/model/model.hpp"
#include "commgauge/predict/predict.hpp"
#include "guard.hpp"

namespace commgauge::c {

/// A model with what the interface hands out as texts.
struct Learnt {
  explicit Learnt(Model learnt);

  Model model;
  std::vector<std::string> names;
  std::vector<std::string> warnings;
  std::string interval_meaning;
  std::vector<std::string> hosts;
  std::vector<std::string> kinds;  ///< of models by classes
};

}  // namespace commgauge::c

struct commgauge_model {
  std::shared_ptr<const commgauge::c::Learnt> learnt;  ///< the same for every number of processes
  std::optional<int> processes{};                      ///< of the job that is predicted
};

namespace commgauge::c {

/// @throws InputError  it is null
inline const Learnt& learnt(const commgauge_model* model) { return *given(model, "model").learnt; }

inline commgauge_prediction in_c(const Prediction& prediction) {
  return {prediction.time.value, prediction.low.value, prediction.high.value,
          prediction.extrapolated};
}

}  // namespace commgauge::c
