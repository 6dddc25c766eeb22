#include "commgauge/predict/query.hpp"

namespace commgauge {

std::string_view to_text(Side side) { return side == Side::sender ? "sender" : "receiver"; }

schedule::Collective collective_of(const Query& query, int ranks) {
  schedule::Collective what;
  what.operation = query.operation;
  what.ranks = ranks;
  what.root = query.from;
  what.counts = {query.size.value};
  what.order = query.order;
  return what;
}

}  // namespace commgauge
