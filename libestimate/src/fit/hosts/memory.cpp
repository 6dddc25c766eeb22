#include "fit/hosts/memory.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "commgauge/base/places.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/model/spread.hpp"
#include "fit/estimators.hpp"

namespace commgauge {

namespace {

HostLinks nothing_known(std::size_t ranks) {
  const std::vector<double> none(ranks, unknown_value);
  return {none, none, none, none};
}

/// Only what the sample's ranks have within their hosts.
Fitted<HostLinks> of_sample(const Fitted<HostLinks>& memory, std::span<const int> sample) {
  Fitted<HostLinks> part = memory;
  const auto shorten = [&](HostLinks& of) {
    HostLinks own = nothing_known(sample.size());
    for (std::size_t k = 0; k < sample.size(); ++k) own.inside[k] = of.inside[at(sample[k])];
    of = std::move(own);
  };
  for (HostLinks* one : {&part.value, &part.low, &part.high}) shorten(*one);
  for (HostLinks& one : part.replicates) shorten(one);
  return part;
}

}  // namespace

Fitted<HostLinks> with_memory(const std::optional<Fitted<HostLinks>>& links,
                              const Fitted<HostLinks>& memory, std::span<const int> sample,
                              double confidence) {
  const Fitted<HostLinks> part = of_sample(memory, sample);
  Fitted<HostLinks> joined = links.value_or(part);
  joined.value.inside = part.value.inside;
  joined.low.inside = part.low.inside;
  joined.high.inside = part.high.inside;
  joined.first = std::min(joined.first, part.first);
  joined.last = std::max(joined.last, part.last);
  if (links) {
    joined.observations += part.observations;
    joined.residual = std::fmax(joined.residual, part.residual);
    joined.warnings.insert(joined.warnings.end(), part.warnings.begin(), part.warnings.end());
  }
  const std::size_t count = joined.replicates.size();
  const SpreadRule rule(joined.replicate_kind, count, confidence);
  for (std::size_t rank = 0; rank < sample.size(); ++rank) {
    std::vector<double> numbers;
    for (std::size_t r = 0; r < count; ++r) {
      numbers.push_back(part.replicates[r % part.replicates.size()].inside[rank]);
    }
    const double centre = part.value.inside[rank];
    const std::vector<double> column =
        apart(std::move(numbers), centre, part.high.inside[rank] - centre, rule);
    for (std::size_t r = 0; r < count; ++r) joined.replicates[r].inside[rank] = column[r];
  }
  return joined;
}

}  // namespace commgauge
