#include "commgauge/schedule/libraries.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <span>
#include <string>
#include <string_view>

#include "commgauge/schedule/decision_tree.hpp"
#include "commgauge/schedule/selection.hpp"

namespace commgauge::schedule {

namespace {

bool has_data(const Collective& what) {
  return std::ranges::any_of(what.counts, [](std::uint64_t count) { return count > 0; });
}

struct Named {
  const char* name;  ///< the library's, of MPICH's without the operation's
  Algorithm algorithm;
  [[nodiscard]] std::string_view view() const { return name; }
};

constexpr std::array mpich_names{
    Named{"binomial", Algorithm::binomial},
    Named{"brucks", Algorithm::bruck},
    Named{"dissemination", Algorithm::dissemination},
    Named{"linear", Algorithm::at_once},
    Named{"noncommutative", Algorithm::butterfly},
    Named{"pairwise", Algorithm::pairwise},
    Named{"pairwise_sendrecv_replace", Algorithm::in_order},
    Named{"recursive_doubling", Algorithm::recursive_doubling},
    Named{"recursive_halving", Algorithm::recursive_halving},
    Named{"reduce_scatter_allgather", Algorithm::reduce_scatter_allgather},
    Named{"reduce_scatter_gather", Algorithm::reduce_scatter_gather},
    Named{"ring", Algorithm::ring},
    Named{"scatter_recursive_doubling_allgather", Algorithm::scatter_recursive_doubling},
    Named{"scatter_ring_allgather", Algorithm::scatter_ring},
    Named{"scattered", Algorithm::scattered},
};

/// What isn't here is carried out by what comes nearest: see docs/method.md.
constexpr std::array ompi_names{
    Named{"basic_linear", Algorithm::flat},
    Named{"linear", Algorithm::flat},
    Named{"linear_sync", Algorithm::flat},
    Named{"default", Algorithm::flat},
    Named{"linear_nb", Algorithm::at_once},
    Named{"binomial", Algorithm::binomial},
    Named{"chain", Algorithm::binomial},
    Named{"pipeline", Algorithm::binomial},
    Named{"binary", Algorithm::binomial},
    Named{"binary_tree", Algorithm::binomial},
    Named{"split_binary_tree", Algorithm::binomial},
    Named{"in-order_binary", Algorithm::binomial},
    Named{"knomial", Algorithm::binomial},
    Named{"bruck", Algorithm::bruck},
    Named{"modified_bruck", Algorithm::bruck},
    Named{"ring", Algorithm::ring},
    Named{"neighbor", Algorithm::ring},
    Named{"pairwise", Algorithm::shift},
    Named{"two_proc", Algorithm::shift},
    Named{"recursive_doubling", Algorithm::recursive_doubling},
    Named{"recursive_halving", Algorithm::recursive_halving},
    Named{"butterfly", Algorithm::recursive_doubling},
    Named{"scatter_allgather", Algorithm::scatter_recursive_doubling},
    Named{"scatter_allgather_ring", Algorithm::scatter_ring},
    Named{"non-overlapping", Algorithm::reduce_scatterv},
    Named{"nonoverlapping", Algorithm::reduce_bcast},
    Named{"segmented_ring", Algorithm::ring},
};

/// What stands in for an algorithm that isn't there for the operation, or not for such a call.
Algorithm stand_in(Operation operation) {
  switch (operation) {
    case Operation::barrier:
      return Algorithm::dissemination;
    case Operation::bcast:
      return Algorithm::scatter_ring;
    case Operation::reduce:
      return Algorithm::binomial;
    case Operation::allreduce:
      return Algorithm::recursive_doubling;
    case Operation::allgather:
    case Operation::allgatherv:
      return Algorithm::ring;
    case Operation::scan:
    case Operation::exscan:
      return Algorithm::linear;
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return Algorithm::reduce_scatterv;
    default:
      return Algorithm::flat;
  }
}

Algorithm find(std::span<const Named> names, const std::string& name) {
  const auto found =
      std::ranges::find_if(names, [&](const Named& one) { return one.name == name; });
  assert(found != names.end());
  return found->algorithm;
}

/// Without data MPICH returns at once, but for two algorithms, as its messages show.
bool sends_nothing(const Collective& what, Algorithm algorithm) {
  // Who has none may be a matter of the rank.
  constexpr std::array others{Operation::barrier, Operation::gatherv, Operation::scatterv,
                              Operation::alltoallv};
  if (std::ranges::find(others, what.operation) != others.end() || has_data(what)) return false;
  return !(what.operation == Operation::allreduce && !what.is_commutative) &&
         !(what.operation == Operation::reduce_scatter && algorithm == Algorithm::butterfly);
}

/// Without the operation's. @param name  MPIR_Bcast_intra_binomial
std::string word_of(const std::string& name) {
  for (const std::string kind : {"_intra_", "_allcomm_"}) {
    const std::size_t at = name.find(kind);
    if (at != std::string::npos) return name.substr(at + kind.size());
  }
  assert(false);
  return name;
}

Algorithm mpichs_by_name(Operation operation, const std::string& name) {
  const std::string word = word_of(name);
  if (word == "smp") return Algorithm::none;  // of no data only
  const Algorithm algorithm = find(mpich_names, word);
  const bool in_chunks = algorithm == Algorithm::ring && operation == Operation::allgatherv;
  return in_chunks ? Algorithm::ring_in_chunks : algorithm;
}

/// None: it isn't there.
Algorithm ompis_by_name(Operation operation, const std::string& name) {
  if (name == "rabenseifner") {
    return operation == Operation::reduce ? Algorithm::reduce_scatter_gather
                                          : Algorithm::reduce_scatter_allgather;
  }
  const auto found = std::ranges::find(ompi_names, name, &Named::view);
  return found != ompi_names.end() ? found->algorithm : Algorithm::none;
}

const DecisionTree& mpichs() {
  static const DecisionTree tree{mpich_selection, mpichs_by_name};
  return tree;
}

const DecisionTree& ompis() {
  static const DecisionTree tree{ompi_selection, ompis_by_name};
  return tree;
}

}  // namespace

Algorithm mpich_algorithm(const Collective& what) {
  const Algorithm algorithm = mpichs().algorithm_for(what);
  return sends_nothing(what, algorithm) ? Algorithm::none : algorithm;
}

std::vector<OwnChoice> mpich_by_size(const Collective& what) {
  std::vector<OwnChoice> choices = mpichs().by_size(what);
  for (OwnChoice& choice : choices) choice.name = word_of(choice.name);
  return choices;
}

Algorithm ompi_algorithm(const Collective& what) {
  const Algorithm meant = ompis().algorithm_for(what);
  const bool is_there = meant != Algorithm::none && is_possible(what, meant);
  return is_there ? meant : stand_in(what.operation);
}

std::vector<OwnChoice> ompi_by_size(const Collective& what) { return ompis().by_size(what); }

}  // namespace commgauge::schedule
