#include "commgauge/predict/predict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "commgauge/base/error.hpp"
#include "predict/case.hpp"
#include "predict/evaluate.hpp"
#include "predict/interval_rules.hpp"
#include "predict/with_fit.hpp"

namespace commgauge {

namespace {

// Unknown times, of a pair that was not measured, are NaN here.

constexpr Prediction unknown{{std::numeric_limits<double>::quiet_NaN()},
                             {std::numeric_limits<double>::quiet_NaN()},
                             {std::numeric_limits<double>::quiet_NaN()}};

/// @throws InputError  the value is not known.
template <class View>
void require_known(const View&, double value) {
  if (std::isfinite(value)) return;
  constexpr bool has_curves = std::is_same_v<View, PLogPParameters>;
  throw InputError(std::string{"the model can't say (one of the pairs was not measured"} +
                   (has_curves ? ", or not at two sizes on this side of the eager limit" : "") +
                   "): calibrate " + (LogPFamily<View> ? "with --pairs all" : "again") +
                   ", or predict another pair");
}

template <class Parameters>
Prediction predict_with(IntervalRules& rules, const Fitted<Parameters>& fitted, const Case& query) {
  const auto value_at = [&](const Parameters& p, double share) {
    return evaluate(p, fitted.high, query, share);
  };
  const double value = value_at(fitted.value, 1);
  if (!std::isfinite(value)) return unknown;
  const double next =
      rules.next_half_width(fitted.replicate_kind, fitted.replicates.size(), value,
                            [&](std::size_t k) { return value_at(fitted.replicates[k], 1); });
  const bool inside = std::ranges::all_of(
      query.messages, [&](const Message& m) { return covers(fitted, query, m); });
  return rules.joined(value, value_at(fitted.value, 0), next, fitted.residual, !inside);
}

/// Where a tree's messages lie on both sides of the eager limit. Replicates of the two fits belong
/// together where they are as many; elsewhere each varies while the other stays. The larger
/// residual counts.
Prediction predict_across(IntervalRules& rules, const Fitted<HockneyParameters>& eager,
                          const Fitted<HockneyParameters>& above, const Case& query) {
  const auto time = [&](const HockneyParameters& below_limit,
                        const HockneyParameters& above_limit) {
    return evaluate(HockneyLines{below_limit, above_limit}, query);
  };
  const double value = time(eager.value, above.value);
  if (!std::isfinite(value)) return unknown;
  const std::size_t count = eager.replicates.size();
  const bool paired =
      eager.replicate_kind == above.replicate_kind && count == above.replicates.size();
  double next = rules.next_half_width(eager.replicate_kind, count, value, [&](std::size_t k) {
    return time(eager.replicates[k], paired ? above.replicates[k] : above.value);
  });
  if (!paired) {
    const double other = rules.next_half_width(
        above.replicate_kind, above.replicates.size(), value,
        [&](std::size_t k) { return time(eager.value, above.replicates[k]); });
    next = std::hypot(next, other);
  }
  const bool inside = std::ranges::all_of(query.messages, [&](const Message& m) {
    return covers(m.rendezvous() ? above : eager, query, m);
  });
  const double residual = std::fmax(eager.residual, above.residual);
  return rules.joined(value, value, next, residual, !inside);
}

Prediction predict_with(IntervalRules& rules, const HockneyFits& fits, const Case& query) {
  if (fits.above == nullptr || !query.has_rendezvous()) {
    return predict_with(rules, fits.eager, query);
  }
  if (std::ranges::all_of(query.messages, &Message::rendezvous)) {
    return predict_with(rules, *fits.above, query);
  }
  return predict_across(rules, fits.eager, *fits.above, query);
}

template <class Parameters>
ReplicateTimes replicate_times(const Fitted<Parameters>& fitted, const Case& query) {
  ReplicateTimes result{fitted.replicate_kind, {}};
  for (const Parameters& replicate : fitted.replicates) {
    result.times_s.push_back(evaluate(replicate, fitted.high, query, 1));
  }
  return result;
}

/// Of a tree across the eager limit: as predict_across().
ReplicateTimes replicate_times(const HockneyFits& fits, const Case& query) {
  if (fits.above == nullptr || !query.has_rendezvous()) return replicate_times(fits.eager, query);
  const bool paired = fits.eager.replicates.size() == fits.above->replicates.size();
  if (!paired || std::ranges::all_of(query.messages, &Message::rendezvous)) {
    return replicate_times(*fits.above, query);
  }
  ReplicateTimes result{fits.eager.replicate_kind, {}};
  for (std::size_t k = 0; k < fits.eager.replicates.size(); ++k) {
    const HockneyLines lines{fits.eager.replicates[k], fits.above->replicates[k]};
    result.times_s.push_back(evaluate(lines, query));
  }
  return result;
}

struct Turn {
  int peer;
  double key;  ///< smaller comes first
};

}  // namespace

std::string_view to_text(Side side) { return side == Side::sender ? "sender" : "receiver"; }

Prediction predict(const Model& model, const Query& query) {
  const Case what = case_of(model, query);
  IntervalRules rules(model);
  Prediction found;
  with_fit(model, query.model, [&](const auto& fit) {
    found = predict_with(rules, fit, what);
    require_known(central(fit), found.time.value);
  });
  return found;
}

std::optional<Prediction> predict_if_measured(const Model& model, const Query& query) {
  const Case what = case_of(model, query);
  IntervalRules rules(model);
  Prediction found;
  with_fit(model, query.model, [&](const auto& fit) { found = predict_with(rules, fit, what); });
  return std::isfinite(found.time.value) ? std::optional{found} : std::nullopt;
}

std::string why_no_interval(const Model& model, const std::string& name) {
  std::size_t count = 0;
  with_fit(model, name, [&](const auto& fit) { count = replicate_count(fit); });
  if (count > 1) {
    return "no interval (a single replicate of " + name +
           " has what this takes): calibrate all launches with the same sizes and pairs";
  }
  return "no interval (the file holds " +
         std::string{count == 0 ? "no replicates" : "one replicate"} + " of " + name +
         ", and their spread is what tells one): make the file with estimate-model fit or "
         "calibrate";
}

std::vector<Prediction> predict_messages(const Model& model, const std::string& name, Side side,
                                         std::span<const PairMessage> messages) {
  std::vector<Prediction> predictions(messages.size());
  IntervalRules rules(model);
  with_fit(model, name, [&](const auto& fit) {
    for_each_message(model, name, side, messages, [&](std::size_t k, const Case& what) {
      predictions[k] = predict_with(rules, fit, what);
      require_known(central(fit), predictions[k].time.value);
    });
  });
  return predictions;
}

std::vector<MessageTime> predict_message_times(const Model& model, const std::string& name,
                                               Side side, std::span<const PairMessage> messages) {
  std::vector<MessageTime> times(messages.size());
  with_fit(model, name, [&](const auto& fit) {
    const auto& view = central(fit);
    for_each_message(model, name, side, messages, [&](std::size_t k, const Case& what) {
      const double value = evaluate(view, what);
      require_known(view, value);
      times[k] = {{value}, !covers(fit, what, what.messages.front())};
    });
  });
  return times;
}

Seconds predict_time(const Model& model, const Query& query) {
  const Case what = case_of(model, query);
  Seconds time;
  with_fit(model, query.model, [&](const auto& fit) {
    const auto& view = central(fit);
    time.value = evaluate(view, what);
    require_known(view, time.value);
  });
  return time;
}

std::optional<Seconds> predict_time_if_measured(const Model& model, const Query& query) {
  const Case what = case_of(model, query);
  Seconds time;
  with_fit(model, query.model, [&](const auto& fit) { time.value = evaluate(central(fit), what); });
  return std::isfinite(time.value) ? std::optional{time} : std::nullopt;
}

ReplicateTimes predict_replicates(const Model& model, const Query& query) {
  const Case what = case_of(model, query);
  ReplicateTimes times;
  with_fit(model, query.model, [&](const auto& fit) { times = replicate_times(fit, what); });
  return times;
}

std::vector<int> serving_order(const Model& model, const Query& query) {
  const Case what = case_of(model, query);
  std::vector<Turn> turns;
  with_fit(model, query.model, [&](const auto& fit) {
    const auto& view = central(fit);
    for (const Message& m : what.messages) {
      const double arrival = one_way(view, m);
      require_known(view, arrival);
      if (what.scatters()) {
        turns.push_back({m.to, busy(view, m) - arrival});
      } else {
        turns.push_back({m.from, arrival});
      }
    }
  });
  std::ranges::stable_sort(turns, {}, &Turn::key);
  std::vector<int> order;
  for (const Turn& turn : turns) order.push_back(turn.peer);
  return order;
}

}  // namespace commgauge
