#include "commgauge/measurements/experiment.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <numeric>

namespace commgauge {
namespace {

/// Indexed by Kind.
constexpr std::array<std::string_view, 19> kind_names{
    "round_trip",
    "one_to_k",
    "one_to_k_concurrent",
    "k_to_one",
    "k_to_one_concurrent",
    "scatter",
    "gather",
    "send_overhead",
    "receive_overhead",
    "receive_overhead_progress",
    "flood",
    "bcast",
    "scatter_binomial",
    "gather_binomial",
    "bcast_binomial",
    "pairs_at_once",
    "first_of_messages",
    "messages_at_once",
    "ring",
};

}  // namespace

std::string_view to_text(Kind kind) { return kind_names.at(static_cast<std::size_t>(kind)); }

std::optional<Kind> parse_kind(std::string_view text) {
  for (std::size_t i = 0; i < kind_names.size(); ++i) {
    if (kind_names[i] == text) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

bool is_overhead(Kind kind) {
  return kind == Kind::send_overhead || kind == Kind::receive_overhead ||
         kind == Kind::receive_overhead_progress;
}

bool sends_several(Kind kind) { return kind == Kind::flood || times_a_meeting(kind); }

bool times_a_meeting(Kind kind) {
  return kind == Kind::first_of_messages || kind == Kind::messages_at_once;
}

bool ends_at_root(Kind kind) { return kind == Kind::gather || kind == Kind::gather_binomial; }

bool is_collective(Kind kind) {
  return ends_at_root(kind) || kind == Kind::scatter || kind == Kind::scatter_binomial ||
         kind == Kind::bcast || kind == Kind::bcast_binomial || kind == Kind::ring;
}

Experiment round_trip(int root, int peer, Bytes out, Bytes back) {
  return {Kind::round_trip, root, {peer}, {peer}, out, back, false};
}

Experiment one_to_two(int root, int fast, int slow, Bytes out) {
  return {Kind::one_to_k, root, {fast, slow}, {fast, slow}, out, Bytes{0}, false};
}

Experiment send_overhead(int root, int peer, Bytes size) {
  return {Kind::send_overhead, root, {peer}, {peer}, size, Bytes{0}, false};
}

Experiment receive_overhead(int root, int peer, Bytes size, bool progress) {
  const Kind kind = progress ? Kind::receive_overhead_progress : Kind::receive_overhead;
  return {kind, root, {peer}, {peer}, Bytes{0}, size, false};
}

Experiment pairs_at_once(const std::vector<int>& senders, const std::vector<int>& receivers,
                         Bytes size) {
  std::vector<int> peers{receivers.front()};
  for (std::size_t k = 1; k < senders.size(); ++k) {
    peers.push_back(senders[k]);
    peers.push_back(receivers[k]);
  }
  return {Kind::pairs_at_once, senders.front(), peers, peers, size, Bytes{0}, false};
}

std::vector<std::pair<int, int>> pairs_of(const Experiment& at_once) {
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t k = 0; k < at_once.peers.size(); k += 2) {
    pairs.emplace_back(k == 0 ? at_once.root : at_once.peers[k - 1], at_once.peers[k]);
  }
  return pairs;
}

Experiment first_of_messages(int from, int to, int messages, Bytes size) {
  return {Kind::first_of_messages, to, {from}, {from}, Bytes{0}, size, false, messages};
}

Experiment messages_at_once(int from, int to, int messages, Bytes size) {
  return {Kind::messages_at_once, to, {from}, {from}, Bytes{0}, size, false, messages};
}

Experiment meeting_of_senders(Kind kind, const std::vector<int>& senders, int root, Bytes size) {
  return {kind, root, senders, senders, Bytes{0}, size, false};
}

Experiment meeting_of_receivers(Kind kind, int root, const std::vector<int>& receivers,
                                Bytes size) {
  return {kind, root, receivers, receivers, size, Bytes{0}, false};
}

Experiment exchange(int root, int peer, Bytes size) { return ring(root, {peer}, size); }

Experiment ring(int root, const std::vector<int>& order, Bytes size) {
  return {Kind::ring, root, order, order, size, Bytes{0}, false};
}

std::vector<int> ring_order(int n, int root, int next) {
  const int step = (next - root + n) % n;
  assert(std::gcd(step, n) == 1);
  std::vector<int> order;
  for (int k = 1; k < n; ++k) order.push_back((root + k * step) % n);
  return order;
}

Experiment flood(int root, int peer, int messages, Seconds delay, Bytes size) {
  return {Kind::flood, root, {peer}, {peer}, size, Bytes{0}, false, messages, delay};
}

namespace {

std::vector<int> all_but(int n, int root) {
  std::vector<int> peers;
  for (int i = 0; i < n; ++i) {
    if (i != root) peers.push_back(i);
  }
  return peers;
}

/// Counting from the root.
std::vector<int> all_after(int n, int root) {
  std::vector<int> peers = all_but(n, root);
  std::ranges::rotate(peers, peers.begin() + root);
  return peers;
}

Experiment scatter_over(Kind kind, int root, const std::vector<int>& peers, Bytes size) {
  return {kind, root, peers, peers, size, Bytes{0}, false};
}

Experiment gather_over(Kind kind, int root, const std::vector<int>& peers, Bytes size) {
  return {kind, root, peers, peers, Bytes{0}, size, false};
}

}  // namespace

Experiment flat_scatter(int n, int root, Bytes size) {
  return scatter_over(Kind::scatter, root, all_but(n, root), size);
}

Experiment flat_gather(int n, int root, Bytes size) {
  return gather_over(Kind::gather, root, all_but(n, root), size);
}

Experiment flat_bcast(int n, int root, Bytes size) {
  return scatter_over(Kind::bcast, root, all_but(n, root), size);
}

Experiment binomial_scatter(int n, int root, Bytes size) {
  return scatter_over(Kind::scatter_binomial, root, all_after(n, root), size);
}

Experiment binomial_gather(int n, int root, Bytes size) {
  return gather_over(Kind::gather_binomial, root, all_after(n, root), size);
}

Experiment binomial_bcast(int n, int root, Bytes size) {
  return scatter_over(Kind::bcast_binomial, root, all_after(n, root), size);
}

}  // namespace commgauge
