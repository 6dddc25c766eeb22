#include "commgauge/costs/costs_of_pairs.hpp"

#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/costs/formulas.hpp"
#include "commgauge/costs/growth.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "costs/filled.hpp"
#include "costs/stored.hpp"

namespace commgauge {

namespace {

Message pair_of(int from, int to, double eager_limit) { return {from, to, 0, eager_limit}; }

template <class Parameters>
CostsOfPairs pairs_of(const Model& model, const Fitted<Parameters>& fitted) {
  const double limit = eager_limit_of(model);
  const auto filled = std::make_shared<const Filled<Parameters>>(fitted.value);
  return [filled, limit](int from, int to) {
    PairCosts costs = stored(costs_of(*filled, pair_of(from, to, limit)));
    costs.assumed = filled->is_assumed(from, to);
    return costs;
  };
}

CostsOfPairs pairs_of(const Model& model, const Fitted<HockneyParameters>& eager) {
  const double limit = eager_limit_of(model);
  const auto& above = model.hockney_rendezvous ? model.hockney_rendezvous->value : eager.value;
  return [lines = HockneyLines{eager.value, above}, limit](int from, int to) {
    return stored(costs_of(lines, pair_of(from, to, limit)));
  };
}

CostsOfPairs pairs_of(const Model& model, const Fitted<BottleneckParameters>& fitted) {
  const double limit = eager_limit_of(model);
  return [view = BottleneckView{fitted.value, fitted.high, 1}, limit](int from, int to) {
    return stored(costs_of(view, pair_of(from, to, limit)));
  };
}

/// Costs, and how much each counts.
struct Weighted {
  const PairCosts* costs;
  Shares weight;
};

Shares sum_of_weights(const std::vector<Weighted>& all) {
  Shares sum;
  for (const Weighted& one : all) {
    sum.fixed += one.weight.fixed;
    sum.per_byte += one.weight.per_byte;
  }
  return sum;
}

Curve mean_curve(const std::vector<Weighted>& all, Curve PairCosts::*curve) {
  const Shares weights = sum_of_weights(all);
  std::vector<double> breaks;
  for (const Weighted& one : all) {
    for (const Curve::Piece& piece : (one.costs->*curve).later) breaks.push_back(piece.from);
  }
  Curve mean = curve_of(breaks, [&](double size) {
    CostLine sum;
    for (const auto& [costs, weight] : all) {
      const CostLine line = (costs->*curve).line_at(size);
      sum = sum + CostLine{weight.fixed * line.fixed, weight.per_byte * line.per_byte};
    }
    return CostLine{sum.fixed / weights.fixed, sum.per_byte / weights.per_byte};
  });
  mean.block = (all.front().costs->*curve).block;
  for (const auto& [costs, weight] : all) {
    mean.per_block += weight.per_byte * (costs->*curve).per_block / weights.per_byte;
  }
  return mean;
}

PairCosts mean_of(const std::vector<Weighted>& all) {
  PairCosts mean = *all.front().costs;
  for (Curve PairCosts::*curve :
       {&PairCosts::send_overhead, &PairCosts::arrival, &PairCosts::one_way,
        &PairCosts::receive_overhead, &PairCosts::gap, &PairCosts::link, &PairCosts::port,
        &PairCosts::rendezvous_sender, &PairCosts::rendezvous_receiver,
        &PairCosts::rendezvous_send_port, &PairCosts::rendezvous_receive_port}) {
    mean.*curve = mean_curve(all, curve);
  }
  for (double PairCosts::*cost :
       {&PairCosts::request, &PairCosts::reply, &PairCosts::reply_overhead}) {
    mean.*cost = 0;
    for (const auto& [costs, weight] : all) mean.*cost += weight.fixed * (costs->*cost);
    mean.*cost /= sum_of_weights(all).fixed;
  }
  return mean;
}

/// "it has lmo, curves"
std::string which_it_has(const Model& model) {
  std::vector<std::string> names = model_names();
  std::erase_if(names, [&](const std::string& name) { return !model.has(name); });
  return names.empty() ? "it has none" : "it has " + comma_list(names);
}

}  // namespace

CostsOfPairs costs_of_pairs(const Model& model, const std::string& name) {
  require_model_name(name);
  CostsOfPairs found;
  const auto use = [&]<class Parameters>(const FitFacts& facts,
                                         const std::optional<Fitted<Parameters>>& fitted) {
    if constexpr (!is_beside_models<Parameters>) {
      if (facts.is_model() && facts.name == name && fitted) found = pairs_of(model, *fitted);
    }
  };
  for_each_fit(use, model);
  if (found) return found;
  throw InputError("the file has no model " + name + " (" + which_it_has(model) +
                   "): give another, or calibrate with --models " + name);
}

void grow(PairCosts& costs, const OverheadGrowth& growth, int processes) {
  const GrowthShift shift(growth, processes, costs.send_overhead.first.fixed,
                          costs.receive_overhead.first.fixed, costs.reply_overhead);
  for (Curve* curve : {&costs.send_overhead, &costs.arrival, &costs.rendezvous_sender}) {
    curve->shift(shift.sender);
  }
  costs.receive_overhead.shift(shift.receiver);
  costs.one_way.shift(shift.both());
  costs.rendezvous_receiver.shift(shift.both());
  if (!costs.has_handshake) return;
  costs.request += shift.sender;
  costs.reply += shift.replier;
  costs.reply_overhead += shift.replier;
}

void scale(PairCosts& costs, double factor) {
  visit_curves(costs, [factor](Curve& curve) { curve.scale(factor); });
  for (double* const cost : {&costs.request, &costs.reply, &costs.reply_overhead, &costs.jitter,
                             &costs.jitter_per_byte}) {
    *cost *= factor;
  }
}

PairCosts between(const PairCosts& from, const PairCosts& to, const Shares& shares) {
  return mean_of(std::vector<Weighted>{{&from, {1 - shares.fixed, 1 - shares.per_byte}},
                                       {&to, {shares.fixed, shares.per_byte}}});
}

PairCosts mean_of(const std::vector<const PairCosts*>& costs) {
  std::vector<Weighted> all;
  for (const PairCosts* one : costs) all.push_back({one, {1, 1}});
  PairCosts mean = mean_of(all);
  mean.assumed = true;
  return mean;
}

}  // namespace commgauge
