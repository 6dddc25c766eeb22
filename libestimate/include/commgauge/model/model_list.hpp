#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "commgauge/model/parameters/fair_sharing.hpp"
#include "commgauge/model/parameters/host_links.hpp"
#include "commgauge/model/parameters/message_jitter.hpp"
#include "commgauge/model/parameters/overhead_growth.hpp"

namespace commgauge {

/// Of which messages a model tells until when the sender is busy.
enum class SenderTime {
  none,
  eager,  ///< of messages that are sent asynchronously
  all     ///< it has overheads of sending and of receiving
};

/// What a model can tell beside the time until a message's receive returns.
struct Tells {
  /// Of models that can answer a question the one that tells more of a machine has the larger.
  int detail{};
  SenderTime sender{SenderTime::none};
  bool any_size{true};     ///< false: of the smallest messages only
  bool is_machine{false};  ///< `emulate` can run programs on it
};

/// What has to be measured for a model, beside checks.
struct Needs {
  bool sweep{};  ///< round trips of many sizes
  bool empty_one_to_two{};
  bool one_to_two{};  ///< of messages of one medium size
  bool bulk{};        ///< large messages of one rank with several at once
  bool overheads{};   ///< of sending and receiving, and floods
  bool curve{};       ///< round trips of as many sizes as tell how times bend
  /// Takes so much longer that it is measured only when it is asked for.
  [[nodiscard]] bool only_named() const { return overheads || curve; }
  [[nodiscard]] int least_ranks() const { return empty_one_to_two || one_to_two ? 3 : 2; }
};

/// What is known of a fit beside its parameters, which visit_fields() shows.
struct FitFacts {
  std::string_view name;   ///< alone: in CSV files, for Python
  std::string_view title;  ///< above a picture or a table
  std::string_view label;  ///< within a sentence
  std::string_view model;  ///< in whose object of a model file it stands; empty: beside them all
  std::string_view part;   ///< as which member of that; empty: it is the model
  bool predicts{true};     ///< is a model, or part of one
  Needs needs{};
  Tells tells{};
  std::string_view optional{};  ///< parameters that a file may leave out, with spaces between

  [[nodiscard]] bool is_model() const { return part.empty(); }
  [[nodiscard]] bool has_overheads() const { return tells.sender == SenderTime::all; }
  [[nodiscard]] bool is_machine() const { return tells.is_machine; }
};

/// Whether it is no model's parameters, but of all of them alike.
template <class Parameters>
inline constexpr bool is_beside_models =
    std::is_same_v<Parameters, OverheadGrowth> || std::is_same_v<Parameters, HostLinks> ||
    std::is_same_v<Parameters, MessageJitter> || std::is_same_v<Parameters, FairSharing>;

/// The list of models: calls visit(facts, model.fit...) for every fit that a model file can have,
/// in the order of files and tables, a model before its parts. Of several files (compare) the same
/// fit of each. A new model is a struct, its visit_fields(), a member of Model, and a line here.
template <class Visit, class... Models>
void for_each_fit(Visit&& visit, Models&... files) {
  const auto model = [](std::string_view name, std::string_view title, const Needs& needs,
                        const Tells& tells, std::string_view optional = {}) {
    return FitFacts{name, title, name, name, {}, true, needs, tells, optional};
  };
  const auto part = [](std::string_view name, std::string_view label, std::string_view of,
                       std::string_view member, bool predicts, std::string_view optional = {}) {
    return FitFacts{name, label, label, of, member, predicts, {}, {}, optional};
  };
  using enum SenderTime;
  visit(model("hockney", "Hockney", {.sweep = true}, {.detail = 2, .is_machine = true}),
        files.hockney...);
  visit(part("hockney_rendezvous", "hockney above the eager limit", "hockney", "rendezvous", true),
        files.hockney_rendezvous...);
  visit(model("lom", "LOM", {.one_to_two = true}, {.detail = 4, .is_machine = true}, "L"),
        files.lom...);
  visit(model("lmo", "LMO", {.empty_one_to_two = true, .one_to_two = true},
              {.detail = 10, .sender = eager, .is_machine = true}),
        files.lmo...);
  visit(model("bottleneck", "bottleneck", {.empty_one_to_two = true, .bulk = true},
              {.detail = 9, .is_machine = true}),
        files.bottleneck...);
  visit(model("logp", "LogP", {.overheads = true},
              {.detail = 5, .sender = all, .any_size = false, .is_machine = true}),
        files.logp...);
  visit(model("loggp", "LogGP", {.overheads = true},
              {.detail = 6, .sender = all, .is_machine = true}),
        files.loggp...);
  visit(model("loggps", "LogGPS", {.overheads = true},
              {.detail = 8, .sender = all, .is_machine = true}),
        files.loggps...);
  visit(model("plogp", "PLogP", {.overheads = true},
              {.detail = 7, .sender = all, .is_machine = true}),
        files.plogp...);
  visit(model("curves", "curves", {.curve = true}, {.detail = 3, .is_machine = true}),
        files.curves...);
  visit(model("start_up", "start-up", {.sweep = true}, {.detail = 1}), files.start_up...);
  visit(part("overhead_growth", "overhead_growth", "loggps", "overhead_growth", false),
        files.overhead_growth...);
  visit(part("host_links", "host_links", "", "host_links", false, "both"), files.host_links...);
  visit(part("jitter", "jitter", "", "jitter", false, "per_byte"), files.jitter...);
  visit(part("sharing", "sharing", "", "sharing", false,
             "eager_in eager_out rendezvous_in rendezvous_out"),
        files.sharing...);
}

/// Of a model. @throws InputError  unknown name.
[[nodiscard]] FitFacts facts_of(std::string_view model);

/// The models for which `is_asked_for` is true, the most detailed first.
[[nodiscard]] std::vector<std::string> models_that(
    const std::function<bool(const FitFacts&)>& is_asked_for);

}  // namespace commgauge
