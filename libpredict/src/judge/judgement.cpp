#include "commgauge/judge/judgement.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <tuple>

#include "commgauge/base/error.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/judge/ranking.hpp"
#include "commgauge/model/spread.hpp"
#include "commgauge/predict/predict.hpp"

namespace commgauge {

namespace {

constexpr double least_noise = 1e-6;  ///< relative: of numbers that agree by chance, or by rounding
constexpr double median_of_normal = 0.6745;  ///< of |z|
constexpr std::size_t most_named = 6;        ///< in one sentence
constexpr std::size_t least_repeats = 3;     ///< that tell their own scatter

/// One time and what a model says of it.
struct Judged {
  const OneWayTime* measured;
  double predicted_s;
  bool extrapolated;
  ReplicateTimes replicates;
  [[nodiscard]] double relative_error() const { return predicted_s / measured->time_s - 1; }
};

std::vector<double> known(const std::vector<double>& values) {
  std::vector<double> result;
  std::ranges::copy_if(values, std::back_inserter(result),
                       [](double x) { return std::isfinite(x); });
  return result;
}

/// Median of what `value` says of each; the finite ones.
template <class Value>
double median_over(const std::vector<Judged>& group, Value&& value) {
  std::vector<double> values;
  for (const Judged& one : group) values.push_back(value(one));
  values = known(values);
  return values.empty() ? unknown_value : median(values);
}

/// Most repeats that a time of the group has.
std::size_t repeats_of(const std::vector<Judged>& group) {
  std::size_t most = 0;
  for (const Judged& one : group) most = std::max(most, known(one.measured->repeats_s).size());
  return most;
}

double within_repeats(const std::vector<Judged>& group) {
  return median_over(
      group, [](const Judged& one) { return one.measured->error_s / one.measured->time_s; });
}

double noise_in(const std::vector<Judged>& group) {
  std::vector<double> differences;
  for (const Judged& one : group) {
    const std::vector<double> repeats = known(one.measured->repeats_s);
    const double scale = one.measured->time_s * std::sqrt(2 * static_cast<double>(repeats.size()));
    for (std::size_t p = 0; p < repeats.size(); ++p) {
      for (std::size_t q = 0; q < p; ++q) {
        differences.push_back(std::abs(repeats[p] - repeats[q]) / scale);
      }
    }
  }
  double noise = differences.empty() ? 0 : median(differences);
  if (repeats_of(group) < least_repeats) {
    noise = std::max(noise, median_of_normal * within_repeats(group));
  }
  return std::max(noise, least_noise);
}

/// Of the median over the group, by how it varies from repeat to repeat.
double measured_half_width(const std::vector<Judged>& group, double confidence) {
  const std::size_t places = group.front().measured->repeats_s.size();
  std::vector<double> shifts;
  for (std::size_t p = 0; p < places; ++p) {
    shifts.push_back(median_over(group, [p](const Judged& one) {
      return one.measured->repeats_s[p] / one.measured->time_s - 1;
    }));
  }
  shifts = known(shifts);
  const double within = normal_quantile(confidence) * within_repeats(group);
  if (shifts.size() < 2) return within;
  const SpreadRule spread(ReplicateKind::passes, shifts.size(), confidence);
  const double across = spread(shifts).mean_half_width;
  return shifts.size() < least_repeats ? std::max(within, across) : across;
}

/// What chance makes of the times. It is told as if all scatter were messages that are late by
/// themselves, and known no better than that.
double half_width_of_chance(const std::vector<Judged>& group) {
  return median_over(
      group, [](const Judged& one) { return one.replicates.chance_s / one.measured->time_s; });
}

/// Of the median over the group, by how the replicates' predictions vary.
double predicted_half_width(const std::vector<Judged>& group, double confidence,
                            Occasion occasion) {
  const ReplicateKind kind = group.front().replicates.kind;
  std::vector<double> shifts;
  for (std::size_t r = 0; r < group.front().replicates.times_s.size(); ++r) {
    shifts.push_back(median_over(group, [r](const Judged& one) {
      return (one.replicates.times_s[r] - one.predicted_s) / one.measured->time_s;
    }));
  }
  shifts = known(shifts);
  const Spread spread = SpreadRule(kind, shifts.size(), confidence)(shifts);
  const bool other_launch = occasion == Occasion::fresh_launch && kind == ReplicateKind::launches;
  return other_launch ? spread.next_half_width : spread.mean_half_width;
}

/// What the parameters' own scatter makes of the predictions: as noise, beside it.
double parameter_noise(const std::vector<Judged>& group, double confidence) {
  return median_over(group, [confidence](const Judged& one) {
    const std::vector<double> times = known(one.replicates.times_s);
    if (times.size() < 2) return unknown_value;
    const double half =
        SpreadRule(one.replicates.kind, times.size(), confidence)(times).mean_half_width;
    const double quantile = student_quantile(confidence, static_cast<double>(times.size() - 1));
    return median_of_normal * half / quantile / one.measured->time_s;
  });
}

Judgement judge_group(const std::string& name, const std::vector<Judged>& group, double confidence,
                      Occasion occasion) {
  const OneWayTime& first = *group.front().measured;
  Judgement result;
  result.model = name;
  result.operation = first.operation;
  result.algorithm = first.algorithm;
  result.size = first.size;
  result.checks = std::ssize(group);
  result.extrapolated = std::ranges::any_of(group, &Judged::extrapolated);
  result.error =
      median_over(group, [](const Judged& one) { return std::abs(one.relative_error()); });
  const double bias = median_over(group, [](const Judged& one) { return one.relative_error(); });
  const double half =
      std::hypot(measured_half_width(group, confidence),
                 predicted_half_width(group, confidence, occasion), half_width_of_chance(group));
  result.bias = {bias, bias - half, bias + half};
  result.noise = noise_in(group);
  const bool of_one_launch = group.front().replicates.kind != ReplicateKind::launches;
  const double of_parameters = parameter_noise(group, confidence);
  result.verdict = verdict_of(result, std::isnan(of_parameters) ? 0 : of_parameters,
                              occasion == Occasion::fresh_launch && of_one_launch);
  return result;
}

/// Nothing of pairs that the model lacks: the LogP family may be of a sample of them.
std::vector<std::optional<Judged>> judged(const Model& model, const std::string& name,
                                          const std::vector<const OneWayTime*>& times) {
  std::vector<Query> queries;
  for (const OneWayTime* time : times) queries.push_back(query_of(*time, name));
  auto predicted = predict_with_replicates(model, queries);
  std::vector<std::optional<Judged>> all(times.size());
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (!predicted[k]) continue;
    auto& [prediction, replicates] = *predicted[k];
    all[k] =
        Judged{times[k], prediction.time.value, prediction.extrapolated, std::move(replicates)};
  }
  return all;
}

constexpr const char* quiet_text = "predicted as well as this machine is quiet";

std::string plural_of(Operation operation) {
  if (operation == Operation::p2p) return "messages";
  if (operation == Operation::bcast) return "broadcasts";
  return std::string{to_text(operation)} + "s";
}

/// Behind "they are".
std::string verdict_text(const Judgement& judgement) {
  // Three digits near 1, elsewhere two.
  const bool is_near = std::abs(judgement.bias.value) < 0.1;
  char share[32];
  std::snprintf(share, sizeof share, is_near ? "%.3f" : "%.2g", 1 + judgement.bias.value);
  const std::string predicted = "predicted at " + std::string{share} + " of what they take: ";
  switch (judgement.verdict) {
    case Verdict::quiet:
      return quiet_text;
    case Verdict::leaves_out:
      return predicted + "the model leaves something out";
    case Verdict::differs:
      return predicted + "the model leaves something out, or launches differ (it knows one)";
    case Verdict::unclear:
      return judgement.error > least_beyond_noise * judgement.noise
                 ? "off by more than the machine's noise, but not surely to one side"
                 : "off by a little more than the machine's noise";
    case Verdict::unknown:
      break;
  }
  return "judged by times whose noise is not known";
}

}  // namespace

std::vector<Judgement> judge(const Model& model, const std::vector<OneWayTime>& times,
                             Occasion occasion) {
  std::map<std::tuple<Operation, Algorithm, Bytes>, std::vector<const OneWayTime*>> groups;
  for (const OneWayTime& time : times) {
    groups[{time.operation, time.algorithm, time.size}].push_back(&time);
  }
  std::vector<const OneWayTime*> in_groups;
  for (const auto& [key, of_group] : groups) {
    in_groups.insert(in_groups.end(), of_group.begin(), of_group.end());
  }
  std::vector<Judgement> result;
  for (const std::string& name : model.names()) {
    std::vector<std::optional<Judged>> all = judged(model, name, in_groups);
    auto next = all.begin();
    for (const auto& [key, of_group] : groups) {
      std::vector<Judged> group;
      for (std::size_t k = 0; k < of_group.size(); ++k, ++next) {
        if (*next) group.push_back(std::move(**next));
      }
      if (group.empty()) continue;
      result.push_back(judge_group(name, group, model.confidence, occasion));
    }
  }
  return result;
}

Verdict verdict_of(const Judgement& judgement, double parameter_noise, bool launches_may_differ) {
  const auto& [bias, low, high] = judgement.bias;
  if (std::isnan(judgement.noise)) return Verdict::unknown;
  const double noise = std::hypot(judgement.noise, parameter_noise);
  if (judgement.error <= most_quiet * noise) return Verdict::quiet;
  const bool one_side = std::abs(bias) > sure_side * (high - low) / 2;
  if (!one_side || judgement.error <= least_beyond_noise * noise) return Verdict::unclear;
  return launches_may_differ ? Verdict::differs : Verdict::leaves_out;
}

std::string in_words(const Judgement& judgement) {
  return subject_of(judgement) + " are " + verdict_text(judgement);
}

std::vector<std::string> in_words(const std::vector<Judgement>& judgements) {
  std::vector<std::string> lines;
  std::vector<std::string> quiet;
  for (const Judgement& one : judgements) {
    if (one.extrapolated) continue;
    if (one.verdict == Verdict::quiet) {
      quiet.push_back(subject_of(one));
    } else {
      lines.push_back(in_words(one));
    }
  }
  if (quiet.empty()) return lines;
  const std::string many = std::to_string(quiet.size()) + " of " +
                           std::to_string(quiet.size() + lines.size()) + " operations and sizes";
  const std::string who = quiet.size() > most_named ? many : comma_list(quiet);
  lines.insert(lines.begin(), who + " are " + quiet_text);
  return lines;
}

std::vector<std::string> beyond_intervals(const Model& model, std::string_view name,
                                          Operation operation, Algorithm algorithm) {
  const std::string before = "beyond " + std::string{name} + "'s intervals: ";
  std::vector<std::string> lines;
  for (const Judgement& one : judgements_of(model.judgements, name)) {
    const bool is_asked =
        one.operation == operation && (!is_collective(operation) || one.algorithm == algorithm);
    const bool is_beyond = one.verdict == Verdict::leaves_out || one.verdict == Verdict::differs;
    if (is_asked && is_beyond && !one.extrapolated) lines.push_back(before + in_words(one));
  }
  return lines;
}

std::vector<Judgement> judgements_of(const std::vector<Judgement>& all, std::string_view model) {
  std::vector<Judgement> result;
  std::ranges::copy_if(all, std::back_inserter(result),
                       [&](const Judgement& one) { return one.model == model; });
  return result;
}

std::string subject_of(const Judgement& judgement) {
  return (judgement.algorithm == Algorithm::binomial ? "binomial " : "") +
         plural_of(judgement.operation) + " of " + to_text(judgement.size);
}

std::vector<Disagreement> disagreements(const std::vector<OneWayTime>& first,
                                        const std::vector<OneWayTime>& second) {
  using Place = std::tuple<Operation, Algorithm, Bytes>;
  const auto place_of = [](const OneWayTime& time) {
    return Place{time.operation, time.algorithm, time.size};
  };
  std::map<std::tuple<Place, int, int>, double> seconds;
  for (const OneWayTime& time : second) {
    seconds[{place_of(time), time.from, time.to}] = time.time_s;
  }
  std::map<Place, std::vector<double>> apart;
  for (const OneWayTime& time : first) {
    const auto again = seconds.find({place_of(time), time.from, time.to});
    if (again == seconds.end()) continue;
    apart[place_of(time)].push_back(2 * std::abs(time.time_s - again->second) /
                                    (time.time_s + again->second));
  }
  std::vector<Disagreement> all;
  for (const auto& [place, values] : apart) {
    const auto& [operation, algorithm, size] = place;
    all.push_back({operation, algorithm, size, std::ssize(values), median(values)});
  }
  return all;
}

double noise_of(const Model& model, Operation operation) {
  std::map<Bytes, double> by_size;  // of the first model that answered, the best
  for (const Judgement& one : model.judgements) {
    if (one.operation == operation) by_size.emplace(one.size, one.noise);
  }
  std::vector<double> noises;
  for (const auto& [size, noise] : by_size) noises.push_back(noise);
  return noises.empty() ? unknown_value : mean(noises);
}

double noise_of(const Model& model) {
  std::map<Operation, double> by_operation;
  for (const Judgement& one : model.judgements) {
    by_operation.emplace(one.operation, noise_of(model, one.operation));
  }
  std::vector<double> noises;
  for (const auto& [operation, noise] : by_operation) noises.push_back(noise);
  return noises.empty() ? unknown_value : mean(noises);
}

}  // namespace commgauge
