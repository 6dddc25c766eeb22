#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "commgauge/base/text.hpp"
#include "commgauge/schedule/libraries.hpp"
#include "commgauge/schedule/selection.hpp"
#include "export/collective_choice.hpp"
#include "export/exporters.hpp"

namespace commgauge {

namespace {

using Json = nlohmann::ordered_json;  // the first key that fits counts

bool share_hosts(const Model& model) {
  std::set<std::string> hosts;
  for (int rank = 0; rank < model.ranks; ++rank) {
    const std::string host = model.host(rank);
    if (!host.empty() && !hosts.insert(host).second) return true;
  }
  return false;
}

/// Where ranks share a host its broadcasts go node by node, but for those by a ring.
std::vector<schedule::OwnChoice> own_choices(const Model& model, const schedule::Collective& what) {
  std::vector<schedule::OwnChoice> choices = schedule::mpich_by_size(what);
  if (what.operation != schedule::Operation::bcast || !share_hosts(model)) return choices;
  for (schedule::OwnChoice& choice : choices) {
    if (choice.name != "scatter_ring_allgather") choice.name = "node by node";
  }
  return choices;
}

/// Its flat algorithms start all messages at once.
RuledLibrary mpich() {
  return {"MPICH",
          {Algorithm::at_once, Algorithm::at_once, Algorithm::at_once},
          {"binomial"},
          own_choices};
}

/// What a collective is called there.
struct Words {
  std::string collective;
  std::string size;  ///< as a rule counts it
  std::string flat;
  std::string binomial;
};

/// The flat algorithms are those of non-blocking collectives.
Words words_of(Operation operation) {
  const auto blocking = [](const std::string& collective, const std::string& size,
                           const std::string& name) {
    return Words{collective, size, "MPIR_" + name + "_allcomm_nb",
                 "MPIR_" + name + "_intra_binomial"};
  };
  if (operation == Operation::scatter) return blocking("scatter", "total_msg_size", "Scatter");
  if (operation == Operation::gather) return blocking("gather", "total_msg_size", "Gather");
  return blocking("bcast", "avg_msg_size", "Bcast");
}

Json algorithm(const std::string& name, const Json& parameters = Json::object()) {
  return {{"algorithm=" + name, parameters}};
}

struct Leaves {
  Json flat;
  Json binomial;
};

/// What sizes get. Nothing: what MPICH chooses.
const Json& leaf_of(std::optional<Algorithm> algorithm, const Leaves& leaves, const Json& own) {
  if (!algorithm) return own;
  return algorithm == Algorithm::flat ? leaves.flat : leaves.binomial;
}

/// By size. @param own  what MPICH chooses
Json rules_by_size(const Json& own, std::uint64_t factor, const CollectiveChoice& choice,
                   const Words& words, const Leaves& leaves) {
  const auto limit = [&](const std::string& compares, std::uint64_t size) {
    return words.size + compares + std::to_string(size * factor);
  };
  Json rules = Json::object();
  const std::uint64_t first = choice.ranges.front().first.value;
  if (first > 0) rules[limit("<", first)] = own;
  for (std::size_t k = 0; k < choice.ranges.size(); ++k) {
    const auto& [_, last, algorithm, name] = choice.ranges[k];
    const bool is_last = k + 1 == choice.ranges.size();
    const auto next = is_last ? std::nullopt : choice.ranges[k + 1].algorithm;
    if (algorithm != next) rules[limit("<=", last.value)] = leaf_of(algorithm, leaves, own);
  }
  rules[words.size + "=any"] = own;
  return rules;
}

/// Rules about the communicator stay above those about sizes: below them MPICH 4.0 reads
/// comm_size<8 as up to 8.
Json below_communicators(const Json& own, const std::function<Json(const Json&)>& rules) {
  if (!own.begin().key().starts_with("comm_")) return rules(own);
  Json result = Json::object();
  for (const auto& [key, below] : own.items()) result[key] = below_communicators(below, rules);
  return result;
}

/// In place of what MPICH chooses for intra-communicators of the model's size.
void replace(Json& tree, const Model& model, const CollectiveChoice& choice, const Words& words,
             const Leaves& leaves) {
  Json& intra = tree.at("collective=" + words.collective).at("comm_type=intra");
  const Json own = intra;
  const std::uint64_t factor = size_factor(model, choice.operation);
  const std::string ranks = std::to_string(model.ranks);
  intra = Json::object();
  intra["comm_size<" + ranks] = own;
  intra["comm_size<=" + ranks] = below_communicators(own, [&](const Json& by_size) {
    return rules_by_size(by_size, factor, choice, words, leaves);
  });
  intra["comm_size=any"] = own;
}

/// The broadcast's flat tree is given in the file. That of the others can only be given in the
/// environment.
void add(Json& tree, const Model& model, const CollectiveChoice& choice) {
  if (!has_rules(choice)) return;
  const Words words = words_of(choice.operation);
  replace(tree, model, choice, words, {algorithm(words.flat), algorithm(words.binomial)});
  if (choice.operation != Operation::bcast || !has_flat(choice)) return;
  const Json star = {{"tree_type=kary", Json::object()},
                     {"k=" + std::to_string(model.ranks), Json::object()},
                     {"chunk_size=0", Json::object()}};
  replace(tree, model, choice, {"ibcast", words.size, "", ""},
          {algorithm("MPIR_Ibcast_intra_tsp_tree", star),
           algorithm("MPIR_Ibcast_intra_sched_binomial")});
}

/// Settings beside the file.
std::string environment(const Model& model, const std::vector<CollectiveChoice>& choices) {
  const std::string ranks = std::to_string(model.ranks);
  std::string settings = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=FILE";
  const auto add_star = [&](const std::string& name) {
    settings += " MPIR_CVAR_" + name + "_INTRA_ALGORITHM=tsp_tree MPIR_CVAR_" + name +
                "_TREE_KVAL=" + ranks;
  };
  for (const CollectiveChoice& choice : choices) {
    if (choice.operation == Operation::bcast && has_rules(choice)) {
      settings +=
          " MPIR_CVAR_DEVICE_COLLECTIVES=percoll MPIR_CVAR_BCAST_DEVICE_COLLECTIVE=0 (without the "
          "last two broadcasts go node by node)";
    }
    if (!has_flat(choice)) continue;
    if (choice.operation == Operation::scatter) add_star("ISCATTER");
    if (choice.operation == Operation::gather) add_star("IGATHER");
  }
  return settings;
}

/// Of these settings. Nothing: they change what the file is about.
std::optional<std::string> loss_by_settings(const std::vector<CollectiveChoice>& choices) {
  std::vector<std::string> changed;
  for (const CollectiveChoice& choice : choices) {
    if (choice.operation == Operation::bcast && has_rules(choice)) {
      changed.emplace_back("no broadcast goes node by node");
    }
    if (choice.operation == Operation::bcast || !has_flat(choice)) continue;
    changed.push_back(std::string{"MPI_I"} + std::string{to_text(choice.operation)} +
                      " of any size and communicator follows the flat algorithm");
  }
  if (changed.empty()) return std::nullopt;
  return "the settings beside the file are for the whole job: " + comma_list(changed);
}

}  // namespace

Exported export_mpich_coll(const Model& model, const std::string& name) {
  const RuledLibrary library = mpich();
  const auto choices = choose_collectives(model, name, library);
  Json tree = Json::parse(mpich_selection);
  for (const CollectiveChoice& choice : choices) add(tree, model, choice);
  Exported result;
  result.model = name;
  result.text = tree.dump(1) + "\n";
  result.worst_error = worst_excess(choices);
  result.losses = losses_of(model, choices, library);
  result.losses.emplace_back("for MPICH 4.0: other versions name other algorithms, and may stop");
  if (const auto loss = loss_by_settings(choices)) result.losses.push_back(*loss);
  result.losses.emplace_back(
      "MPICH 4.0 counts a scatter's and a gather's items, whatever their type (a broadcast's "
      "bytes): "
      "of MPI_DOUBLE, say, the algorithm changes at blocks eight times as large as is written "
      "here");
  result.usage = {"use it with " + environment(model, choices)};
  for (const CollectiveChoice& choice : choices) {
    if (choice.operation != Operation::gather || !has_flat(choice)) continue;
    result.usage.emplace_back(
        "A GATHER CAN HANG in MPICH 4.0 with any rules that change with the size: MPI_IN_PLACE at "
        "the root makes it count 0 bytes there");
  }
  return result;
}

}  // namespace commgauge
