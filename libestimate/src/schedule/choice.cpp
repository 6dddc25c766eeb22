#include "commgauge/schedule/choice.hpp"

#include <algorithm>
#include <sstream>

#include "commgauge/base/error.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/schedule/libraries.hpp"

namespace commgauge::schedule {

namespace {

Algorithm trees(Operation operation) {
  switch (operation) {
    case Operation::barrier:
      return Algorithm::dissemination;
    case Operation::gatherv:
    case Operation::scatterv:
      return Algorithm::flat;
    case Operation::allreduce:
      return Algorithm::reduce_bcast;
    case Operation::allgather:
    case Operation::allgatherv:
      return Algorithm::ring;
    case Operation::alltoall:
    case Operation::alltoallv:
      return Algorithm::shift;
    case Operation::scan:
    case Operation::exscan:
      return Algorithm::linear;
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return Algorithm::reduce_scatterv;
    default:
      return Algorithm::binomial;
  }
}

Algorithm flat_or_none(Operation operation) {
  const bool is_scan = operation == Operation::scan || operation == Operation::exscan;
  return is_scan ? Algorithm::linear : Algorithm::flat;
}

const std::vector<std::string> deciders{"mpich", "ompi", "trees", "flat"};

template <class Words>
auto find_word(const Words& words, const std::string& word) {
  return std::ranges::find_if(words, [&](const auto& one) { return to_text(one) == word; });
}

template <class Words>
std::vector<std::string> to_words(const Words& words) {
  std::vector<std::string> result;
  for (const auto& one : words) result.push_back(to_text(one));
  return result;
}

/// @param text  OPERATION=ALGORITHM
void add_named(Choice& choice, const std::string& text) {
  const std::size_t sign = text.find('=');
  const std::string word = text.substr(0, sign);
  const auto operation = find_word(all_operations(), word);
  if (operation == all_operations().end()) {
    throw InputError("no collective operation is called '" + word + "': take " +
                     one_of(to_words(all_operations())));
  }
  const std::vector<Algorithm> algorithms = algorithms_of(*operation);
  const auto algorithm = find_word(algorithms, text.substr(sign + 1));
  if (algorithm == algorithms.end()) {
    throw InputError("no algorithm of " + word + " is called '" + text.substr(sign + 1) +
                     "': take " + one_of(to_words(algorithms)));
  }
  if (!choice.named.emplace(*operation, *algorithm).second) {
    throw InputError(word + " has two algorithms (" + text + " is the second): give it one");
  }
}

}  // namespace

Choice choice_from(const std::string& text) {
  Choice choice;
  std::istringstream words{text};
  std::string word;
  for (bool is_first = true; std::getline(words, word, ','); is_first = false) {
    if (word.find('=') != std::string::npos) {
      add_named(choice, word);
      continue;
    }
    const auto found = std::ranges::find(deciders, word);
    if (!is_first || found == deciders.end()) {
      throw InputError("'" + word + "' says nothing of collective operations: take " +
                       one_of(deciders) + ", then OPERATION=ALGORITHM, with commas between");
    }
    choice.by = static_cast<Deciders>(found - deciders.begin());
  }
  return choice;
}

Algorithm algorithm_for(const Choice& choice, const Collective& what) {
  const auto named = choice.named.find(what.operation);
  if (named != choice.named.end() && is_possible(what, named->second)) return named->second;
  switch (choice.by) {
    case Deciders::mpich:
      return mpich_algorithm(what);
    case Deciders::ompi:
      return ompi_algorithm(what);
    case Deciders::trees:
      return trees(what.operation);
    case Deciders::flat:
      break;
  }
  return flat_or_none(what.operation);
}

}  // namespace commgauge::schedule
