#include "predict/formulas.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "commgauge/base/error.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/model/contention.hpp"
#include "commgauge/simulate/machine/measured_rules.hpp"
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
  constexpr bool has_curves = std::is_base_of_v<PLogPCosts, CostsOf<View>>;
  throw InputError(std::string{"the model can't say (one of the pairs was not measured"} +
                   (has_curves ? ", or not at two sizes on this side of the eager limit" : "") +
                   "): calibrate " + (LogPFamily<View> ? "with --pairs all" : "again") +
                   ", or predict another pair");
}

/// Whether replicates of the two vary together.
template <class One, class Other>
bool belong_together(const Fitted<One>& one, const Fitted<Other>& other) {
  return one.replicate_kind == other.replicate_kind &&
         one.replicates.size() == other.replicates.size();
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

/// Of two fits together. Their replicates belong together where they are as many; elsewhere each
/// varies while the other stays. The larger residual counts.
/// @param time  of a set of parameters of either
template <class One, class Other, class Time>
Prediction predict_jointly(IntervalRules& rules, const Fitted<One>& one, const Fitted<Other>& other,
                           bool inside, Time&& time) {
  const double value = time(one.value, other.value);
  if (!std::isfinite(value)) return unknown;
  const std::size_t count = one.replicates.size();
  const bool paired = belong_together(one, other);
  double next = rules.next_half_width(one.replicate_kind, count, value, [&](std::size_t k) {
    return time(one.replicates[k], paired ? other.replicates[k] : other.value);
  });
  if (!paired) {
    const double alone =
        rules.next_half_width(other.replicate_kind, other.replicates.size(), value,
                              [&](std::size_t k) { return time(one.value, other.replicates[k]); });
    next = std::hypot(next, alone);
  }
  return rules.joined(value, value, next, std::fmax(one.residual, other.residual), !inside);
}

/// Where a tree's messages lie on both sides of the eager limit.
Prediction predict_across(IntervalRules& rules, const HockneyFits& fits, const Case& query) {
  const bool inside =
      std::ranges::all_of(query.messages, [&](const Message& m) { return covers(fits, query, m); });
  return predict_jointly(rules, fits.eager, *fits.above, inside,
                         [&](const HockneyParameters& below, const HockneyParameters& above) {
                           return evaluate(HockneyLines{below, above}, query);
                         });
}

template <class Parameters>
Prediction predict_with(IntervalRules& rules, const GrownFit<Parameters>& fit, const Case& query) {
  const bool inside =
      std::ranges::all_of(query.messages, [&](const Message& m) { return covers(fit, query, m); });
  return predict_jointly(rules, fit.fitted, fit.growth, inside,
                         [&](const Parameters& p, const OverheadGrowth& growth) {
                           return evaluate(fit.view(p, growth), query);
                         });
}

Prediction predict_with(IntervalRules& rules, const HockneyFits& fits, const Case& query) {
  if (fits.above == nullptr || !query.has_rendezvous()) {
    return predict_with(rules, fits.eager, query);
  }
  if (std::ranges::all_of(query.messages, &Message::rendezvous)) {
    return predict_with(rules, *fits.above, query);
  }
  return predict_across(rules, fits, query);
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

/// The growth varies with the parameters where it can, else it stays.
template <class Parameters>
ReplicateTimes replicate_times(const GrownFit<Parameters>& fit, const Case& query) {
  ReplicateTimes result{fit.fitted.replicate_kind, {}};
  const bool paired = belong_together(fit.fitted, fit.growth);
  for (std::size_t k = 0; k < fit.fitted.replicates.size(); ++k) {
    const OverheadGrowth& growth = paired ? fit.growth.replicates[k] : fit.growth.value;
    result.times_s.push_back(evaluate(fit.view(fit.fitted.replicates[k], growth), query));
  }
  return result;
}

struct Turn {
  int peer;
  double key;  ///< smaller comes first
};

}  // namespace

const Fitted<OverheadGrowth>& growth_of(const Model& model) {
  if (model.overhead_growth) return *model.overhead_growth;
  throw InputError(
      "how overheads grow with the number of processes was not measured (that takes jobs of "
      "several sizes, or steps within one): calibrate with --models loggps, or leave the processes "
      "out");
}

void check_process_count(int processes) {
  if (processes >= 2) return;
  throw InputError("a job of " + std::to_string(processes) +
                   " processes (nobody to communicate with): give at least 2");
}

void refuse_growth(const std::string& name) {
  throw InputError(name + " has no overheads (only they grow with the number of processes): take " +
                   one_of(models_that(&FitFacts::has_overheads)) + ", or leave the processes out");
}

namespace formulas {

std::optional<Prediction> predict(const Model& model, const Query& query) {
  const Case what = case_of(model, query);
  IntervalRules rules(model);
  Prediction found;
  with_fit(model, query, [&](const auto& fit) { found = predict_with(rules, fit, what); });
  return std::isfinite(found.time.value) ? std::optional{found} : std::nullopt;
}

std::optional<Seconds> time(const Model& model, const Query& query) {
  const Case what = case_of(model, query);
  Seconds time;
  with_fit(model, query, [&](const auto& fit) { time.value = evaluate(central(fit), what); });
  return std::isfinite(time.value) ? std::optional{time} : std::nullopt;
}

ReplicateTimes replicates(const Model& model, const Query& query) {
  const Case what = case_of(model, query);
  ReplicateTimes times;
  with_fit(model, query, [&](const auto& fit) { times = replicate_times(fit, what); });
  return times;
}

bool is_extrapolated(const Model& model, const Query& query) {
  const Case what = case_of(model, query);
  bool is_covered = true;
  with_fit(model, query, [&](const auto& fit) {
    is_covered =
        std::ranges::all_of(what.messages, [&](const Message& m) { return covers(fit, what, m); });
  });
  return !is_covered;
}

namespace {

/// Whether messages that are under way together share what they pass, on the machine.
bool machine_shares(const Model& model) {
  using simulate::Sharing;
  return simulate::measured_sharing(model).value_or(Sharing::none) != Sharing::none;
}

}  // namespace

bool are_the_machines(const Model& model, const Query& query) {
  const FitFacts facts = facts_of(query.model);
  if (query.operation == Operation::p2p || !facts.is_machine()) return true;
  if (has_host_limits(model) || model.fabric || machine_shares(model)) return false;
  const bool is_gather = query.operation == Operation::gather;
  const bool is_tree = query.algorithm == Algorithm::binomial;
  if (facts.name == "hockney" || facts.name == "curves") return !(is_gather && is_tree);
  if (facts.name == "lom") return is_tree;
  const bool is_eager = !case_of(model, query).has_rendezvous();
  if (query.algorithm == Algorithm::at_once) {
    return is_eager && (!is_gather || facts.name == "lmo");
  }
  if (facts.has_overheads()) return is_eager && !is_gather;
  return facts.name == "lmo" || !is_gather;
}

void refuse_unmeasured(const Model& model, const Query& query) {
  with_fit(model, query, [](const auto& fit) {
    require_known(central(fit), std::numeric_limits<double>::quiet_NaN());
  });
}

std::string why_no_interval(const Model& model, const std::string& name) {
  std::size_t count = 0;
  with_fit(model, name, [&](const auto& fit) { count = replicate_count(fit); });
  if (count > 1) {
    return "no interval (fewer than two replicates of " + name +
           " have what this takes): calibrate all launches with the same sizes and pairs";
  }
  return "no interval (the file holds " +
         std::string{count == 0 ? "no replicates" : "one replicate"} + " of " + name +
         ", and their spread is what tells one): make the file with estimate-model fit or "
         "calibrate";
}

std::vector<Prediction> messages(const Model& model, const std::string& name, Side side,
                                 std::span<const PairMessage> asked, std::optional<int> processes) {
  std::vector<Prediction> predictions(asked.size());
  IntervalRules rules(model);
  with_fit(model, name, processes, [&](const auto& fit) {
    for_each_message(model, name, side, asked, [&](std::size_t k, const Case& what) {
      predictions[k] = predict_with(rules, fit, what);
      require_known(central(fit), predictions[k].time.value);
    });
  });
  return predictions;
}

std::vector<MessageTime> message_times(const Model& model, const std::string& name, Side side,
                                       std::span<const PairMessage> asked,
                                       std::optional<int> processes) {
  std::vector<MessageTime> times(asked.size());
  with_fit(model, name, processes, [&](const auto& fit) {
    const auto& view = central(fit);
    for_each_message(model, name, side, asked, [&](std::size_t k, const Case& what) {
      const double value = evaluate(view, what);
      require_known(view, value);
      times[k] = {{value}, !covers(fit, what, what.messages.front())};
    });
  });
  return times;
}

std::vector<int> serving_order(const Model& model, const Query& query) {
  const Case what = case_of(model, query);
  std::vector<Turn> turns;
  with_fit(model, query, [&](const auto& fit) {
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

void check_processes(const Model& model, int processes) {
  commgauge::check_process_count(processes);
  (void)commgauge::growth_of(model);
}

}  // namespace formulas

}  // namespace commgauge
