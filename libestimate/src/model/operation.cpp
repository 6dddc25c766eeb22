#include "commgauge/model/operation.hpp"

#include <array>

#include "commgauge/base/error.hpp"
#include "commgauge/base/printable.hpp"

namespace commgauge {

std::string to_text(Operation operation) {
  static const std::array<std::string, operation_count> words{"p2p",
                                                              "scatter",
                                                              "gather",
                                                              "bcast",
                                                              "barrier",
                                                              "reduce",
                                                              "allreduce",
                                                              "gatherv",
                                                              "scatterv",
                                                              "allgather",
                                                              "allgatherv",
                                                              "alltoall",
                                                              "alltoallv",
                                                              "scan",
                                                              "exscan",
                                                              "reduce_scatter",
                                                              "reduce_scatter_block"};
  return words.at(static_cast<std::size_t>(operation));
}

std::string to_text(Algorithm algorithm) {
  static const std::array<std::string, 22> words{"none",
                                                 "flat",
                                                 "at-once",
                                                 "binomial",
                                                 "ring",
                                                 "ring-in-chunks",
                                                 "dissemination",
                                                 "recursive-doubling",
                                                 "recursive-halving",
                                                 "bruck",
                                                 "scatter-recursive-doubling",
                                                 "scatter-ring",
                                                 "reduce-scatter-allgather",
                                                 "reduce-scatter-gather",
                                                 "reduce-bcast",
                                                 "reduce-scatterv",
                                                 "butterfly",
                                                 "pairwise",
                                                 "shift",
                                                 "scattered",
                                                 "in-order",
                                                 "linear"};
  return words.at(static_cast<std::size_t>(algorithm));
}

Operation parse_operation(std::string_view text) {
  for (const Operation one :
       {Operation::p2p, Operation::scatter, Operation::gather, Operation::bcast}) {
    if (to_text(one) == text) return one;
  }
  throw InputError("unknown operation '" + one_line(std::string(text)) +
                   "' (known: p2p, scatter, gather, bcast): give one of them");
}

Algorithm parse_algorithm(std::string_view text) {
  for (const Algorithm algorithm : {Algorithm::flat, Algorithm::binomial}) {
    if (to_text(algorithm) == text) return algorithm;
  }
  throw InputError("unknown algorithm '" + one_line(std::string(text)) +
                   "' (known: flat, binomial): give one of them");
}

}  // namespace commgauge
