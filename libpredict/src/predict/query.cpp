#include "commgauge/predict/query.hpp"

#include "commgauge/measurements/experiment.hpp"

namespace commgauge {

std::string_view to_text(Side side) { return side == Side::sender ? "sender" : "receiver"; }

namespace {

int next_of(const Query& query, int ranks) {
  return query.to < 0 ? (query.from + 1) % ranks : query.to;
}

}  // namespace

schedule::Collective collective_of(const Query& query, int ranks) {
  schedule::Collective what;
  what.operation = query.operation;
  what.ranks = ranks;
  what.root = query.from;
  what.counts = {query.size.value};
  what.order = query.order;
  if (query.operation == Operation::exchange) what.order = {query.to};
  if (query.operation == Operation::ring)
    what.order = ring_order(ranks, query.from, next_of(query, ranks));
  return what;
}

}  // namespace commgauge
