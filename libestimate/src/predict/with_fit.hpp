#pragma once

#include <string>
#include <type_traits>

#include "commgauge/model/model_list.hpp"
#include "costs/message_times.hpp"
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
    if constexpr (!std::is_same_v<Parameters, OverheadGrowth>) {
      if (is_known || !facts.is_model() || facts.name != name) return;
      is_known = true;
      use(whole(model, need(fitted, name)));
    }
  };
  for_each_fit(use_it, model);
  if (!is_known) require_model_name(name);
}

}  // namespace commgauge
