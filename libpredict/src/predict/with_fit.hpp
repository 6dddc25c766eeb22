#pragma once

#include <optional>
#include <string>
#include <type_traits>

#include "commgauge/costs/message_times.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "predict/coverage.hpp"
#include "predict/prediction_rules.hpp"

namespace commgauge {

/// Both sides of the eager limit.
struct HockneyFits {
  const Fitted<HockneyParameters>& eager;
  const Fitted<HockneyParameters>* above;  ///< null: one line for all sizes
};

inline bool covers(const HockneyFits& fits, const Case& query, const Message& m) {
  const bool is_above = fits.above != nullptr && m.rendezvous();
  return covers(is_above ? *fits.above : fits.eager, query, m);
}

/// Of the LogP family: with the overheads of a job of so many processes.
template <class Parameters>
struct GrownFit {
  const Fitted<Parameters>& fitted;
  const Fitted<OverheadGrowth>& growth;
  int processes;
  int measured;  ///< the model's ranks
  [[nodiscard]] GrownView<Parameters> view(const Parameters& p, const OverheadGrowth& g) const {
    return {p, g, static_cast<double>(processes)};
  }
};

template <class Parameters>
bool covers(const GrownFit<Parameters>& fit, const Case& query, const Message& m) {
  return fit.processes <= fit.measured && covers(fit.fitted, query, m);
}

/// The central parameters, bounds taken at the bound.
template <class Parameters>
const Parameters& central(const Fitted<Parameters>& fitted) {
  return fitted.value;
}
inline BottleneckView central(const Fitted<BottleneckParameters>& fitted) {
  return {fitted.value, fitted.high, 1};
}
inline HockneyLines central(const HockneyFits& fits) {
  return {fits.eager.value, fits.above != nullptr ? fits.above->value : fits.eager.value};
}

template <class Parameters>
GrownView<Parameters> central(const GrownFit<Parameters>& fit) {
  return fit.view(fit.fitted.value, fit.growth.value);
}

template <class Parameters>
std::size_t replicate_count(const Fitted<Parameters>& fitted) {
  return fitted.replicates.size();
}
inline std::size_t replicate_count(const HockneyFits& fits) { return fits.eager.replicates.size(); }

/// All that predicts by one name.
template <class Parameters>
const Fitted<Parameters>& whole(const Model&, const Fitted<Parameters>& fitted) {
  return fitted;
}
inline HockneyFits whole(const Model& model, const Fitted<HockneyParameters>& fitted) {
  const auto& above = model.hockney_rendezvous;
  return {fitted, above ? &*above : nullptr};
}

/// Calls use(fit) with that model's fit. @throws InputError  it is unknown, or not in the file.
template <class Use>
void with_fit(const Model& model, const std::string& name, Use&& use) {
  bool is_known = false;
  const auto use_it = [&]<class Parameters>(const FitFacts& facts,
                                            const std::optional<Fitted<Parameters>>& fitted) {
    if constexpr (!is_beside_models<Parameters>) {
      if (is_known || !facts.is_model() || facts.name != name) return;
      is_known = true;
      use(whole(model, need(fitted, name)));
    }
  };
  for_each_fit(use_it, model);
  if (!is_known) require_model_name(name);
}

/// @throws InputError  the file doesn't have it.
[[nodiscard]] const Fitted<OverheadGrowth>& growth_of(const Model& model);
/// @throws InputError  fewer than 2.
void check_process_count(int processes);
/// @throws InputError  always: the model has no overheads.
[[noreturn]] void refuse_growth(const std::string& name);

/// The same in a job of so many processes, if they are given.
template <class Use>
void with_fit(const Model& model, const std::string& name, std::optional<int> processes,
              Use&& use) {
  if (!processes) {
    with_fit(model, name, use);
    return;
  }
  check_process_count(*processes);
  with_fit(model, name, [&](const auto& fit) {
    if constexpr (requires { requires LogPFamily<std::remove_cvref_t<decltype(fit.value)>>; }) {
      use(GrownFit<std::remove_cvref_t<decltype(fit.value)>>{fit, growth_of(model), *processes,
                                                             model.ranks});
    } else {
      refuse_growth(name);
    }
  });
}

template <class Use>
void with_fit(const Model& model, const Query& query, Use&& use) {
  with_fit(model, query.model, query.processes, use);
}

}  // namespace commgauge
