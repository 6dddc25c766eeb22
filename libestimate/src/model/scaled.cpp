#include "commgauge/model/scaled.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/model/flatten.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"

namespace commgauge {

namespace {

double factor_of(Part part, const Factors& factors) {
  switch (part) {
    case Part::latency:
      return factors.latency;
    case Part::per_byte:
      return factors.per_byte;
    case Part::overhead:
      return factors.overheads;
    case Part::gap:
      return factors.gaps;
    case Part::none:
      break;
  }
  return 1;
}

double or_zero(double value) { return std::isnan(value) ? 0 : value; }

/// By how much other factors than that of bytes change PLogP's gap at a size, for a pair.
double beside_bytes(const PLogPParameters& p, std::size_t size, std::size_t pair,
                    const Factors& by) {
  const double overhead = or_zero(p.o_r[size].values()[pair]);
  const double gap = or_zero(p.g.front().values()[pair] - or_zero(p.o_r.front().values()[pair]));
  return (by.overheads - by.per_byte) * overhead + (by.gaps - by.per_byte) * gap;
}

std::vector<Matrix> scaled_gaps(const PLogPParameters& p, const Factors& factors) {
  std::vector<Matrix> gaps = p.g;
  for (std::size_t size = 0; size < gaps.size(); ++size) {
    std::vector<double>& of_pairs = gaps[size].values();
    for (std::size_t pair = 0; pair < of_pairs.size(); ++pair) {
      of_pairs[pair] = factors.per_byte * of_pairs[pair] + beside_bytes(p, size, pair, factors);
    }
  }
  return gaps;
}

template <class Parameters>
void scale(Parameters& parameters, const Factors& factors) {
  visit_fields(parameters, [&](const FieldFacts& facts, auto& field) {
    const double factor = factor_of(facts.part, factors);
    for_each_number(field, [factor](double& value) { value *= factor; });
  });
}

void scale(PLogPParameters& parameters, const Factors& factors) {
  std::vector<Matrix> gaps = scaled_gaps(parameters, factors);
  scale<PLogPParameters>(parameters, factors);
  parameters.g = std::move(gaps);
}

/// What an empty message takes is latency, the rest of a larger one what its bytes add.
CurvesParameters scaled_times(CurvesParameters p, const Factors& factors) {
  const std::vector<double> empty = p.time.front().values();
  for (Matrix& matrix : p.time) {
    for (std::size_t k = 0; k < empty.size(); ++k) {
      double& time = matrix.values()[k];
      time = factors.per_byte * time + (factors.latency - factors.per_byte) * empty[k];
    }
  }
  return p;
}

template <class Parameters>
void scale_fit(Fitted<Parameters>& fitted, const Factors& factors) {
  for (auto* const one : {&fitted.value, &fitted.low, &fitted.high}) scale(*one, factors);
  for (auto& replicate : fitted.replicates) scale(replicate, factors);
}

/// The ends of an interval stay as far from the value, relative to it: they are no curve.
void scale_fit(Fitted<CurvesParameters>& fitted, const Factors& factors) {
  const CurvesParameters before = fitted.value;
  fitted.value = scaled_times(before, factors);
  for (std::size_t k = 0; k < before.time.size(); ++k) {
    for (auto* const end : {&fitted.low, &fitted.high}) {
      std::vector<double>& values = end->time[k].values();
      for (std::size_t cell = 0; cell < values.size(); ++cell) {
        const double old = before.time[k].values()[cell];
        if (old != 0) values[cell] *= fitted.value.time[k].values()[cell] / old;
      }
    }
  }
  for (CurvesParameters& replicate : fitted.replicates) {
    replicate = scaled_times(std::move(replicate), factors);
  }
}

void scale(FabricLinks& links, double factor) {
  for (auto* const of_groups : {&links.out, &links.in}) {
    for (double& per_byte : *of_groups) per_byte *= factor;
  }
  links.backbone *= factor;
}

void scale(Fabric& fabric, double factor) {
  for (FabricLinks* const links : {&fabric.value, &fabric.low, &fabric.high}) {
    scale(*links, factor);
  }
  for (FabricLinks& links : fabric.replicates) scale(links, factor);
}

void check(double factor) {
  if (std::isfinite(factor) && factor >= 0) return;
  throw InputError("no factor " + std::to_string(factor) +
                   " (times would be below zero, or unknown): give one from 0 on");
}

}  // namespace

Model scaled(Model model, const Factors& factors) {
  for (const double factor :
       {factors.latency, factors.per_byte, factors.overheads, factors.gaps, factors.uplinks}) {
    check(factor);
  }
  for_each_fit(
      [&](const FitFacts&, auto& fitted) {
        if (fitted) scale_fit(*fitted, factors);
      },
      model);
  if (model.fabric) scale(*model.fabric, factors.per_byte * factors.uplinks);
  return model;
}

}  // namespace commgauge
