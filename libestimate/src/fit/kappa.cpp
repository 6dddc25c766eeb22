#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "commgauge/base/error.hpp"
#include "commgauge/base/places.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/fit/kappa.hpp"
#include "commgauge/model/spread.hpp"
#include "commgauge/thresholds/thresholds.hpp"
#include "thresholds/find_kind.hpp"
#include "thresholds/observations.hpp"

namespace commgauge {

namespace {

Kappa nothing(const std::string& reason) {
  return {{unknown_value, unknown_value, unknown_value}, reason};
}

Kappas nothing(int root, const std::string& reason) {
  return {root, nothing(reason), nothing(reason)};
}

/// A kappa corrects a formula for the flat algorithm.
Kappas without_flat_gather(const Thresholds& thresholds) {
  const SweepAnalysis* library = find_kind(thresholds, "gather_library");
  if (library == nullptr) return nothing(0, "gather was not swept");
  return nothing(library->sweep.root,
                 "no flat gather was swept, and the model says nothing of the MPI library's own");
}

/// Calls use(rank) for every rank but the root.
template <class Use>
void for_each_peer(const AdditiveParameters& p, int root, Use&& use) {
  for (int i = 0; i < static_cast<int>(p.C.size()); ++i) {
    if (i != root) use(i);
  }
}

/// What the model knows of a gather's slope while peers send side by side: the root's own part and
/// that of the peer whose message takes longest at this size [s/byte].
double slope_of_slowest(const AdditiveParameters& p, int root, double size) {
  double longest = -std::numeric_limits<double>::infinity();
  double slope = unknown_value;
  int peers = 0;
  bool complete = true;
  for_each_peer(p, root, [&](int i) {
    const double latency = p.L.size() > 0 ? p.L(root, i) : 0;
    const double per_byte = p.t[at(i)] + p.inverse_beta(root, i);
    const double time = p.C[at(i)] + latency + per_byte * size;
    complete = complete && std::isfinite(time);
    ++peers;
    if (time > longest) {
      longest = time;
      slope = per_byte;
    }
  });
  return complete ? peers * p.t[at(root)] + slope : unknown_value;
}

/// The same where they send one after the other [s/byte].
double slope_of_all(const AdditiveParameters& p, int root) {
  double slope = 0;
  for_each_peer(p, root,
                [&](int i) { slope += p.t[at(root)] + p.t[at(i)] + p.inverse_beta(root, i); });
  return slope;
}

/// The gather's slope less what the model explains, with the uncertainty of both.
Kappa beyond(const Estimate& slope, const Fitted<AdditiveParameters>& fitted, double confidence,
             const std::function<double(const AdditiveParameters&)>& explained) {
  const double value = slope.value - explained(fitted.value);
  if (!std::isfinite(value)) {
    return nothing(
        "the model lacks parameters of the gather's root or of its peers: measure all pairs");
  }
  std::vector<double> replicated;
  for (const AdditiveParameters& replicate : fitted.replicates) {
    // A launch may lack a pair that others have.
    const double one = explained(replicate);
    if (std::isfinite(one)) replicated.push_back(one);
  }
  const SpreadRule spread_of(fitted.replicate_kind, replicated.size(), confidence);
  const double half =
      std::hypot((slope.high - slope.low) / 2, spread_of(replicated).mean_half_width);
  return {{value, value - half, value + half},
          std::isfinite(half) ? "" : "the model has too few replicates for an interval"};
}

/// Slope of the regular sizes before or behind the escalations: of the outermost segment where that
/// lies there as a whole, else of one line.
Estimate slope_between(const SweepAnalysis& analysis, const Segment& outermost, std::size_t first,
                       std::size_t last, double confidence) {
  if (outermost.first >= first && outermost.last <= last) return outermost.slope;
  const Observations all = observe(analysis.sweep, analysis.escalations, analysis.weights);
  return line_through(all.between(first, last), confidence).slope;
}

double size_at(const SweepAnalysis& analysis, std::size_t point) {
  return static_cast<double>(analysis.sweep.points[point].size.value);
}

Kappa kappa1(const SweepAnalysis& analysis, const Thresholds& thresholds,
             const Fitted<AdditiveParameters>& fitted) {
  const Segment& segment = analysis.segmentation.segments.front();
  const Escalations& escalations = analysis.escalations;
  if (escalations.found && escalations.first == 0) return nothing(thresholds.gather_m1.reason);
  const std::size_t last =
      escalations.found ? std::min(escalations.first - 1, segment.last) : segment.last;
  const Estimate slope = slope_between(analysis, segment, 0, last, thresholds.confidence);
  return beyond(slope, fitted, thresholds.confidence, [&](const AdditiveParameters& p) {
    return slope_of_slowest(p, analysis.sweep.root, size_at(analysis, last));
  });
}

Kappa kappa2(const SweepAnalysis& analysis, const Thresholds& thresholds,
             const Fitted<AdditiveParameters>& fitted) {
  if (!thresholds.gather_m2.size) return nothing("there is no M2");
  const Estimate slope =
      slope_between(analysis, analysis.segmentation.segments.back(), analysis.escalations.last + 1,
                    analysis.sweep.points.size() - 1, thresholds.confidence);
  return beyond(slope, fitted, thresholds.confidence,
                [&](const AdditiveParameters& p) { return slope_of_all(p, analysis.sweep.root); });
}

template <class Find>
Kappa with_enough_sizes(const std::string& where, Find&& find) {
  try {
    return find();
  } catch (const FitError&) {
    return nothing("too few sizes " + where + " for a line: measure more there");
  } catch (const InputError& error) {
    return nothing(error.what());
  }
}

}  // namespace

Kappas find_kappas(const Thresholds& thresholds, const Fitted<AdditiveParameters>& parameters) {
  const SweepAnalysis* gather = find_kind(thresholds, "gather");
  if (gather == nullptr) return without_flat_gather(thresholds);
  const int root = gather->sweep.root;
  if (!gather->reason.empty()) return nothing(root, gather->reason);
  if (root < 0 || root >= static_cast<int>(parameters.value.C.size())) {
    return nothing(root, "the gather's root is no rank of the model");
  }
  return {root,
          with_enough_sizes("below M1", [&] { return kappa1(*gather, thresholds, parameters); }),
          with_enough_sizes("above M2", [&] { return kappa2(*gather, thresholds, parameters); })};
}

}  // namespace commgauge
