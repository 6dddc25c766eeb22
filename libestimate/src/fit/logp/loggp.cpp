#include <algorithm>

#include "commgauge/base/unknown_value.hpp"
#include "fit/estimators.hpp"
#include "fit/fitted.hpp"
#include "fit/logp/gap_line.hpp"
#include "fit/logp/smallest_size.hpp"

namespace commgauge {

Estimation<LogGpParameters> estimate_loggp(const TimeTable& table, const LogPSettings& settings) {
  const SmallestSize fit(table, settings);
  std::vector<GapLine> lines;
  double last = 0;
  for (const LogPRows& pair : fit.pairs()) {
    lines.emplace_back(pair, std::nullopt, PacketSize{}, table.times());
    if (!lines.back().usable()) return {{}, "a pair has floods of one size only"};
    last = std::max(last, pair.floods.back().size);
  }
  if (lines.empty()) return {{}, no_smallest};
  auto fitted =
      fit_replicates<LogGpParameters>(table, fit.used(), [&](std::span<const double> times) {
        LogPParameters small = fit.solve(times);
        Matrix G(table.ranks());
        for (std::size_t k = 0; k < lines.size(); ++k) {
          G(fit.pairs()[k].from, fit.pairs()[k].to) = lines[k].solve(times, unknown_value).G;
        }
        const double mean_G = mean_known(G);
        return Solution<LogGpParameters>{
            {std::move(small.L), std::move(small.o), std::move(small.g), std::move(G), small.mean_L,
             small.mean_o, small.mean_g, mean_G},
            {}};
      });
  fitted.first = fit.size();
  fitted.last = {static_cast<std::uint64_t>(last)};
  fitted.observations = static_cast<long>(fit.used().size());
  fitted.residual = one_way_residual(table, fit.pairs(), settings.eager_limit, fitted);
  fitted.warnings = fit.warnings();
  warn_of_residual(fitted.residual, fitted.warnings);
  warn_of_order(fitted);
  warn_of_negative("G", fitted.high.G, "larger messages are no slower, over the sizes measured",
                   fitted.warnings);
  warn_of_missing(std::ssize(fit.pairs()), fitted);
  return {std::move(fitted), {}};
}

}  // namespace commgauge
