#include "goal/goal_matching.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace commgauge::replay::detail {

using trace::goal_any;
using Kind = trace::GoalOperation::Kind;

std::size_t WaitingTable::home(const Key& key) const {
  const std::uint64_t both = std::uint64_t{key.tag} << 32U | key.sender;
  const std::uint64_t hash = (both ^ both >> 29U) * 0x9E3779B97F4A7C15U;
  return (hash >> 32U) & (places_.size() - 1);
}

std::size_t WaitingTable::find(const Key& key) const {
  std::size_t place = home(key);
  while (places_[place].head != no_index && places_[place].key != key) place = after(place);
  return place;
}

Index WaitingTable::take(std::size_t place, std::vector<Node>& nodes) {
  Queue& queue = places_[place];
  const Index taken = queue.head;
  queue.head = std::exchange(nodes[taken].next, no_index);
  if (queue.head == no_index) erase(place);
  return taken;
}

void WaitingTable::append(std::size_t place, const Key& key, Index operation,
                          std::vector<Node>& nodes) {
  Queue& queue = places_[place];
  if (queue.head != no_index) {
    nodes[queue.tail].next = operation;
    queue.tail = operation;
    return;
  }
  queue = {key, operation, operation};
  if (4 * ++used_ > 3 * places_.size()) grow();
}

/// Moves up those behind it that would no longer be found.
void WaitingTable::erase(std::size_t place) {
  --used_;
  const std::size_t mask = places_.size() - 1;
  for (std::size_t other = after(place); places_[other].head != no_index; other = after(other)) {
    if (((other - home(places_[other].key)) & mask) < ((other - place) & mask)) continue;
    places_[place] = places_[other];
    place = other;
  }
  places_[place].head = no_index;
}

void WaitingTable::grow() {
  std::vector<Queue> old(2 * places_.size());
  old.swap(places_);
  for (const Queue& queue : old)
    if (queue.head != no_index) places_[find(queue.key)] = queue;
}

GoalMatching::GoalMatching(Graph& graph) : graph_{graph}, tables_(graph.first.size() - 1) {
  if (!graph.has_wildcards) return;
  arrived_.resize(tables_.size());
  order_.resize(graph.nodes.size());
}

Index GoalMatching::arrive(Index message) {
  const Node& send = graph_.nodes[message];
  const std::uint32_t receiver = send.operation.peer;
  if (graph_.has_wildcards) {
    if (const Index receive = take_receive(send); receive != no_index) return receive;
    arrived_[receiver].push_back(message);
  }
  const Key key{send.rank, send.operation.tag};
  WaitingTable& table = tables_[receiver];
  const std::size_t place = table.find(key);
  if (waits(table.head(place), Kind::receive)) return table.take(place, graph_.nodes);
  table.append(place, key, message, graph_.nodes);
  return no_index;
}

Index GoalMatching::post(Index receive) {
  const Node& node = graph_.nodes[receive];
  if (graph_.has_wildcards) {
    if (const Index message = take_message(node); message != no_index) return message;
    order_[receive] = posted_++;
  }
  const Key key{node.operation.peer, node.operation.tag};
  WaitingTable& table = tables_[node.rank];
  const std::size_t place = table.find(key);
  if (waits(table.head(place), Kind::send)) return table.take(place, graph_.nodes);
  table.append(place, key, receive, graph_.nodes);
  return no_index;
}

/// Of all receives that fit the one that was posted first.
Index GoalMatching::take_receive(const Node& send) {
  const std::uint32_t tag = send.operation.tag;
  const std::array keys{Key{send.rank, tag}, Key{goal_any, tag}, Key{send.rank, goal_any},
                        Key{goal_any, goal_any}};
  WaitingTable& table = tables_[send.operation.peer];
  const Key* first = nullptr;
  std::uint32_t order{};
  for (const Key& key : keys) {
    const Index head = table.head(table.find(key));
    if (!waits(head, Kind::receive) || (first != nullptr && order_[head] > order)) continue;
    first = &key;
    order = order_[head];
  }
  return first == nullptr ? no_index : table.take(table.find(*first), graph_.nodes);
}

/// Of all messages that fit the one that came first.
Index GoalMatching::take_message(const Node& receive) {
  std::vector<Index>& arrived = arrived_[receive.rank];
  const auto found = std::find_if(arrived.begin(), arrived.end(), [&](Index message) {
    return fits(receive, graph_.nodes[message]);
  });
  if (found == arrived.end()) return no_index;
  const Node& send = graph_.nodes[*found];
  arrived.erase(found);
  // It is the first of its queue: the others came later.
  WaitingTable& table = tables_[receive.rank];
  return table.take(table.find({send.rank, send.operation.tag}), graph_.nodes);
}

bool GoalMatching::fits(const Node& receive, const Node& send) const {
  const auto& wanted = receive.operation;
  return (wanted.peer == goal_any || wanted.peer == send.rank) &&
         (wanted.tag == goal_any || wanted.tag == send.operation.tag);
}

Index GoalMatching::a_waiting_message() const {
  for (const WaitingTable& table : tables_)
    for (const auto& queue : table.places())
      if (waits(queue.head, Kind::send)) return queue.head;
  return no_index;
}

}  // namespace commgauge::replay::detail
