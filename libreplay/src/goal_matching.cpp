#include "goal_matching.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace commgauge::replay::detail {

using trace::goal_any;

GoalMatching::GoalMatching(Graph& graph) : graph_{graph}, table_(1024) {
  if (!graph.has_wildcards) return;
  arrived_.resize(graph.first.size() - 1);
  order_.resize(graph.nodes.size());
}

Index GoalMatching::arrive(Index message) {
  const Node& send = graph_.nodes[message];
  if (graph_.has_wildcards) {
    const Index receive = take_receive(send);
    if (receive != no_index) return receive;
    arrived_[send.operation.peer].push_back(message);
  }
  const Key key = key_of_message(send);
  const std::size_t place = find(key);
  const Index waiting = table_[place].head;
  const bool is_receive =
      waiting != no_index &&
      graph_.nodes[waiting].operation.kind == trace::GoalOperation::Kind::receive;
  if (is_receive) return take(place);
  append(place, key, message);
  return no_index;
}

Index GoalMatching::post(Index receive) {
  const Node& node = graph_.nodes[receive];
  const Key key = key_of(node.rank, node.operation.peer, node.operation.tag);
  if (graph_.has_wildcards) {
    const Index message = take_message(node);
    if (message != no_index) return message;
    order_[receive] = posted_++;
  }
  const std::size_t place = find(key);
  const Index waiting = table_[place].head;
  const bool is_message = waiting != no_index &&
                          graph_.nodes[waiting].operation.kind == trace::GoalOperation::Kind::send;
  if (is_message) return take(place);
  append(place, key, receive);
  return no_index;
}

/// Of all receives that fit the one that was posted first.
Index GoalMatching::take_receive(const Node& send) {
  const std::uint32_t receiver = send.operation.peer;
  const std::uint32_t tag = send.operation.tag;
  const std::array keys{key_of(receiver, send.rank, tag), key_of(receiver, goal_any, tag),
                        key_of(receiver, send.rank, goal_any),
                        key_of(receiver, goal_any, goal_any)};
  std::size_t best = table_.size();
  for (const Key& key : keys) {
    const std::size_t place = find(key);
    const Index head = table_[place].head;
    if (head == no_index || graph_.nodes[head].operation.kind == trace::GoalOperation::Kind::send)
      continue;
    if (best == table_.size() || order_[head] < order_[table_[best].head]) best = place;
  }
  return best == table_.size() ? no_index : take(best);
}

/// Of all messages that fit the one that came first.
Index GoalMatching::take_message(const Node& receive) {
  std::vector<Index>& arrived = arrived_[receive.rank];
  const auto found = std::find_if(arrived.begin(), arrived.end(), [&](Index message) {
    return fits(receive, graph_.nodes[message]);
  });
  if (found == arrived.end()) return no_index;
  const Index message = *found;
  arrived.erase(found);
  // It is the first of its queue: the others came later.
  return take(find(key_of_message(graph_.nodes[message])));
}

bool GoalMatching::fits(const Node& receive, const Node& send) const {
  const auto& wanted = receive.operation;
  return (wanted.peer == goal_any || wanted.peer == send.rank) &&
         (wanted.tag == goal_any || wanted.tag == send.operation.tag);
}

Index GoalMatching::a_waiting_message() const {
  for (const Queue& queue : table_)
    if (queue.head != no_index &&
        graph_.nodes[queue.head].operation.kind == trace::GoalOperation::Kind::send)
      return queue.head;
  return no_index;
}

std::size_t GoalMatching::home(const Key& key) const {
  std::uint64_t hash = (key.ranks ^ std::uint64_t{key.tag} << 20U) * 0x9E3779B97F4A7C15U;
  hash ^= hash >> 32U;
  hash *= 0xD6E8FEB86659FD93U;
  return (hash >> 32U) & (table_.size() - 1);
}

/// The key's queue, or where it would be.
std::size_t GoalMatching::find(const Key& key) const {
  std::size_t place = home(key);
  while (table_[place].head != no_index && table_[place].key != key)
    place = (place + 1) & (table_.size() - 1);
  return place;
}

Index GoalMatching::take(std::size_t place) {
  Queue& queue = table_[place];
  const Index taken = queue.head;
  queue.head = std::exchange(graph_.nodes[taken].next, no_index);
  if (queue.head == no_index) erase(place);
  return taken;
}

void GoalMatching::append(std::size_t place, const Key& key, Index operation) {
  Queue& queue = table_[place];
  if (queue.head != no_index) {
    graph_.nodes[queue.tail].next = operation;
    queue.tail = operation;
    return;
  }
  queue = {key, operation, operation};
  if (4 * ++used_ > 3 * table_.size()) grow();
}

/// Moves up those behind it that would no longer be found.
void GoalMatching::erase(std::size_t place) {
  --used_;
  const std::size_t mask = table_.size() - 1;
  for (std::size_t other = (place + 1) & mask; table_[other].head != no_index;
       other = (other + 1) & mask) {
    if (((other - home(table_[other].key)) & mask) < ((other - place) & mask)) continue;
    table_[place] = table_[other];
    place = other;
  }
  table_[place].head = no_index;
}

void GoalMatching::grow() {
  std::vector<Queue> old(2 * table_.size());
  old.swap(table_);
  for (const Queue& queue : old)
    if (queue.head != no_index) table_[find(queue.key)] = queue;
}

}  // namespace commgauge::replay::detail
