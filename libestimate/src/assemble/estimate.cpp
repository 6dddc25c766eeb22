#include "commgauge/assemble/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "commgauge/assemble/one_way.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/outliers.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/fit/kappa.hpp"
#include "commgauge/measurements/quietness.hpp"
#include "commgauge/model/contention.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/model/spread.hpp"
#include "commgauge/thresholds/thresholds.hpp"
#include "fit/estimators.hpp"
#include "fit/fabric.hpp"
#include "fit/fitted.hpp"
#include "fit/hosts/memory.hpp"
#include "fit/time_table.hpp"
#include "thresholds/eager_limit.hpp"
#include "thresholds/sweep_warnings.hpp"

namespace commgauge {

namespace {

/// Puts a model into its place if it was asked for, or notes why it isn't there.
/// @param estimate  () → Estimation<Parameters>
template <class Parameters, class MakeEstimate>
void take(const std::string& name, const FitOptions& options, MakeEstimate&& estimate,
          std::optional<Fitted<Parameters>>& place, Model& model) {
  const bool named = std::ranges::find(options.models, name) != options.models.end();
  if (!options.models.empty() && !named) return;
  Estimation<Parameters> estimated = estimate();
  place = std::move(estimated.fitted);
  if (place) return;
  const std::string reason = name + ": " + estimated.undetermined;
  if (named) {
    throw FitError(reason +
                   " (the measurements can't determine it): measure what is missing, or "
                   "leave the model out");
  }
  model.not_determined += (model.not_determined.empty() ? "" : "; ") + reason;
}

bool is_void(const Observation& row) { return !(row.time_s > 0); }

/// With ranks by their numbers in the whole machine.
std::string text_of(const Experiment& e, const Measurements& measured) {
  std::vector<int> peers;
  for (const int peer : e.peers) peers.push_back(measured.machine_rank(peer));
  return std::string{to_text(e.kind)} + " of rank " +
         std::to_string(measured.machine_rank(e.root)) + " with " + comma_list(peers) + ", " +
         to_text(e.out) + " out, " + to_text(e.back) + " back";
}

/// Without overheads that the clock can't tell from its own cost, in no pass of that launch: the
/// mean of the other passes would be too long.
Measurements without_void_overheads(Measurements all, std::vector<Diagnostic>& warnings) {
  std::set<std::pair<int, Experiment>> found;
  for (const Observation& row : all.observations) {
    if (is_overhead(row.experiment.kind) && is_void(row)) found.emplace(row.launch, row.experiment);
  }
  if (found.empty()) return all;
  std::erase_if(all.observations, [&](const Observation& row) {
    return found.contains({row.launch, row.experiment});
  });
  const bool is_one = found.size() == 1;
  warnings.push_back(
      {.kind = "void_overheads",
       .count = std::ssize(found),
       .problem = std::to_string(found.size()) + (is_one ? " overhead is" : " overheads are") +
                  " left out",
       .reason = "a time is not above zero: shorter than the clock tells",
       .advice = text_of(found.begin()->second, all) + (is_one ? "" : ", and others")});
  return all;
}

bool is_step(const Observation& row) { return row.experiment.processes != 0; }

/// What the models per rank are made of: no launches of fewer ranks, no steps of o(P).
Measurements of_all_processes(const Measurements& all) {
  Measurements result = largest_launches(all);
  std::erase_if(result.observations, is_step);
  return result;
}

void take_growth(const Measurements& all, Model& model) {
  Estimation<OverheadGrowth> growth = estimate_overhead_growth(all, model.confidence);
  model.overhead_growth = std::move(growth.fitted);
  if (model.overhead_growth || std::ranges::none_of(all.observations, is_step)) return;
  model.not_determined +=
      (model.not_determined.empty() ? "" : "; ") + ("overhead_growth: " + growth.undetermined);
}

void warn_of_small_jobs(const Measurements& all, Model& model) {
  const auto small = std::ranges::count_if(all.launches, [&](const Launch& launch) {
    return static_cast<int>(launch.ranks.size()) < all.ranks();
  });
  if (small == 0) return;
  model.warnings.push_back(
      {.kind = "small_launches",
       .count = small,
       .problem = std::to_string(small) + " of " + std::to_string(all.launches.size()) +
                  " launches have fewer than " + std::to_string(all.ranks()) + " ranks",
       .advice = "they tell at most how overheads grow with the number of processes, all else "
                 "comes from the others"});
}

/// The measurements of each launch by themselves.
std::vector<TimeTable> split_launches(const Measurements& measurements, double confidence) {
  std::vector<Measurements> parts(measurements.launches.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].launches = {measurements.launches[i]};
    parts[i].survey = measurements.survey;
  }
  for (const Observation& row : measurements.observations) {
    parts[static_cast<std::size_t>(row.launch)].observations.push_back(row);
  }
  std::vector<TimeTable> tables;
  for (const Measurements& part : parts) {
    if (!part.observations.empty()) tables.emplace_back(part, confidence);
  }
  return tables;
}

/// Estimates launch by launch and joins the results. @param estimate  table →
/// Estimation<Parameters>
template <class MakeEstimate>
auto over_launches(const std::vector<TimeTable>& launches, MakeEstimate&& estimate) {
  auto result = estimate(launches.front());
  if (launches.size() == 1) return result;
  std::vector<std::remove_cvref_t<decltype(*result.fitted)>> parts;
  for (const TimeTable& launch : launches) {
    auto part = estimate(launch);
    if (part.fitted) {
      parts.push_back(std::move(*part.fitted));
    } else {
      result.undetermined = part.undetermined;
    }
  }
  if (parts.size() < 2) {
    if (parts.size() == 1) result.fitted = std::move(parts.front());
    return result;
  }
  result.fitted = join_launches(parts, launches.front().confidence());
  if (parts.size() < launches.size()) {
    result.fitted->warnings.push_back(launches_left_out(std::ssize(launches) - std::ssize(parts)));
  }
  return result;
}

/// By measured rank. A file may say other hosts than the launch found.
std::vector<std::string> hosts_of(const Measurements& measurements) {
  std::vector<std::string> hosts;
  for (const RankPlace& place : measurements.launches.front().ranks) hosts.push_back(place.host);
  if (!measurements.survey || measurements.survey->sample.size() != hosts.size()) return hosts;
  for (std::size_t k = 0; k < hosts.size(); ++k) {
    const auto rank = static_cast<std::size_t>(measurements.survey->sample[k]);
    hosts[k] = measurements.survey->ranks[rank].host;
  }
  return hosts;
}

std::optional<Fitted<HostLinks>> host_links_of(const std::vector<TimeTable>& launches,
                                               const std::vector<std::string>& hosts) {
  return over_launches(launches,
                       [&](const TimeTable& table) { return estimate_host_links(table, hosts); })
      .fitted;
}

/// As if all ranks of the machine had been measured, within hosts.
Measurements memory_of_machine(const Measurements& measurements) {
  Measurements all;
  all.launches = measurements.launches;
  for (Launch& launch : all.launches) launch.ranks = measurements.survey->ranks;
  all.observations = measurements.memory.rows;
  std::erase_if(all.observations, is_void);
  return all;
}

void take_host_links(const std::vector<TimeTable>& launches, const Measurements& measurements,
                     Model& model) {
  model.host_links = host_links_of(launches, hosts_of(measurements));
  if (measurements.memory.left_out) model.warnings.push_back(*measurements.memory.left_out);
  if (!measurements.survey || measurements.memory.rows.empty()) return;
  const Survey& survey = *measurements.survey;
  std::vector<std::string> hosts;
  for (const RankPlace& place : survey.ranks) hosts.push_back(place.host);
  const auto memory =
      host_links_of(split_launches(memory_of_machine(measurements), model.confidence), hosts);
  if (!memory) return;
  model.host_links = with_memory(model.host_links, *memory, survey.sample, model.confidence);
}

void take_sharing(const std::vector<TimeTable>& launches, Model& model) {
  model.sharing = over_launches(launches, [&](const TimeTable& table) {
                    return estimate_sharing(table, model.eager_limit);
                  }).fitted;
}

/// Of the whole machine, where a sample of its ranks was measured.
bool knows_hosts(const Measurements& measurements, const Fabric& fabric) {
  const std::vector<RankPlace>& places =
      measurements.survey ? measurements.survey->ranks : measurements.launches.front().ranks;
  const auto is_known = [&](const std::string& host) {
    return std::ranges::find(places, host, &RankPlace::host) != places.end();
  };
  return std::ranges::all_of(
             fabric.groups,
             [&](const HostGroup& group) { return std::ranges::all_of(group.hosts, is_known); }) &&
         std::ranges::all_of(fabric.backbone_sides, [&](const std::vector<std::string>& side) {
           return std::ranges::all_of(side, is_known);
         });
}

void take_fabric(const Measurements& measurements, Model& model) {
  FabricEstimate found = estimate_fabric(measurements.fabric, model.confidence);
  std::ranges::move(found.warnings, std::back_inserter(model.warnings));
  if (!found.fabric) return;
  if (knows_hosts(measurements, *found.fabric)) {
    model.fabric = std::move(found.fabric);
    return;
  }
  model.warnings.push_back({.kind = "fabric_not_found",
                            .problem = "what was found of shared links is left out",
                            .reason = "it names hosts that the launch does not have",
                            .advice = "calibrate again"});
}

/// Hockney's model on both sides of the eager limit. With sizes on one side only, that side is it.
Estimation<HockneyParameters> take_hockney(const std::vector<TimeTable>& launches, Model& model) {
  const auto one_side = [&](Regime regime) {
    return over_launches(launches, [&](const TimeTable& table) {
      return estimate_hockney(table, regime, model.eager_limit);
    });
  };
  auto eager = one_side(Regime::eager);
  if (!model.eager_limit) return eager;
  auto rendezvous = one_side(Regime::rendezvous);
  if (!eager.fitted) return rendezvous.fitted ? std::move(rendezvous) : std::move(eager);
  model.hockney_rendezvous = std::move(rendezvous.fitted);
  return eager;
}

/// How receiving overheads were measured: of all launches alike.
Kind receive_kind(const std::vector<TimeTable>& launches) {
  const auto is_quiet = [](const Experiment& e) {
    return e.kind == Kind::receive_overhead && e.processes == 0;
  };
  const bool quiet = std::ranges::any_of(launches, [&](const TimeTable& table) {
    return std::ranges::any_of(table.experiments(), is_quiet);
  });
  return quiet ? Kind::receive_overhead : Kind::receive_overhead_progress;
}

bool has_logp_experiments(const std::vector<TimeTable>& launches) {
  const auto is_one = [](const Experiment& e) {
    return e.processes == 0 && (is_overhead(e.kind) || e.kind == Kind::flood);
  };
  return std::ranges::any_of(launches, [&](const TimeTable& table) {
    return std::ranges::any_of(table.experiments(), is_one);
  });
}

Estimation<LogGpsParameters> take_loggps(const std::vector<TimeTable>& launches,
                                         const LogPSettings& settings) {
  const PacketSize packet = find_packet_size(launches, settings);
  auto result = over_launches(
      launches, [&](const TimeTable& table) { return estimate_loggps(table, settings, packet); });
  if (result.fitted) set_packet_size(*result.fitted, packet);
  return result;
}

void take_logp_family(const std::vector<TimeTable>& launches, const FitOptions& options,
                      Model& model) {
  if (options.models.empty() && !has_logp_experiments(launches)) {
    model.not_determined += model.not_determined.empty() ? "" : "; ";
    model.not_determined += "logp, loggp, loggps, plogp: not measured";
    return;
  }
  const LogPSettings settings{model.eager_limit, receive_kind(launches),
                              model.launches.front().clock_cost_s};
  const auto over_all = [&](auto estimate) {
    return over_launches(launches,
                         [&](const TimeTable& table) { return estimate(table, settings); });
  };
  take(
      "logp", options, [&] { return over_all(estimate_logp); }, model.logp, model);
  take(
      "loggp", options, [&] { return over_all(estimate_loggp); }, model.loggp, model);
  take(
      "loggps", options, [&] { return take_loggps(launches, settings); }, model.loggps, model);
  const std::vector<Bytes> sizes = plogp_sizes(launches, settings);
  take(
      "plogp", options,
      [&] {
        return over_launches(launches, [&](const TimeTable& table) {
          return estimate_plogp(table, settings, sizes);
        });
      },
      model.plogp, model);
  if (model.loggps) {
    model.receive_wait = settings.receive == Kind::receive_overhead ? "quiet" : "progress";
  }
}

void take_curves(const std::vector<TimeTable>& launches, const FitOptions& options, Model& model) {
  if (options.models.empty() && !have_curve_sizes(launches)) {
    model.not_determined += model.not_determined.empty() ? "" : "; ";
    model.not_determined += "curves: not measured";
    return;
  }
  take(
      "curves", options,
      [&] {
        const std::vector<Bytes> sizes = curve_sizes(launches, model.eager_limit);
        return over_launches(launches, [&](const TimeTable& table) {
          return estimate_curves(table, model.eager_limit, sizes);
        });
      },
      model.curves, model);
}

void take_thresholds(const Measurements& measurements, Model& model) {
  if (measurements.sweeps.empty()) {
    std::ranges::copy(sweep_warnings(measurements), std::back_inserter(model.warnings));
    return;
  }
  ThresholdOptions options;
  options.segmentation.confidence = model.confidence;
  const Thresholds found = find_thresholds(measurements, options);
  model.thresholds = found;
  if (model.lom) model.kappas.emplace_back("lom", find_kappas(found, *model.lom));
  if (model.lmo) model.kappas.emplace_back("lmo", find_kappas(found, *model.lmo));
  for (const Diagnostic& one : found.warnings) {
    const bool known = std::ranges::find(model.warnings, one) != model.warnings.end();
    if (!known) model.warnings.push_back(one);
  }
}

/// Collectives are checked flat only.
bool is_checked(const OneWayTime& time) {
  return time.operation == Operation::p2p ||
         (time.operation != Operation::bcast && time.algorithm == Algorithm::flat);
}

/// A collective that is too large for the root's memory isn't measured.
void warn_of_unchecked_sizes(const std::vector<OneWayTime>& times, Model& model) {
  std::map<Bytes, bool> has_collective;
  for (const OneWayTime& time : times) has_collective[time.size] |= time.to < 0;
  std::vector<std::string> without;
  for (const auto& [size, has] : has_collective) {
    if (!has) without.push_back(to_text(size));
  }
  if (model.ranks < 3 || without.empty()) return;
  model.warnings.push_back(
      {.kind = "unchecked_sizes",
       .count = std::ssize(without),
       .problem = "checks: no scatter or gather of " + comma_list(without) + " was measured",
       .reason = "it needs too much memory, or a launch was cut short",
       .advice = "the models are judged by messages there"});
}

std::vector<OneWayTime> checks_of(const Measurements& measurements, Model& model) {
  OneWayTimes times = one_way_times(measurements, Which::checks);
  for (Diagnostic one : times.left_out()) {
    one.problem.insert(0, "checks: ");
    model.warnings.push_back(std::move(one));
  }
  std::erase_if(times.all, [](const OneWayTime& time) { return !is_checked(time); });
  warn_of_unchecked_sizes(times.all, model);
  return times.all;
}

bool has_draws(const Model& model) {
  bool drawn = false;
  const auto look_at = [&](const FitFacts& facts, const auto& fitted) {
    drawn = drawn || (fitted && facts.predicts && fitted->replicate_kind == ReplicateKind::draws);
  };
  for_each_fit(look_at, model);
  return drawn;
}

/// A pass may be precise and the passes still differ: says how precise the means over them are.
void warn_of_passes(const Measurements& measurements, Model& model) {
  std::map<std::pair<int, Experiment>, std::vector<double>> passes;
  for (const Observation& row : measurements.observations) {
    if (!row.experiment.check) passes[{row.launch, row.experiment}].push_back(row.time_s);
  }
  std::vector<double> widths;
  for (const auto& [experiment, times] : passes) {
    if (times.size() < 3) continue;
    const SpreadRule spread(ReplicateKind::passes, times.size(), model.confidence);
    widths.push_back(spread(times).mean_half_width / mean(times));
  }
  if (widths.empty()) return;
  const double asked = measurements.launches.front().precision;
  const auto wide = std::ranges::count_if(widths, [&](double width) { return width > asked; });
  if (2 * static_cast<std::size_t>(wide) > widths.size()) {
    model.warnings.push_back(
        {.kind = "passes_differ",
         .count = wide,
         .problem = "passes differ by more than the asked precision: the mean of half of the times "
                    "is known to " +
                    percent(median(widths)) + " only",
         .reason = "asked: " + percent(asked),
         .advice = "the parameters' intervals hold that"});
  }
}

void warn_of_outliers(const std::vector<TimeTable>& launches, Model& model) {
  long left_out = 0;
  long measured = 0;
  for (const TimeTable& launch : launches) {
    left_out += static_cast<long>(launch.left_out());
    measured += static_cast<long>(launch.measured());
  }
  if (left_out == 0) return;
  const auto by_chance = std::lround(chance_to_stand_out * static_cast<double>(measured));
  model.warnings.push_back(
      {.kind = "outlying_passes",
       .count = left_out,
       .problem = std::to_string(left_out) + " of " + std::to_string(measured) +
                  " times stand out among the passes of their launch (by chance: " +
                  std::to_string(by_chance) + ") and are left out"});
}

void warn_of_resumptions(const Measurements& measurements, Model& model) {
  for (const Launch& launch : measurements.launches) {
    if (launch.resumed == 0) continue;
    model.warnings.push_back(
        {.kind = "resumed_launch",
         .count = launch.resumed,
         .problem = "a launch was resumed " +
                    (launch.resumed == 1 ? "once" : std::to_string(launch.resumed) + " times"),
         .reason =
             "its passes are of " + std::to_string(launch.resumed + 1) +
             " launches of MPI, and what differs between these counts as spread of the passes",
         .advice =
             "intervals may be wider than those of one launch, and are not those of several"});
  }
}

void warn(const Measurements& measurements, Model& model) {
  if (const std::string busy = busy_line(measurements.launches); !busy.empty()) {
    model.warnings.push_back({.kind = "busy", .problem = busy});
  }
  if (auto contention = contention_note(model)) model.warnings.push_back(*std::move(contention));
  const auto rows = measurements.observations.size();
  const auto open = std::ranges::count(measurements.observations, false, &Observation::converged);
  if (open > 0) {
    model.warnings.push_back({.kind = "not_converged",
                              .count = open,
                              .problem = std::to_string(open) + " of " + std::to_string(rows) +
                                         " measurements did not reach the asked precision"});
  }
  warn_of_passes(measurements, model);
  for (const Launch& launch : measurements.launches) {
    if (launch.complete) continue;
    model.warnings.push_back({.kind = "incomplete_launch",
                              .problem = "a launch is incomplete",
                              .reason = launch.incomplete_reason,
                              .advice = "what is there was used"});
  }
  warn_of_resumptions(measurements, model);
  if (has_draws(model)) {
    model.warnings.push_back(
        {.kind = "few_passes",
         .problem = "there are fewer than three complete passes",
         .advice = "intervals come from the spread within them and miss what varies between "
                   "passes and launches"});
  } else if (measurements.launches.size() == 1) {
    model.warnings.push_back(
        {.kind = "one_launch",
         .problem = "one launch is one sample of placement and memory layout",
         .advice = "merge the measurements of five launches for intervals that hold for the next "
                   "one"});
  } else if (measurements.launches.size() < 4) {
    model.warnings.push_back({.kind = "few_launches",
                              .count = std::ssize(measurements.launches),
                              .problem = "with " + std::to_string(measurements.launches.size()) +
                                         " launches the intervals are honest but wide",
                              .advice = "merge five or more"});
  }
}

}  // namespace

Estimated estimate(const Measurements& given, const FitOptions& options) {
  for (const std::string& name : options.models) require_model_name(name);
  Estimated found;
  Model& model = found.model;
  const Measurements all = without_void_overheads(given, model.warnings);
  const Measurements measurements = of_all_processes(all);
  if (measurements.observations.empty()) {
    throw FitError("there are no measurements (nothing was observed): calibrate again");
  }
  // A check that is void is left out, and said, when models are judged.
  const auto none = std::ranges::find_if(measurements.observations, [](const Observation& row) {
    return is_void(row) && !row.experiment.check;
  });
  if (none != measurements.observations.end()) {
    throw FitError("a time of " + text_of(none->experiment, measurements) +
                   " is not above zero (relative errors have no meaning there): calibrate again");
  }
  const std::vector<TimeTable> launches = split_launches(measurements, options.confidence);
  model.launches = all.launches;
  model.confidence = options.confidence;
  model.ranks = measurements.ranks();
  const EagerLimit limit = eager_limit_of(measurements.launches);
  model.eager_limit = limit.threshold.size;
  if (limit.disagreement) model.warnings.push_back(*limit.disagreement);

  take(
      "hockney", options, [&] { return take_hockney(launches, model); }, model.hockney, model);
  take(
      "lom", options, [&] { return over_launches(launches, estimate_lom); }, model.lom, model);
  take(
      "lmo", options, [&] { return over_launches(launches, estimate_lmo); }, model.lmo, model);
  take(
      "bottleneck", options, [&] { return over_launches(launches, estimate_bottleneck); },
      model.bottleneck, model);
  take_logp_family(launches, options, model);
  take_curves(launches, options, model);
  take(
      "start_up", options, [&] { return over_launches(launches, estimate_start_up); },
      model.start_up, model);
  if (std::ranges::none_of(model_names(),
                           [&](const std::string& name) { return model.has(name); })) {
    throw FitError("no model can be determined (" + model.not_determined +
                   "): measure more ranks, or for longer");
  }
  take_growth(all, model);
  take_host_links(launches, measurements, model);
  model.jitter = estimate_jitter(measurements, hosts_of(given), options.confidence).fitted;
  take_sharing(launches, model);
  take_thresholds(measurements, model);
  found.checks = checks_of(measurements, model);
  warn(measurements, model);
  warn_of_outliers(launches, model);
  warn_of_small_jobs(all, model);
  take_fabric(largest_launches(given), model);
  return found;
}

}  // namespace commgauge
