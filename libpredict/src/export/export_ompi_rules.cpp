#include "commgauge/schedule/libraries.hpp"
#include "export/collective_choice.hpp"
#include "export/exporters.hpp"

namespace commgauge {

namespace {

/// Its flat scatter and gather send one message after the other, its flat broadcast all at once.
RuledLibrary open_mpi() {
  return {
      "Open MPI",
      {Algorithm::flat, Algorithm::flat, Algorithm::at_once},
      {"basic_linear", "binomial"},
      [](const Model&, const schedule::Collective& what) { return schedule::ompi_by_size(what); }};
}

/// Numbers of coll/tuned, version 4. 0: what it chooses itself.
struct Codes {
  int collective;
  int flat;
  int binomial;
  [[nodiscard]] int of(std::optional<Algorithm> algorithm) const {
    if (!algorithm) return 0;
    return algorithm == Algorithm::flat ? flat : binomial;
  }
};

Codes codes_of(Operation operation) {
  if (operation == Operation::scatter) return {15, 1, 2};
  if (operation == Operation::gather) return {9, 1, 2};
  return {7, 1, 6};
}

std::string rule(std::uint64_t size, int algorithm) {
  return std::to_string(size) + " " + std::to_string(algorithm) +
         " 0 0  # from this size on: algorithm, fanout, segment\n";
}

std::string rules_of(const Model& model, const CollectiveChoice& choice) {
  const Codes codes = codes_of(choice.operation);
  const std::uint64_t factor = size_factor(model, choice.operation);
  std::string rules;
  int count = 0;
  int before = -1;
  const auto add = [&](std::uint64_t size, int algorithm) {
    if (algorithm == before) return;
    rules += rule(size * factor, algorithm);
    ++count;
    before = algorithm;
  };
  if (choice.ranges.front().first.value > 0) add(0, 0);
  for (const SizeRange& range : choice.ranges) add(range.first.value, codes.of(range.algorithm));
  add(choice.ranges.back().last.value + 1, 0);
  return std::to_string(codes.collective) + "  # " + std::string(to_text(choice.operation)) +
         "\n2  # sizes of communicators\n" + std::to_string(model.ranks) + "  # ranks\n" +
         std::to_string(count) + "  # rules\n" + rules + std::to_string(model.ranks + 1) +
         "  # ranks or more: its own choice\n1\n" + rule(0, 0);
}

}  // namespace

Exported export_ompi_rules(const Model& model, const std::string& name) {
  const RuledLibrary library = open_mpi();
  const auto choices = choose_collectives(model, name, library);
  Exported result;
  result.model = name;
  result.text = std::to_string(choices.size()) + "  # collectives\n";
  for (const CollectiveChoice& choice : choices) result.text += rules_of(model, choice);
  result.worst_error = worst_excess(choices);
  result.losses = losses_of(model, choices, library);
  result.losses.emplace_back(
      "the tree of Open MPI's broadcast has other ranks' places than the one predicted, MPICH's: "
      "the same where ranks are alike");
  result.usage = {
      "use it with --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename "
      "FILE"};
  // Every rank looks its own rule up, by arguments that MPI lets it leave open.
  result.usage.emplace_back(
      "WRONG DATA are possible in Open MPI 4 with any rules that change with the size: a scatter "
      "must have the root's sendcount and sendtype on every rank, a gather no MPI_IN_PLACE");
  return result;
}

}  // namespace commgauge
