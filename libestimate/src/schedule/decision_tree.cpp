#include "commgauge/schedule/decision_tree.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <utility>

#include "schedule/draft.hpp"

namespace commgauge::schedule {

namespace {

using Json = nlohmann::ordered_json;  // the first key that fits counts
using Subject = DecisionTree::Subject;
using Rule = DecisionTree::Rule;
using Node = DecisionTree::Node;
using Branch = DecisionTree::Branch;
using Test = Rule::Test;

Subject subject_of(const std::string& name) {
  constexpr std::array<std::pair<const char*, Subject>, 8> names{{
      {"comm_size", Subject::ranks},
      {"count", Subject::count},
      {"avg_msg_size", Subject::average_size},
      {"total_msg_size", Subject::total_size},
      {"is_commutative", Subject::is_commutative},
      {"is_op_built_in", Subject::is_built_in},
      {"is_sendbuf_inplace", Subject::is_in_place},
      {"is_block_regular", Subject::is_regular},
  }};
  const auto* const found =
      std::ranges::find_if(names, [&](const auto& one) { return one.first == name; });
  assert(found != names.end());
  return found->second;
}

/// Within one communicator, with a rank on each host: none share one.
Rule settled(bool holds) { return {.test = holds ? Test::always : Test::never}; }

/// @param text  comm_size<8, comm_size=pow2, is_commutative=yes
Rule rule_of(const std::string& text, bool takes_size_too) {
  const std::size_t sign = text.find_first_of("<=");
  const std::string name = text.substr(0, sign);
  const bool has_both = text[sign + 1] == '=';
  const bool includes = has_both || (takes_size_too && name == "comm_size");
  const std::string value = text.substr(sign + (has_both ? 2 : 1));
  if (value == "any") return settled(true);
  if (name == "comm_type") return settled(value == "intra");
  if (name == "comm_hierarchy") return settled(false);
  if (name == "is_node_consecutive") return settled(value == "no");
  if (value == "yes" || value == "no") return {Test::equals, subject_of(name), value == "yes"};
  if (text[sign] == '=') return {.test = Test::is_power};
  if (value == "pow2") {
    return {includes ? Test::up_to_power : Test::below_power, subject_of(name), 0};
  }
  return {includes ? Test::up_to : Test::below, subject_of(name), std::stoull(value)};
}

/// MPICH 4.0 decides what is about the communicator once, and reads comm_size<8 as up to 8 where
/// that stands below a rule about the call: its alltoall of 8 ranks shows it.
bool is_about_call(const std::string& rule) { return rule.starts_with("is_sendbuf_inplace"); }

/// Without the rules that never fit, and those behind one that always does.
Node node_of(const Json& json, const std::function<Algorithm(const std::string&)>& meaning,
             bool is_at_call) {
  constexpr std::string_view leaf = "algorithm=";
  const std::string& first = json.begin().key();
  if (first.starts_with(leaf)) {
    const std::string name = first.substr(leaf.size());
    return {meaning(name), name, {}};
  }
  Node node;
  for (const auto& [key, below] : json.items()) {
    const Rule rule = rule_of(key, is_at_call);
    if (rule.test == Test::never) continue;
    Node then = node_of(below, meaning, is_at_call || is_about_call(key));
    const bool is_last = rule.test == Test::always;
    if (is_last && node.branches.empty()) return then;
    node.branches.push_back({rule, std::move(then)});
    if (is_last) break;
  }
  assert(!node.branches.empty());
  return node;
}

std::uint64_t total_count(const Collective& what) {
  if (what.counts.size() > 1) {
    return std::accumulate(what.counts.begin(), what.counts.end(), std::uint64_t{0});
  }
  return what.counts.front() * static_cast<std::uint64_t>(what.ranks);
}

std::uint64_t average_size(const Collective& what) {
  return what.operation == Operation::allgatherv
             ? total_count(what) * what.unit.value / static_cast<std::uint64_t>(what.ranks)
             : what.counts.front() * what.unit.value;
}

bool is_regular(const Collective& what) {
  return std::ranges::adjacent_find(what.counts, std::ranges::not_equal_to{}) == what.counts.end();
}

std::uint64_t number(const Collective& what, Subject subject) {
  switch (subject) {
    case Subject::ranks:
      return static_cast<std::uint64_t>(what.ranks);
    case Subject::count:
      return what.counts.front();
    case Subject::average_size:
      return average_size(what);
    case Subject::total_size:
      return total_count(what) * what.unit.value;
    case Subject::is_commutative:
      return what.is_commutative;
    case Subject::is_built_in:
      return what.is_built_in;
    case Subject::is_in_place:
      return what.is_in_place;
    case Subject::is_regular:
      break;
  }
  return is_regular(what);
}

std::uint64_t power_of(const Collective& what) {
  return static_cast<std::uint64_t>(floor_power(what.ranks));
}

bool fits(const Collective& what, const Rule& rule) {
  switch (rule.test) {
    case Test::always:
      return true;
    case Test::never:
      return false;
    case Test::equals:
      return number(what, rule.subject) == rule.limit;
    case Test::below:
      return number(what, rule.subject) < rule.limit;
    case Test::up_to:
      return number(what, rule.subject) <= rule.limit;
    case Test::below_power:
      return number(what, rule.subject) < power_of(what);
    case Test::up_to_power:
      return number(what, rule.subject) <= power_of(what);
    case Test::is_power:
      break;
  }
  return is_power_of_two(what.ranks);
}

/// The sizes from which on a rule may say otherwise.
void add_changes(const Node& node, const Collective& what, std::set<std::uint64_t>& sizes) {
  const auto ranks = static_cast<std::uint64_t>(what.ranks);
  for (const Branch& branch : node.branches) {
    const auto& [test, subject, limit] = branch.rule;
    if (subject == Subject::count) {
      sizes.insert({limit, limit + 1});
      sizes.insert({power_of(what), power_of(what) + 1});
    }
    if (subject == Subject::average_size) sizes.insert({limit, limit + 1});
    if (subject == Subject::total_size) sizes.insert({limit / ranks, limit / ranks + 1});
    add_changes(branch.then, what, sizes);
  }
}

}  // namespace

DecisionTree::DecisionTree(const char* json, const Meaning& meaning) {
  const Json tree = Json::parse(json);
  for (const Operation operation : all_operations()) {
    const auto found = tree.find("collective=" + to_text(operation));
    if (found == tree.end()) continue;
    const auto meaning_here = [&](const std::string& name) { return meaning(operation, name); };
    roots_.emplace(operation, node_of(*found, meaning_here, false));
  }
}

const Node& DecisionTree::leaf(const Collective& what) const {
  const Node* node = &roots_.at(what.operation);
  while (!node->branches.empty()) {
    const auto found = std::ranges::find_if(
        node->branches, [&](const Branch& branch) { return fits(what, branch.rule); });
    assert(found != node->branches.end());
    node = &found->then;
  }
  return *node;
}

Algorithm DecisionTree::algorithm_for(const Collective& what) const { return leaf(what).algorithm; }

std::vector<OwnChoice> DecisionTree::by_size(Collective what) const {
  std::set<std::uint64_t> sizes{0};
  add_changes(roots_.at(what.operation), what, sizes);
  std::vector<OwnChoice> choices;
  for (const std::uint64_t size : sizes) {
    what.counts = {size};
    const std::string& name = leaf(what).name;
    if (choices.empty() || choices.back().name != name) choices.push_back({Bytes{size}, name});
  }
  return choices;
}

}  // namespace commgauge::schedule
