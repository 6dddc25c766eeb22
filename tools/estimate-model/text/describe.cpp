#include "estimate-model/text/describe.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "commgauge/base/statistics.hpp"
#include "commgauge/judge/judgement.hpp"
#include "commgauge/measurements/quietness.hpp"
#include "commgauge/model/contention.hpp"
#include "commgauge/model/eager_limit_text.hpp"
#include "commgauge/model/interval_meaning.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/thresholds/threshold_text.hpp"
#include "common/output/progress.hpp"
#include "common/output/table.hpp"
#include "common/output/threshold_text.hpp"
#include "estimate-model/text/classes_text.hpp"
#include "estimate-model/text/fabric_text.hpp"
#include "estimate-model/text/family_text.hpp"
#include "estimate-model/text/judgement_text.hpp"
#include "estimate-model/text/processors_text.hpp"

namespace commgauge::tools {

namespace {

constexpr int largest_full_matrix = 8;
constexpr int most_ranks_shown = 64;
constexpr std::size_t most_hosts_named = 8;
constexpr std::size_t most_outliers_shown = 20;

std::string hosts_text(const Model& model) {
  std::map<std::string, int> ranks_of;
  for (int rank = 0; rank < model.ranks; ++rank) ++ranks_of[model.host(rank)];
  std::string text = counted(model.ranks, "rank") + " on " + counted(std::ssize(ranks_of), "host");
  if (ranks_of.size() > most_hosts_named) return text;
  std::vector<std::string> words;
  words.reserve(ranks_of.size());
  for (const auto& [host, count] : ranks_of) {
    words.push_back(count == 1 ? host : host + " (" + counted(count, "rank") + ")");
  }
  return text + ": " + joined(words);
}

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

std::string effort_text(const Model& model) {
  int passes = 0;
  double elapsed = 0;
  int resumed = 0;
  for (const auto& launch : model.launches) {
    resumed += launch.resumed;
    passes += launch.passes;
    elapsed += launch.elapsed_s;
  }
  return counted(std::ssize(model.launches), "launch") +
         (resumed > 0 ? " (resumed " + counted(resumed, "time") + ")" : "") + ", " +
         std::to_string(passes) + " passes, " + rough_duration(elapsed) + ", " +
         model.launches.front().time_utc;
}

std::string machine_text(const Model& model) {
  std::string text = "Machine\n" + indented(hosts_text(model));
  if (!model.launches.empty()) {
    const Launch& launch = model.launches.front();
    text += indented("MPI " + launch.mpi_standard + ", " + first_line(launch.mpi_library));
    text += indented("measured in " + effort_text(model));
    text += processors_text(model);
    text += indented("wait " + launch.wait + ", schedule " + launch.schedule + ", buffers " +
                     launch.buffers);
  }
  return text + indented("eager limit " + eager_limit_text(model)) +
         indented("intervals: " + interval_meaning(model));
}

/// Operations that some model was judged by, in the order of the best judged.
std::vector<Operation> judged_operations(const Model& model) {
  std::vector<Operation> all;
  for (const Ranking& place : model.ranking) {
    for (const auto& [operation, error] : place.operations) {
      if (std::ranges::find(all, operation) == all.end()) all.push_back(operation);
    }
  }
  return all;
}

/// `plogp`, or `plogp (4 of 24 checks)` where it says nothing on the others.
std::string judged_name(const Model& model, const std::string& name) {
  std::map<std::string, long> counts;
  long most = 0;
  for (const Check& check : model.checks) most = std::max(most, ++counts[check.model]);
  if (counts[name] == most) return name;
  return name + " (" + std::to_string(counts[name]) + " of " + counted(most, "check") + ")";
}

/// What a perfect model's errors would be.
std::vector<std::string> noise_row(const Model& model, const std::vector<Operation>& operations) {
  std::vector<std::string> row{"noise"};
  for (const Operation operation : operations) {
    row.push_back(percent(noise_of(model, operation)));
  }
  row.push_back(percent(noise_of(model)));
  return row;
}

std::string ranking_table(const Model& model) {
  const std::vector<Operation> operations = judged_operations(model);
  std::vector<std::string> header{"median error"};
  for (const Operation operation : operations) header.emplace_back(to_text(operation));
  header.emplace_back("all");
  Table table{header};
  for (const Ranking& place : model.ranking) {
    std::vector<std::string> row{judged_name(model, place.model)};
    for (const Operation operation : operations) {
      const auto found =
          std::ranges::find(place.operations, operation, &std::pair<Operation, double>::first);
      row.push_back(found == place.operations.end() ? "-" : percent(found->second));
    }
    row.push_back(percent(place.error));
    table.add(row);
  }
  if (!model.judgements.empty()) table.add(noise_row(model, operations));
  return table.text();
}

/// How far the best model is off, beside the noise of the same times.
std::string judgements_text(const Model& model) {
  const std::vector<Judgement> judgements = judgements_of(model.judgements, model.preferred());
  if (judgements.empty()) return "";
  Table table{{"of " + model.preferred(), "checks", "error", "to one side", "noise"}};
  for (const Judgement& one : judgements) {
    table.add({subject_of(one) + (one.extrapolated ? ", outside its sizes" : ""),
               std::to_string(one.checks), percent(one.error), bias_text(one), percent(one.noise)});
  }
  std::string text = "\n" + table.text();
  for (const std::string& line : in_words(judgements)) text += indented(line);
  return text;
}

bool is_ranked_by_exchanges(const Model& model) {
  const std::vector<Operation> judged = judged_operations(model);
  return std::ranges::any_of(judged, is_meeting);
}

std::string ranking_text(const Model& model) {
  std::string text = "\nModels\n";
  if (!model.ranking.empty()) {
    const bool can_tell = quietness(model.launches) != Quietness::too_busy;
    text += ranking_table(model) + "  " +
            (can_tell ? model.preferred() + " explains this machine best\n"
                      : "too busy a machine to tell which explains it best\n") +
            judgements_text(model);
    if (!is_ranked_by_exchanges(model)) {
      text += indented(
          "messages that meet weren't measured for this ranking (exchanges, rings): calibrate "
          "again before you rely on predictions of them");
    }
  }
  if (!model.not_determined.empty()) text += indented("missing: " + model.not_determined);
  return text;
}

using Values = std::vector<double>;

/// One column of the table of ranks: a parameter of one model.
struct RankColumn {
  std::string title;
  const Values* value;
  const Values* low;
  const Values* high;
  double scale;

  [[nodiscard]] std::string cell(std::size_t rank) const {
    if (rank >= value->size()) return "-";
    const bool has_interval = rank < low->size() && rank < high->size();
    const double nan = std::nan("");
    return with_interval((*value)[rank], has_interval ? (*low)[rank] : nan,
                         has_interval ? (*high)[rank] : nan, scale);
  }
};

template <class Parameters>
void add_columns(std::vector<RankColumn>& columns, const std::string& model,
                 const std::optional<Fitted<Parameters>>& fitted) {
  if (!fitted) return;
  std::vector<std::pair<FieldFacts, const Values*>> value, low, high;
  const auto collect = [](auto& target) {
    return [&target](const FieldFacts& facts, const auto& field) {
      if constexpr (std::is_same_v<std::decay_t<decltype(field)>, Values>) {
        target.emplace_back(facts, &field);
      }
    };
  };
  visit_fields(fitted->value, collect(value));
  visit_fields(fitted->low, collect(low));
  visit_fields(fitted->high, collect(high));
  for (std::size_t k = 0; k < value.size(); ++k) {
    const FieldFacts& facts = value[k].first;
    const bool per_byte = facts.unit == Unit::seconds_per_byte;
    columns.push_back({model + " " + facts.name + (per_byte ? " [ns/B]" : " [µs]"), value[k].second,
                       low[k].second, high[k].second, per_byte ? nano : micro});
  }
}

/// The mean over the pairs where curves bend.
std::string curves_text(const Model& model) {
  if (!model.curves) return "";
  const CurvesParameters& p = model.curves->value;
  Table table{{"size", "one way, mean [µs]", "fastest pair", "slowest pair"}};
  for (std::size_t k = 0; k < p.sizes.size(); ++k) {
    std::vector<double> times;
    for (const double time : p.time[k].values()) {
      if (std::isfinite(time)) times.push_back(time * micro);
    }
    if (times.empty()) continue;
    table.add({to_text(p.sizes[k]), number(mean(times)), number(std::ranges::min(times)),
               number(std::ranges::max(times))});
  }
  return "\nWhere curves bend\n" + table.text();
}

std::string ranks_text(const Model& model) {
  std::vector<RankColumn> columns;
  for (const std::string& name : models_that([](const FitFacts&) { return true; })) {
    const auto add = [&](const FitFacts& facts, const auto& fitted) {
      if (facts.name == name && name != "host_links") add_columns(columns, name, fitted);
    };
    for_each_fit(add, model);
  }
  if (columns.empty()) return "";
  std::vector<std::string> header{"rank"};
  for (const auto& column : columns) header.push_back(column.title);
  Table table{header};
  const int shown = std::min(model.ranks, most_ranks_shown);
  for (int rank = 0; rank < shown; ++rank) {
    std::vector<std::string> row{std::to_string(rank) + " " + model.host(rank)};
    for (const auto& column : columns) row.push_back(column.cell(static_cast<std::size_t>(rank)));
    table.add(row);
  }
  std::string text = "\nRanks: fixed delay C, time per byte t, s (sending), r (receiving)\n";
  text += table.text();
  if (shown < model.ranks) text += "  (the first " + std::to_string(shown) + ")\n";
  return text;
}

std::string matrix_text(const std::string& title, const Matrix& matrix) {
  std::vector<std::string> header{"from \\ to"};
  for (int j = 0; j < matrix.size(); ++j) header.push_back(std::to_string(j));
  Table table{header};
  for (int i = 0; i < matrix.size(); ++i) {
    std::vector<std::string> row{std::to_string(i)};
    for (int j = 0; j < matrix.size(); ++j) row.push_back(number(matrix(i, j)));
    table.add(row);
  }
  return title + "\n" + table.text();
}

std::string extremes_text(const std::string& title, const Matrix& matrix) {
  std::vector<double> values;
  std::copy_if(matrix.values().begin(), matrix.values().end(), std::back_inserter(values),
               [](double value) { return !std::isnan(value); });
  if (values.empty()) return "";
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return title + ": least " + number(*low) + ", median " + number(median(values)) + ", most " +
         number(*high) + "\n";
}

std::string pairs_text(const std::string& title, const Matrix& matrix) {
  return matrix.size() <= largest_full_matrix ? matrix_text(title, matrix)
                                              : extremes_text(title, matrix);
}

Matrix transformed(Matrix matrix, double (*change)(double)) {
  std::transform(matrix.values().begin(), matrix.values().end(), matrix.values().begin(), change);
  return matrix;
}

/// What applications see of a link: latency of small messages, bandwidth of large ones.
std::string links_text(const Model& model) {
  if (!model.hockney && !model.hockney_rendezvous) return "";
  const auto& small = model.hockney ? model.hockney : model.hockney_rendezvous;
  const auto& large = model.hockney_rendezvous ? model.hockney_rendezvous : model.hockney;
  const auto to_micro = [](double s) { return s * micro; };
  const auto to_megabytes = [](double s_per_byte) {
    return s_per_byte > 0 ? 1 / s_per_byte / 1e6 : std::nan("");
  };
  return "\n" +
         pairs_text("Latency of small messages, one way [µs]",
                    transformed(small->value.alpha, to_micro)) +
         "\n" +
         pairs_text("Bandwidth of large messages [MB/s]",
                    transformed(large->value.beta, to_megabytes));
}

std::string start_up_text(const Model& model) {
  if (!model.start_up) return "";
  const auto& [value, low, high] =
      std::tie(model.start_up->value, model.start_up->low, model.start_up->high);
  return "\nA line through all sizes, mean over the pairs: " +
         with_interval(value.mean_i, low.mean_i, high.mean_i, micro) + " µs and " +
         with_interval(value.mean_t, low.mean_t, high.mean_t, nano) + " ns/B\n";
}

std::string kappa_text(const Kappa& kappa) {
  if (std::isnan(kappa.value.value)) return "none: " + kappa.reason;
  return with_interval(kappa.value.value, kappa.value.low, kappa.value.high, nano) + " ns/B";
}

std::string thresholds_text(const Model& model) {
  if (!model.thresholds) return "";
  std::string text = "\n" + describe(*model.thresholds);
  for (const auto& [name, kappas] : model.kappas) {
    text += indented("gather at rank " + std::to_string(kappas.root) + ", beyond " + name +
                     ": up to M1 " + kappa_text(kappas.kappa1) + "; above M2 " +
                     kappa_text(kappas.kappa2));
  }
  return text;
}

std::string outlier_text(const Outlier& outlier) {
  const bool per_byte = outlier.unit == Unit::seconds_per_byte;
  const auto text = [per_byte](double value) {
    return per_byte ? to_text(SecondsPerByte{value}) : to_text(Seconds{value});
  };
  return indented(outlier.what + ": " + outlier.parameter + " " + text(outlier.value) + ", " +
                  number(outlier.ratio(), 2) + " times the typical " + text(outlier.typical));
}

/// Of many the worst, and how many there are.
std::string outliers_text(const std::vector<Outlier>& outliers, Extent extent) {
  if (outliers.empty()) return "";
  const std::size_t shown = extent == Extent::everything
                                ? outliers.size()
                                : std::min(outliers.size(), most_outliers_shown);
  std::string text = "\nWhat stands out (hosts, then links; the worst first)\n";
  for (std::size_t k = 0; k < shown; ++k) text += outlier_text(outliers[k]);
  if (shown == outliers.size()) return text;
  return text + "  the worst " + std::to_string(shown) + " of " + std::to_string(outliers.size()) +
         " (--all shows the others)\n";
}

/// What messages that meet do to each other.
std::string meeting_text(const Model& model) {
  if (!model.sharing) return "";
  const Fitted<FairSharing>& fit = *model.sharing;
  std::string text = "\nMessages that meet (0: they go in turn; 1: they share links fairly)\n";
  const auto add = [&](const std::string& what, double FairSharing::*field) {
    if (std::isnan(fit.value.*field)) return;
    const bool tells = !(fit.low.*field <= 0 && fit.high.*field >= 1);
    text += "  " + what + ": " +
            (tells ? number(fit.value.*field) + " (" + number(fit.low.*field) + " to " +
                         number(fit.high.*field) + ")"
                   : "not known, they scatter too much (taken to go in turn)") +
            "\n";
  };
  add("of a pair, up to the eager limit", &FairSharing::eager);
  add("of a pair, above the eager limit", &FairSharing::rendezvous);
  add("two senders to one receiver, up to the eager limit", &FairSharing::eager_in);
  add("two senders to one receiver, above the eager limit", &FairSharing::rendezvous_in);
  add("one sender to two receivers, up to the eager limit", &FairSharing::eager_out);
  add("one sender to two receivers, above the eager limit", &FairSharing::rendezvous_out);
  return text;
}

std::string warnings_text(const Model& model) {
  std::vector<std::string> all = model.warning_texts();
  for (const std::string& line : first_lines(model)) std::erase(all, line);
  if (all.empty()) return "";
  std::string text = "\nWarnings\n";
  for (const auto& warning : all) text += indented(warning);
  return text;
}

}  // namespace

std::vector<std::string> first_lines(const Model& model) {
  std::vector<std::string> lines;
  if (const std::string busy = busy_line(model.launches); !busy.empty()) lines.push_back(busy);
  if (const auto note = contention_note(model)) lines.push_back(note->text());
  return lines;
}

std::string describe(const Model& model, const std::vector<Outlier>& outliers, Extent extent) {
  std::string first;
  for (const std::string& line : first_lines(model)) first += line + "\n";
  return (first.empty() ? "" : first + "\n") + machine_text(model) + thresholds_text(model) +
         ranking_text(model) +
         (model.classes ? deviations_text(*model.classes, extent) + classes_text(model, extent)
                        : ranks_text(model)) +
         family_text(model) + curves_text(model) + (model.classes ? "" : links_text(model)) +
         start_up_text(model) + meeting_text(model) + host_links_text(model) + fabric_text(model) +
         outliers_text(outliers, extent) + warnings_text(model);
}

}  // namespace commgauge::tools
