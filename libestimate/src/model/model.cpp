#include "commgauge/model/model.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/printable.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/model/model_list.hpp"

namespace commgauge {

namespace {

/// Indexed by ReplicateKind.
constexpr std::array<std::string_view, 3> replicate_names{"passes", "launches", "draws"};

/// Indexed by Verdict.
constexpr std::array<std::string_view, 5> verdict_names{"quiet", "unclear", "leaves_out", "differs",
                                                        "unknown"};

/// Launches often warn of the same, with other numbers: of one kind only the first.
void add_warnings(std::vector<Warning>& all, const FitFacts& facts,
                  const std::vector<Diagnostic>& found) {
  std::map<std::string, long> of_kind;
  for (const Diagnostic& one : found) ++of_kind[one.kind];
  for (const Diagnostic& one : found) {
    const long count = std::exchange(of_kind[one.kind], 0);
    if (count == 0) continue;
    const std::string_view model = facts.predicts ? facts.model : std::string_view{};
    all.push_back({std::string{facts.label}, std::string{model}, one, count - 1});
  }
}

}  // namespace

std::string_view to_text(ReplicateKind kind) {
  return replicate_names.at(static_cast<std::size_t>(kind));
}

std::string_view to_text(Verdict verdict) {
  return verdict_names.at(static_cast<std::size_t>(verdict));
}

const std::vector<std::string>& model_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for_each_fit([&](const FitFacts& facts) {
      if (facts.is_model()) all.emplace_back(facts.name);
    });
    return all;
  }();
  return names;
}

void require_model_name(std::string_view name) {
  const auto& known = model_names();
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw InputError("unknown model '" + one_line(std::string{name}) +
                   "' (known: " + comma_list(known) + "): give one of them");
}

SizeSpan fitted_sizes(const Model& model, const std::string& name) {
  std::optional<SizeSpan> span;
  const auto add = [&](const FitFacts& facts, const auto& fitted) {
    if (!fitted || !facts.predicts || facts.model != name) return;
    span = SizeSpan{span ? span->first : fitted->first, fitted->last};
  };
  for_each_fit(add, model);
  return span.value();
}

FitFacts facts_of(std::string_view model) {
  require_model_name(model);
  FitFacts found;
  for_each_fit([&](const FitFacts& facts) {
    if (facts.name == model) found = facts;
  });
  return found;
}

std::vector<std::string> models_that(const std::function<bool(const FitFacts&)>& is_asked_for) {
  std::vector<FitFacts> found;
  for_each_fit([&](const FitFacts& facts) {
    if (facts.is_model() && is_asked_for(facts)) found.push_back(facts);
  });
  std::ranges::stable_sort(found, std::greater{}, [](const FitFacts& f) { return f.tells.detail; });
  std::vector<std::string> names;
  for (const FitFacts& facts : found) names.emplace_back(facts.name);
  return names;
}

bool needs_three_ranks(std::string_view model) { return facts_of(model).needs.least_ranks() > 2; }

std::string Model::host(int rank) const {
  if (rank < 0 || rank >= ranks) {
    throw InputError("there is no rank " + std::to_string(rank) + " (the model has " +
                     std::to_string(ranks) + "): give 0 to " + std::to_string(ranks - 1));
  }
  if (launches.empty()) return "";
  return launches.front().ranks.at(static_cast<std::size_t>(rank)).host;
}

std::vector<std::string> Model::hosts() const {
  std::vector<std::string> names;
  for (int rank = 0; rank < ranks; ++rank) names.push_back(host(rank));
  return names;
}

std::string Model::preferred() const {
  const std::vector<std::string> all = names();
  if (!all.empty()) return all.front();
  throw InputError("there is no model in the file (" +
                   (not_determined.empty() ? "nothing was fitted" : not_determined) +
                   "): measure more and fit again");
}

bool Model::has(std::string_view model) const {
  bool found = false;
  const auto look_at = [&](const FitFacts& facts, const auto& fitted) {
    found = found || (fitted && facts.is_model() && facts.name == model);
  };
  for_each_fit(look_at, *this);
  return found;
}

std::vector<std::string> Model::names() const {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (has(name) && std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const Ranking& place : ranking) add(place.model);
  std::ranges::for_each(model_names(), add);
  return names;
}

std::string Warning::sentence() const {
  return diagnostic.text() +
         (more > 0 ? " (and " + std::to_string(more) + " more of this kind)" : "");
}

std::string Warning::text() const { return (label.empty() ? "" : label + ": ") + sentence(); }

std::vector<Warning> Model::all_warnings() const {
  std::vector<Warning> all;
  for (const Diagnostic& one : warnings) all.push_back({"", "", one});
  const auto add = [&](const FitFacts& facts, const auto& fitted) {
    if (fitted) add_warnings(all, facts, fitted->warnings);
  };
  for_each_fit(add, *this);
  return all;
}

std::vector<std::string> Model::warning_texts() const {
  std::vector<std::string> texts;
  for (const Warning& warning : all_warnings()) texts.push_back(warning.text());
  return texts;
}

}  // namespace commgauge
