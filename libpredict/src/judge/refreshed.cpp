#include "commgauge/judge/refreshed.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "commgauge/base/statistics.hpp"
#include "commgauge/costs/shifted.hpp"
#include "commgauge/predict/predict.hpp"
#include "judge/job_pairs.hpp"

namespace commgauge {

namespace {

/// Multiplies what is surely other than 1.
void multiply(TimeFactors& factors, const Estimate& of_fixed, const Estimate& of_bytes, double z,
              const std::function<bool(const Estimate&)>& is_sure) {
  const auto apply = [&](const Estimate& by, double& factor, double& sd) {
    if (std::isnan(by.value) || !is_sure(by)) return;
    factor *= by.value;
    sd = std::hypot(sd, std::log(by.high / by.low) / (2 * z));
  };
  apply(of_fixed, factors.fixed, factors.fixed_sd);
  apply(of_bytes, factors.per_byte, factors.per_byte_sd);
}

bool concerns(const Deviation& one, const std::string& from, const std::string& to) {
  const auto has = [&](const std::string& host) {
    return std::ranges::find(one.hosts, host) != one.hosts.end();
  };
  switch (one.where) {
    case Deviation::Where::within_host:
      return from == to && has(from);
    case Deviation::Where::host:
      return from != to && (has(from) || has(to));
    case Deviation::Where::between_hosts:
      break;
  }
  return from != to && has(from) && has(to);
}

/// What drifted and what deviates, pair by pair.
class Corrections {
 public:
  Corrections(const Model& job, const Freshness& found)
      : job_{job},
        found_{found},
        of_{job},
        name_{model_that_tells(job)},
        z_{normal_quantile(job.confidence)} {}

  [[nodiscard]] TimeFactors operator()(int from, int to) const {
    TimeFactors factors;
    const PairClass own = of_.class_of(from, to);
    for (const ClassFreshness& one : found_.classes) {
      if (one.of != own) continue;
      multiply(factors, one.fixed, one.per_byte, z_, surely_drifted);
    }
    const TimeFactors of_class = factors;
    std::vector<Estimate> of_empty;
    std::vector<Estimate> of_hosts;
    for (const Deviation& one : found_.deviations) {
      if (!concerns(one, job_.host(from), job_.host(to))) continue;
      if (one.where != Deviation::Where::host) {
        multiply(factors, one.fixed, one.per_byte, z_, excludes_1);
        continue;
      }
      of_empty.push_back(one.fixed);
      of_hosts.push_back(by_slowest_link(one, byte_time(from, to) * of_class.per_byte));
    }
    if (of_hosts.empty()) return factors;
    const Estimate slowest = *std::ranges::max_element(of_hosts, {}, &Estimate::value);
    multiply(factors, sum_of_parts(of_empty), slowest, z_, excludes_1);
    return factors;
  }

 private:
  /// Of an empty message: what one host adds, and what the other does.
  static Estimate sum_of_parts(const std::vector<Estimate>& of_hosts) {
    Estimate sum{1, 1, 1};
    for (const Estimate& one : of_hosts) {
      if (std::isnan(one.value) || !excludes_1(one)) continue;
      const bool both_slow = sum.value >= 1 && one.value >= 1;
      const double both = both_slow ? sum.value + one.value - 1 : sum.value * one.value;
      sum = {both, both * sum.low / sum.value * one.low / one.value,
             both * sum.high / sum.value * one.high / one.value};
    }
    return sum;
  }

  /// A message passes one link after the other, and the slowest counts: the pair's own may be
  /// slower than the host's is now.
  /// @param was  what a byte of the pair takes, in its class as that is now [s]
  [[nodiscard]] Estimate by_slowest_link(const Deviation& one, double was) const {
    const Estimate& ratio = one.per_byte;
    if (std::isnan(ratio.value)) return {1, 1, 1};
    const auto slow = found_.slow_links.find(one.hosts.front());
    if (slow == found_.slow_links.end() || !excludes_1(ratio)) return ratio;
    const double factor = slow->second.value / was;
    if (!(factor > 1)) return {1, 1, 1};
    return {factor, factor * ratio.low / ratio.value, factor * ratio.high / ratio.value};
  }

  [[nodiscard]] double byte_time(int from, int to) const {
    const std::vector<PairMessage> messages{{from, to, Bytes{0}}, {from, to, found_.size}};
    const auto times = predict_message_times(job_, name_, Side::receiver, messages);
    return (times[1].time - times[0].time).value / static_cast<double>(found_.size.value);
  }

  const Model& job_;
  const Freshness& found_;
  JobPairs of_;
  std::string name_;  ///< of the model that tells times
  double z_;
};

}  // namespace

Model refreshed(const Model& job, const Freshness& found) {
  if (!found.differs()) return job;
  std::map<std::string, std::string> apart;
  for (const Deviation& one : found.deviations) {
    for (const std::string& host : one.hosts) apart[host] = "host " + host;
  }
  Model model = shifted(job, apart, Corrections(job, found));
  std::ranges::copy(found.deviations, std::back_inserter(model.classes->deviations));
  std::ranges::copy(found.diagnostics(), std::back_inserter(model.warnings));
  return model;
}

}  // namespace commgauge
