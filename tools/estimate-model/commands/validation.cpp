#include "estimate-model/commands/validation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "commgauge/base/error.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/model/interval_meaning.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/plan/rounds.hpp"
#include "common/output/table.hpp"

namespace commgauge::tools {

namespace {

constexpr int all_pairs_up_to = 8;

struct Range {
  Bytes first;
  Bytes last;
};

std::vector<Range> ranges_of(const Model& model) {
  std::vector<Range> ranges;
  const auto add = [&](const FitFacts& facts, const auto& fitted) {
    if (fitted && facts.predicts) ranges.push_back({fitted->first, fitted->last});
  };
  for_each_fit(add, model);
  return ranges;
}

std::set<std::uint64_t> fitted_sizes(const Model& model) {
  std::set<std::uint64_t> sizes;
  for (const Range& range : ranges_of(model)) sizes.insert({range.first.value, range.last.value});
  for (const Launch& launch : model.launches) {
    for (const Bytes size : launch.sizes.round_trips) sizes.insert(size.value);
    for (const Bytes size : launch.sizes.bulk) sizes.insert(size.value);
    if (launch.sizes.one_to_two) sizes.insert(launch.sizes.one_to_two->value);
  }
  if (model.curves) {
    for (const Bytes size : model.curves->value.sizes) sizes.insert(size.value);
  }
  if (model.plogp) {
    for (const Bytes size : model.plogp->value.sizes) sizes.insert(size.value);
  }
  return sizes;
}

bool samples(const ValidationPlan& plan) {
  return plan.pairs == Pairs::sample ||
         (plan.pairs == Pairs::automatic && plan.ranks > all_pairs_up_to);
}

/// Of a sample: each rank with two others.
std::vector<std::pair<int, int>> pairs_of(const ValidationPlan& plan) {
  std::vector<std::pair<int, int>> pairs;
  if (!samples(plan)) {
    for (int i = 0; i < plan.ranks; ++i) {
      for (int j = i + 1; j < plan.ranks; ++j) {
        pairs.push_back((i + j) % 2 == 1 ? std::pair{i, j} : std::pair{j, i});
      }
    }
    return pairs;
  }
  std::mt19937_64 random{plan.seed};
  const auto others = static_cast<std::uint64_t>(plan.ranks - 1);
  for (const int half : {0, 1}) {
    const auto step = 1 + (random() + static_cast<std::uint64_t>(half)) % others;
    for (int i = 0; i < plan.ranks; ++i) {
      const auto j = (static_cast<std::uint64_t>(i) + step) % (others + 1);
      pairs.emplace_back(i, static_cast<int>(j));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

std::vector<int> roots_of(const ValidationPlan& plan) {
  const int count = samples(plan) ? std::min(plan.ranks, 4) : plan.ranks;
  std::vector<int> roots;
  roots.reserve(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) roots.push_back(k * plan.ranks / count);
  return roots;
}

struct Collective {
  Operation operation;
  Algorithm algorithm;
  Experiment (*experiment)(int ranks, int root, Bytes size);
};

constexpr std::array<Collective, 6> collectives{{
    {Operation::scatter, Algorithm::flat, flat_scatter},
    {Operation::gather, Algorithm::flat, flat_gather},
    {Operation::bcast, Algorithm::flat, flat_bcast},
    {Operation::scatter, Algorithm::binomial, binomial_scatter},
    {Operation::gather, Algorithm::binomial, binomial_gather},
    {Operation::bcast, Algorithm::binomial, binomial_bcast},
}};

void add_collectives(std::vector<Experiment>& all, const ValidationPlan& plan,
                     Operation operation) {
  for (const Collective& one : collectives) {
    const bool is_asked_for = std::ranges::count(plan.algorithms, one.algorithm) > 0;
    if (one.operation != operation || !is_asked_for) continue;
    for (const int root : roots_of(plan)) {
      for (const Bytes size : plan.sizes) {
        all.push_back(one.experiment(plan.ranks, root, size));
      }
    }
  }
}

void add_round_trips(std::vector<Experiment>& all, const ValidationPlan& plan) {
  for (const auto& [from, to] : pairs_of(plan)) {
    all.push_back(round_trip(from, to, {0}, {0}));
    for (const Bytes size : plan.sizes) all.push_back(round_trip(from, to, size, {0}));
  }
}

void add_exchanges(std::vector<Experiment>& all, const ValidationPlan& plan) {
  for (const auto& [one, other] : pairs_of(plan)) {
    for (const Bytes size : plan.sizes) all.push_back(exchange(one, other, size));
  }
}

void add_rings(std::vector<Experiment>& all, const ValidationPlan& plan) {
  if (plan.ranks < 3) return;  // that would be the exchange
  for (const int next : ring_steps(plan.ranks)) {
    for (const Bytes size : plan.sizes) {
      all.push_back(ring(0, ring_order(plan.ranks, 0, next), size));
    }
  }
}

/// Empty where there is but one.
std::string algorithm_text(Operation operation, Algorithm algorithm) {
  return is_collective(operation) ? std::string{to_text(algorithm)} : "";
}

std::string operation_text(Operation operation, Algorithm algorithm) {
  const std::string by = algorithm_text(operation, algorithm);
  return std::string{to_text(operation)} + (by.empty() ? "" : ", " + by);
}

std::string operation_text(const Comparison& one) {
  return operation_text(one.measured.operation, one.measured.algorithm);
}

/// Of the times at one operation, algorithm and size.
using Noises = std::map<std::pair<std::string, Bytes>, double>;

/// As a ranking counts errors: the mean over operations and sizes.
double mean_noise(const std::vector<const Comparison*>& all, const Noises& noises) {
  std::map<std::pair<std::string, Bytes>, double> present;
  for (const Comparison* one : all) {
    const std::pair place{operation_text(*one), one->measured.size};
    const auto found = noises.find(place);
    if (found != noises.end() && !one->prediction.extrapolated) present.insert(*found);
  }
  double sum = 0;
  for (const auto& [place, noise] : present) sum += noise;
  return sum / static_cast<double>(present.size());
}

/// Noise, and how far two validations are apart; the same places in both.
struct Scatter {
  Noises noises;
  Noises apart;
};

std::string cell_of(const Noises& noises, const std::pair<std::string, Bytes>& place) {
  const auto found = noises.find(place);
  return found == noises.end() ? "-" : percent(found->second);
}

std::vector<std::string> summary(const std::vector<const Comparison*>& all,
                                 const Scatter& scatter) {
  std::vector<double> errors;
  std::vector<double> signed_errors;
  long inside = 0;
  long with_interval = 0;
  long extrapolated = 0;
  for (const Comparison* comparison : all) {
    if (comparison->prediction.extrapolated) {
      ++extrapolated;
      continue;
    }
    signed_errors.push_back(comparison->relative_error());
    errors.push_back(std::abs(comparison->relative_error()));
    if (comparison->prediction.has_interval()) ++with_interval;
    if (comparison->inside()) ++inside;
  }
  const std::string outside = extrapolated > 0 ? std::to_string(extrapolated) : "-";
  if (errors.empty()) return {"0", "-", "-", "-", "-", "-", "-", "-", outside};
  const double side = median(signed_errors);
  return {std::to_string(errors.size()),
          percent(median(errors)),
          percent(quantile(errors, 0.9)),
          percent(quantile(errors, 1)),
          (side > 0 ? "+" : "") + percent(side),
          percent(mean_noise(all, scatter.noises)),
          scatter.apart.empty() ? "-" : percent(mean_noise(all, scatter.apart)),
          percent(static_cast<double>(inside) / static_cast<double>(with_interval)),
          outside};
}

/// Operation and algorithm, model.
using Groups = std::map<std::pair<std::string, std::string>, std::vector<const Comparison*>>;

std::string table_text(const Groups& groups, const Scatter& scatter) {
  Table table{{"operation", "model", "checks", "median error", "90 %", "worst", "to one side",
               "noise", "validations differ", "inside interval", "outside its sizes"}};
  for (const auto& [names, comparisons] : groups) {
    std::vector<std::string> row{names.first, names.second};
    const auto numbers = summary(comparisons, scatter);
    row.insert(row.end(), numbers.begin(), numbers.end());
    table.add(row);
  }
  return table.text();
}

}  // namespace

std::vector<Bytes> sizes_between(const Model& model) {
  constexpr double narrowest = 64;  // of a range that starts at an empty message
  const std::set<std::uint64_t> fitted = fitted_sizes(model);
  std::set<std::uint64_t> sizes;
  for (const Range& range : ranges_of(model)) {
    const auto last = static_cast<double>(range.last.value);
    if (range.last.value < 2) continue;
    const double first =
        range.first.value > 0 ? static_cast<double>(range.first.value) : last / narrowest;
    const double middle = std::sqrt(first * last);
    for (const double size : {std::sqrt(first * middle), std::sqrt(middle * last)}) {
      auto bytes = static_cast<std::uint64_t>(std::max(1.0, std::round(size)));
      while (fitted.contains(bytes)) ++bytes;
      sizes.insert(bytes);
    }
  }
  std::vector<Bytes> result;
  result.reserve(sizes.size());
  for (const std::uint64_t size : sizes) result.push_back({size});
  return result;
}

std::vector<Experiment> experiments_of(const ValidationPlan& plan) {
  std::vector<Experiment> all;
  for (const Operation operation : plan.operations) {
    if (operation == Operation::p2p) add_round_trips(all, plan);
    if (operation == Operation::exchange) add_exchanges(all, plan);
    if (operation == Operation::ring) add_rings(all, plan);
    add_collectives(all, plan, operation);
  }
  return all;
}

namespace {

/// Empty where nothing was measured twice.
std::string disagreement_text(const Noises& apart, const Comparison& one) {
  const auto found = apart.find({operation_text(one), one.measured.size});
  if (found == apart.end()) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", found->second);
  return text;
}

const char* inside_text(const Comparison& one) {
  if (!one.prediction.has_interval()) return "";
  return one.inside() ? "1" : "0";
}

}  // namespace

std::string to_csv(const std::vector<Comparison>& comparisons,
                   const std::vector<Disagreement>& disagreements) {
  Noises apart;
  for (const Disagreement& one : disagreements) {
    apart.emplace(std::pair{operation_text(one.operation, one.algorithm), one.size}, one.value);
  }
  std::string csv =
      "operation,model,from,to,size_bytes,measured_s,predicted_s,low_s,high_s,relative_error,"
      "inside,extrapolated,algorithm,disagreement\n";
  for (const Comparison& one : comparisons) {
    char times[80];
    std::snprintf(times, sizeof times, "%.12g,%.12g,", one.measured.time_s,
                  one.prediction.time.value);
    char interval[80] = ",,";
    if (one.prediction.has_interval()) {
      std::snprintf(interval, sizeof interval, "%.12g,%.12g,", one.prediction.low.value,
                    one.prediction.high.value);
    }
    char judged[80];
    std::snprintf(judged, sizeof judged, "%.9g,%s,%d,", one.relative_error(), inside_text(one),
                  one.prediction.extrapolated ? 1 : 0);
    csv += std::string{to_text(one.measured.operation)} + "," + one.model + "," +
           std::to_string(one.measured.from) + "," +
           (one.measured.to < 0 ? "" : std::to_string(one.measured.to)) + "," +
           std::to_string(one.measured.size.value) + "," + times + interval + judged +
           algorithm_text(one.measured.operation, one.measured.algorithm) + "," +
           disagreement_text(apart, one) + "\n";
  }
  return csv;
}

namespace {

/// Median error of each model at each size, and which is the least.
std::string sizes_text(const std::vector<Comparison>& comparisons, const Scatter& scatter) {
  std::map<std::pair<std::string, Bytes>, std::map<std::string, std::vector<double>>> errors;
  std::set<std::string> models;
  for (const Comparison& one : comparisons) {
    if (one.prediction.extrapolated) continue;
    models.insert(one.model);
    errors[{operation_text(one), one.measured.size}][one.model].push_back(
        std::abs(one.relative_error()));
  }
  std::vector<std::string> header{"median error", "size"};
  header.insert(header.end(), models.begin(), models.end());
  header.emplace_back("noise");
  header.emplace_back("validations differ");
  header.emplace_back("best");
  Table table{header};
  for (const auto& [place, of_models] : errors) {
    std::vector<std::string> row{place.first, to_text(place.second)};
    std::pair best{std::numeric_limits<double>::infinity(), std::string{"-"}};
    for (const std::string& model : models) {
      const auto found = of_models.find(model);
      if (found == of_models.end()) {
        row.emplace_back("-");
        continue;
      }
      const double error = median(found->second);
      row.push_back(percent(error));
      best = std::min(best, {error, model});
    }
    row.push_back(cell_of(scatter.noises, place));
    row.push_back(cell_of(scatter.apart, place));
    row.push_back(best.second);
    table.add(row);
  }
  return table.text();
}

}  // namespace

std::string to_tables(const std::vector<Comparison>& comparisons,
                      const std::vector<Judgement>& judgements,
                      const std::vector<Disagreement>& disagreements) {
  Scatter scatter;
  for (const Judgement& one : judgements) {
    scatter.noises.emplace(std::pair{operation_text(one.operation, one.algorithm), one.size},
                           one.noise);
  }
  for (const Disagreement& one : disagreements) {
    scatter.apart.emplace(std::pair{operation_text(one.operation, one.algorithm), one.size},
                          one.value);
  }
  Groups by_operation;
  Groups overall;
  for (const Comparison& one : comparisons) {
    by_operation[{operation_text(one), one.model}].push_back(&one);
    overall[{"all", one.model}].push_back(&one);
  }
  std::string text = sizes_text(comparisons, scatter) + "\n" + table_text(by_operation, scatter) +
                     "\n" + table_text(overall, scatter);
  if (scatter.apart.empty()) return text;
  return text +
         "Two validations of this machine, one after the other, differ by as much as that says "
         "(median): an error up to 1.5 times it may be the machine's, not the model's\n";
}

std::string promise_text(const Model& model, const std::vector<Comparison>& comparisons) {
  std::string text = "Intervals: " + interval_meaning(model) + "\n";
  const auto judged = std::ranges::count_if(comparisons, [](const Comparison& one) {
    return !one.prediction.extrapolated && one.prediction.has_interval();
  });
  const auto inside = std::ranges::count_if(comparisons, [](const Comparison& one) {
    return !one.prediction.extrapolated && one.inside();
  });
  const double share = static_cast<double>(inside) / static_cast<double>(judged);
  if (holds_next_launch(model) || !(share < model.confidence)) return text;
  return text + "Of these fresh times they hold " + percent(share) +
         ": for intervals that hold the next launch's, too, measure several (scripts/calibrate "
         "--launches 5, or estimate-model fit over the files of five)\n";
}

}  // namespace commgauge::tools
