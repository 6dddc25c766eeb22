#include "write/communicators.hpp"

#include <algorithm>

namespace commgauge::trace {

Places::Places(const std::vector<std::int32_t>& ranks) {
  const auto size = static_cast<std::int32_t>(ranks.size());
  in_order_ = 0;
  while (in_order_ < size && ranks[static_cast<std::size_t>(in_order_)] == in_order_) ++in_order_;
  for (auto place = in_order_; place < size; ++place) {
    others_.emplace_back(ranks[static_cast<std::size_t>(place)], place);
  }
  std::ranges::sort(others_);
}

std::int32_t Places::of(std::int32_t rank) const {
  if (rank >= 0 && rank < in_order_) return rank;
  const auto found =
      std::ranges::lower_bound(others_, rank, {}, [](auto& one) { return one.first; });
  return found != others_.end() && found->first == rank ? found->second : -1;
}

Members::Members(const Communicator& communicator)
    : members_{communicator.members},
      others_{communicator.others},
      size_{static_cast<int>(communicator.members.size())},
      is_inter_{!communicator.others.empty()},
      is_window_{communicator.is_window} {}

std::int32_t Members::own_place(std::int32_t rank) const {
  const auto place = members_.of(rank);
  return place >= 0 ? place : others_.of(rank);
}

std::int32_t Members::place_of(std::int32_t peer, std::int32_t rank) const {
  if (!is_inter_) return members_.of(peer);
  return members_.of(rank) >= 0 ? others_.of(peer) : members_.of(peer);
}

}  // namespace commgauge::trace
