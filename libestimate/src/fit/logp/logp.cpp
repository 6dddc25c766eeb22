#include "fit/estimators.hpp"
#include "fit/fitted.hpp"
#include "fit/logp/smallest_size.hpp"

namespace commgauge {

Estimation<LogPParameters> estimate_logp(const TimeTable& table, const LogPSettings& settings) {
  const SmallestSize fit(table, settings);
  if (fit.pairs().empty()) return {{}, no_smallest};
  auto fitted =
      fit_replicates<LogPParameters>(table, fit.used(), [&](std::span<const double> times) {
        return Solution<LogPParameters>{fit.solve(times), {}};
      });
  fitted.first = fitted.last = fit.size();
  fitted.observations = static_cast<long>(fit.used().size());
  fitted.residual = one_way_residual(table, fit.pairs(), settings.eager_limit, fitted);
  fitted.warnings = fit.warnings();
  warn_of_residual(fitted.residual, fitted.warnings);
  warn_of_order(fitted);
  warn_of_missing(std::ssize(fit.pairs()), fitted);
  return {std::move(fitted), {}};
}

}  // namespace commgauge
