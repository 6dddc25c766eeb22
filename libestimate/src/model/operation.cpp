#include "commgauge/model/operation.hpp"

#include "commgauge/base/error.hpp"
#include "commgauge/base/printable.hpp"

namespace commgauge {

std::string to_text(Operation operation) {
  switch (operation) {
    case Operation::p2p:
      return "p2p";
    case Operation::scatter:
      return "scatter";
    case Operation::gather:
      return "gather";
    case Operation::bcast:
      return "bcast";
    case Operation::barrier:
      return "barrier";
    case Operation::reduce:
      return "reduce";
    case Operation::allreduce:
      return "allreduce";
    case Operation::gatherv:
      return "gatherv";
    case Operation::scatterv:
      return "scatterv";
    case Operation::allgather:
      return "allgather";
    case Operation::allgatherv:
      return "allgatherv";
    case Operation::alltoall:
      return "alltoall";
    case Operation::alltoallv:
      return "alltoallv";
    case Operation::scan:
      return "scan";
    case Operation::exscan:
      return "exscan";
    case Operation::reduce_scatter:
      return "reduce_scatter";
    case Operation::reduce_scatter_block:
      return "reduce_scatter_block";
    case Operation::exchange:
      return "exchange";
    case Operation::ring:
      return "ring";
  }
  return {};
}

std::string to_text(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::none:
      return "none";
    case Algorithm::flat:
      return "flat";
    case Algorithm::at_once:
      return "at-once";
    case Algorithm::binomial:
      return "binomial";
    case Algorithm::ring:
      return "ring";
    case Algorithm::ring_in_chunks:
      return "ring-in-chunks";
    case Algorithm::dissemination:
      return "dissemination";
    case Algorithm::recursive_doubling:
      return "recursive-doubling";
    case Algorithm::recursive_halving:
      return "recursive-halving";
    case Algorithm::bruck:
      return "bruck";
    case Algorithm::scatter_recursive_doubling:
      return "scatter-recursive-doubling";
    case Algorithm::scatter_ring:
      return "scatter-ring";
    case Algorithm::reduce_scatter_allgather:
      return "reduce-scatter-allgather";
    case Algorithm::reduce_scatter_gather:
      return "reduce-scatter-gather";
    case Algorithm::reduce_bcast:
      return "reduce-bcast";
    case Algorithm::reduce_scatterv:
      return "reduce-scatterv";
    case Algorithm::butterfly:
      return "butterfly";
    case Algorithm::pairwise:
      return "pairwise";
    case Algorithm::shift:
      return "shift";
    case Algorithm::scattered:
      return "scattered";
    case Algorithm::in_order:
      return "in-order";
    case Algorithm::linear:
      return "linear";
  }
  return {};
}

bool is_collective(Operation operation) {
  return operation != Operation::p2p && !is_meeting(operation);
}

bool is_meeting(Operation operation) {
  return operation == Operation::exchange || operation == Operation::ring;
}

Operation parse_operation(std::string_view text) {
  std::string known;
  for (const Operation one : measured_operations) {
    if (to_text(one) == text) return one;
    known += (known.empty() ? "" : ", ") + to_text(one);
  }
  throw InputError("unknown operation '" + one_line(std::string(text)) + "' (known: " + known +
                   "): give one of them");
}

Algorithm parse_algorithm(std::string_view text) {
  for (const Algorithm algorithm : {Algorithm::flat, Algorithm::binomial}) {
    if (to_text(algorithm) == text) return algorithm;
  }
  throw InputError("unknown algorithm '" + one_line(std::string(text)) +
                   "' (known: flat, binomial): give one of them");
}

}  // namespace commgauge
