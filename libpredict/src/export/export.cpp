#include "commgauge/export/export.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/printable.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/model/contention.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/predict/predict.hpp"
#include "export/exporters.hpp"

namespace commgauge {

namespace {

constexpr int most_ranks_compared = 32;

/// Models that a format takes, the most faithful first. What a format can hold is the format's;
/// rules are made of any model that predicts collectives of all sizes.
std::vector<std::string> models_of(ExportFormat format) {
  switch (format) {
    case ExportFormat::simgrid:
      return {"lmo", "bottleneck", "loggps", "curves", "hockney"};
    case ExportFormat::loggopsim:
      return {"loggps", "loggp", "logp"};
    case ExportFormat::dimemas:
      return {"hockney"};
    case ExportFormat::ompi_rules:
    case ExportFormat::mpich_coll:
      return models_that([](const FitFacts& facts) { return facts.tells.any_size; });
    case ExportFormat::csv:
      break;
  }
  return {};
}

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

const std::string& word_of(ExportFormat format) {
  return export_format_names().at(static_cast<std::size_t>(format));
}

/// Nothing where overheads don't grow, or are no part of the model.
std::optional<std::string> loss_of_growth(const Model& model, const std::string& name) {
  if (!model.overhead_growth || !facts_of(name).has_overheads()) return std::nullopt;
  return "how overheads grow with the number of processes (overhead_growth): they are those of " +
         std::to_string(model.ranks);
}

/// With what no simulator can hold. Only SimGrid's platforms have links between hosts.
Exported with_losses(Exported exported, const Model& model, const std::string& name,
                     bool has_fabric = false) {
  const auto of_fabric = has_fabric ? std::nullopt : loss_of_fabric(model);
  for (const auto& loss : {loss_of_host_links(model), of_fabric, loss_of_growth(model, name)}) {
    if (loss) exported.losses.push_back(*loss);
  }
  return exported;
}

/// @throws InputError  the format can't express it, or not with these values.
Exported export_one(const Model& model, ExportFormat format, const std::string& name) {
  if (!is_in(models_of(format), name)) {
    throw InputError(word_of(format) + " can't hold the model " + name + ": give one of " +
                     comma_list(models_of(format)));
  }
  switch (format) {
    case ExportFormat::simgrid:
      return with_losses(export_simgrid(model, name), model, name, true);
    case ExportFormat::loggopsim:
      return with_losses(export_loggopsim(model, name), model, name);
    case ExportFormat::dimemas:
      return with_losses(export_dimemas(model), model, name);
    case ExportFormat::ompi_rules:
      return export_ompi_rules(model, name);
    case ExportFormat::mpich_coll:
      return export_mpich_coll(model, name);
    case ExportFormat::csv:
      break;
  }
  throw std::logic_error("a CSV holds all models at once");
}

/// Best ranked first; those without a rank come last, and only if the format takes them.
std::vector<std::string> candidates(const Model& model, ExportFormat format) {
  std::vector<std::string> names;
  for (const Ranking& place : model.ranking) {
    if (model.has(place.model)) names.push_back(place.model);
  }
  for (const std::string& name : models_of(format)) {
    if (model.has(name) && !is_in(names, name)) names.push_back(name);
  }
  return names;
}

/// Why no model of a file can be exported: models of one reason stand together.
struct Refusals {
  std::vector<std::pair<std::string, std::vector<std::string>>> models_of;  ///< by reason

  void add(const std::string& name, const std::string& reason) {
    const auto same =
        std::ranges::find(models_of, reason, [](const auto& one) { return one.first; });
    if (same == models_of.end()) {
      models_of.push_back({reason, {name}});
    } else {
      same->second.push_back(name);
    }
  }
  [[nodiscard]] std::string text() const {
    if (models_of.size() == 1) return models_of.front().first;
    std::string text;
    for (const auto& [reason, names] : models_of) {
      text += (text.empty() ? "" : "; ") + comma_list(names) + ": " + reason;
    }
    return text;
  }
};

Exported export_best(const Model& model, ExportFormat format) {
  std::vector<std::string> passed_over;
  Refusals refusals;
  for (const std::string& name : candidates(model, format)) {
    if (!is_in(models_of(format), name)) {
      passed_over.push_back(name + ": " + word_of(format) + " can't hold this model");
      continue;
    }
    try {
      Exported exported = export_one(model, format, name);
      exported.passed_over = passed_over;
      return exported;
    } catch (const InputError& error) {
      passed_over.push_back(name + ": " + error.what());
      refusals.add(name, error.what());
    }
  }
  if (!refusals.models_of.empty()) throw InputError(refusals.text());
  throw InputError("the file has no model for " + word_of(format) + " (it takes " +
                   comma_list(models_of(format)) + "): calibrate with --models " +
                   models_of(format).front());
}

/// Ends of the lines that a model's and a format's times of a message are made of.
std::set<Bytes> corners(const Model& model, const std::string& name) {
  const SizeSpan span = fitted_sizes(model, name);
  std::set<Bytes> sizes{span.first, span.last};
  const auto add_sides = [&](double last_below) {
    for (const double size : {last_below, last_below + 1}) {
      if (size > static_cast<double>(span.first.value) &&
          size < static_cast<double>(span.last.value)) {
        sizes.insert(Bytes{static_cast<std::uint64_t>(size)});
      }
    }
  };
  add_sides(0);
  if (model.eager_limit) add_sides(static_cast<double>(model.eager_limit->value));
  if (name == "loggps" && !std::isnan(model.loggps->value.s)) {
    add_sides(std::ceil(model.loggps->value.s) - 1);
  }
  return sizes;
}

}  // namespace

std::vector<int> compared_ranks(int n) {
  std::vector<int> ranks;
  const int count = std::min(n, most_ranks_compared);
  for (int k = 0; k < count; ++k) ranks.push_back(k * n / count);
  return ranks;
}

const std::vector<std::string>& export_format_names() {
  static const std::vector<std::string> names{"csv",     "simgrid",    "loggopsim",
                                              "dimemas", "ompi-rules", "mpich-coll"};
  return names;
}

ExportFormat parse_export_format(std::string_view text) {
  const auto& names = export_format_names();
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) {
    throw InputError("unknown format '" + one_line(std::string(text)) + "': give one of " +
                     comma_list(names));
  }
  return static_cast<ExportFormat>(found - names.begin());
}

double worst_error(const Model& model, const std::string& name, const OneWay& one_way) {
  double worst = 0;
  for (const Bytes size : corners(model, name)) {
    for (int i = 0; i < model.ranks; ++i) {
      for (int j = 0; j < model.ranks; ++j) {
        if (i == j) continue;
        const double exported = one_way(i, j, static_cast<double>(size.value));
        if (std::isnan(exported)) continue;
        const double time = predict_time(model, {name, Operation::p2p, i, j, size}).value;
        worst = std::max(worst, std::abs(exported / time - 1));
      }
    }
  }
  return worst;
}

std::optional<std::string> loss_of_host_links(const Model& model) {
  if (!has_host_limits(model)) return std::nullopt;
  return "the links that ranks of a host share (host_links), and its memory: messages of one host "
         "don't slow each other";
}

std::optional<std::string> loss_of_fabric(const Model& model) {
  if (!model.fabric) return std::nullopt;
  return "the links between hosts (fabric): messages of hosts behind one uplink don't slow each "
         "other";
}

std::string exact(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

Exported export_model(const Model& model, ExportFormat format, const std::string& name) {
  if (format == ExportFormat::csv) {
    if (!name.empty()) throw InputError("csv holds all models: leave the model out");
    return export_csv(model);
  }
  if (!name.empty()) require_model_name(name);
  if (!name.empty() && !model.has(name) && is_in(models_of(format), name)) {
    throw InputError("the file has no model " + name + ": calibrate with --models " + name);
  }
  Exported exported = name.empty() ? export_best(model, format) : export_one(model, format, name);
  if (const auto note = contention_note(model)) exported.losses.push_back(note->problem);
  return exported;
}

}  // namespace commgauge
