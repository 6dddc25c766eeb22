#include "commgauge/schedule/between_groups.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "schedule/draft.hpp"

namespace commgauge::schedule {

namespace {

/// [bytes] in all, from which on nobody gathers or scatters for others (MPICH 4.0).
constexpr std::uint64_t long_from = 2048;

using Counts = std::vector<std::uint64_t>;
using Blocks = std::vector<Block>;

/// A rank's part in an operation of two groups while it is made.
class Between {
 public:
  Between(const Collective& what, const TwoGroups& groups, int rank, const Choice& choice)
      : what_{what}, groups_{groups}, rank_{rank}, choice_{choice}, draft_{what, rank, {}} {}

  void barrier();
  void bcast();
  void reduce();
  void allreduce();
  void gather();
  void gatherv();
  void scatter();
  void scatterv();
  void allgather();
  void allgatherv();
  void alltoall();
  void reduce_scatter();
  [[nodiscard]] Schedule done() { return std::move(draft_.made); }

 private:
  [[nodiscard]] bool is_root() const { return what_.root == root_is_caller; }
  [[nodiscard]] bool is_beside() const { return what_.root == root_is_beside; }
  [[nodiscard]] bool leads() const { return rank_ == 0; }
  [[nodiscard]] int across(int rank) const { return groups_.local + rank; }
  /// Of the operation's counts, one for all or one for each of so many ranks.
  [[nodiscard]] static Counts each(const Counts& counts, int ranks) {
    return counts.size() == 1 ? Counts(static_cast<std::size_t>(ranks), counts.front()) : counts;
  }
  [[nodiscard]] const Counts& counts_in() const {
    return what_.counts_in.empty() ? what_.counts : what_.counts_in;
  }

  Block new_block(std::uint64_t units) { return {draft_.buffer(units), 0, units}; }
  /// One after the other in a buffer of their own.
  Blocks new_row(const Counts& counts) {
    Blocks row;
    const int buffer = draft_.buffer(std::reduce(counts.begin(), counts.end(), std::uint64_t{}));
    std::uint64_t passed = 0;
    for (const std::uint64_t count : counts) {
      row.push_back({buffer, passed, count});
      passed += count;
    }
    return row;
  }
  [[nodiscard]] static Block whole(const Blocks& row) {
    return {row.front().buffer, 0, row.back().offset + row.back().count};
  }

  /// An operation of the caller's own group, root 0. @param from  the rank's data, where it gives
  /// any. @param to  where its results go, if it gets any
  void within(Operation operation, Counts counts, const Blocks& from, const Blocks& to);
  /// A vector of this group, reduced, to a rank of the other.
  void reduce_for(int root, const Block& own);
  void bcast_from(int root, const Block& data);
  /// Messages with all of the other group at once, but for empty ones.
  void start_each(Step::Kind kind, const Blocks& row);
  /// The first group does the one before the other, the second group after it.
  void take_turns(auto&& one, auto&& other) {
    if (groups_.is_first) one();
    other();
    if (!groups_.is_first) one();
  }

  const Collective& what_;
  const TwoGroups& groups_;
  int rank_;
  const Choice& choice_;
  Draft draft_;
};

void Between::within(Operation operation, Counts counts, const Blocks& from, const Blocks& to) {
  Collective local = what_;
  local.operation = operation;
  local.ranks = groups_.local;
  local.root = 0;
  local.counts = std::move(counts);
  local.counts_in.clear();
  local.is_in_place = false;
  const Schedule part = schedule_of(local, algorithm_for(choice_, local), rank_);
  const int first = static_cast<int>(draft_.made.buffers.size());
  for (const std::uint64_t units : part.buffers) draft_.buffer(units);
  const auto here = [&](const Block& block) {
    return Block{first + block.buffer, block.offset, block.count};
  };
  for (std::size_t i = 0; i < std::min(from.size(), part.gives.size()); ++i) {
    draft_.copy(from[i], here(part.gives[i]));
  }
  int round = -1;
  for (const Step& step : part.steps) {
    if (step.round != round) draft_.next_round();
    round = step.round;
    draft_.add(step.kind, step.peer, here(step.here), here(step.there));
  }
  for (std::size_t i = 0; i < std::min(to.size(), part.gets.size()); ++i) {
    draft_.copy(here(part.gets[i]), to[i]);
  }
}

void Between::reduce_for(int root, const Block& own) {
  const Block result = leads() ? new_block(own.count) : Block{};
  within(Operation::reduce, {own.count}, {own}, {result});
  if (leads()) draft_.send(across(root), result);
}

void Between::bcast_from(int root, const Block& data) {
  if (leads()) draft_.receive(across(root), data);
  within(Operation::bcast, {data.count}, {data}, {data});
}

void Between::barrier() {
  const Block word = new_block(1);
  within(Operation::barrier, {0}, {}, {});
  take_turns(
      [&] {
        if (leads()) draft_.send(across(0), word);
      },
      [&] { bcast_from(0, word); });
}

void Between::bcast() {
  if (is_beside()) return;
  const Block data = new_block(what_.counts.front());
  (is_root() ? draft_.made.gives : draft_.made.gets).push_back(data);
  if (is_root()) return draft_.send(across(0), data);
  bcast_from(what_.root, data);
}

void Between::reduce() {
  if (is_beside()) return;
  const Block data = new_block(what_.counts.front());
  (is_root() ? draft_.made.gets : draft_.made.gives).push_back(data);
  if (is_root()) return draft_.receive(across(0), data);
  reduce_for(what_.root, data);
}

void Between::allreduce() {
  const std::uint64_t count = what_.counts.front();
  const Block own = new_block(count);
  const Block result = new_block(count);
  draft_.made.gives.push_back(own);
  draft_.made.gets.push_back(result);
  const Block ours = leads() ? new_block(count) : Block{};
  within(Operation::reduce, {count}, {own}, {ours});
  if (leads()) draft_.exchange(across(0), ours, across(0), result);
  within(Operation::bcast, {count}, {result}, {result});
}

void Between::start_each(Step::Kind kind, const Blocks& row) {
  draft_.next_round();
  for (int i = 0; i < groups_.remote; ++i) {
    const Block& block = row[static_cast<std::size_t>(i)];
    if (block.count > 0) draft_.add(kind, across(i), block);
  }
}

void Between::gather() {
  if (is_beside()) return;
  const std::uint64_t count = what_.counts.front();
  const int givers = is_root() ? groups_.remote : groups_.local;
  const bool is_long = count * static_cast<std::uint64_t>(givers) >= long_from;
  if (is_root()) {
    const Blocks row = new_row(each(what_.counts, givers));
    draft_.made.gets = row;
    if (!is_long) return draft_.receive(across(0), whole(row));
    for (int i = 0; i < givers; ++i) draft_.receive(across(i), row[static_cast<std::size_t>(i)]);
    return;
  }
  const Block own = new_block(count);
  draft_.made.gives.push_back(own);
  if (is_long) return draft_.send(across(what_.root), own);
  const Blocks row = leads() ? new_row(each(what_.counts, givers)) : Blocks{};
  within(Operation::gather, what_.counts, {own}, row);
  if (leads()) draft_.send(across(what_.root), whole(row));
}

void Between::gatherv() {
  if (is_beside()) return;
  if (is_root()) {
    draft_.made.gets = new_row(each(what_.counts, groups_.remote));
    return start_each(Step::Kind::receive, draft_.made.gets);
  }
  const Block own = new_block(what_.counts.front());
  draft_.made.gives.push_back(own);
  if (own.count > 0) draft_.send(across(what_.root), own);
}

void Between::scatter() {
  if (is_beside()) return;
  const std::uint64_t count = what_.counts.front();
  const int takers = is_root() ? groups_.remote : groups_.local;
  const bool is_long = count * static_cast<std::uint64_t>(takers) >= long_from;
  if (is_root()) {
    const Blocks row = new_row(each(what_.counts, takers));
    draft_.made.gives = row;
    if (!is_long) return draft_.send(across(0), whole(row));
    for (int i = 0; i < takers; ++i) draft_.send(across(i), row[static_cast<std::size_t>(i)]);
    return;
  }
  const Block own = new_block(count);
  draft_.made.gets.push_back(own);
  if (is_long) return draft_.receive(across(what_.root), own);
  const Blocks row = leads() ? new_row(each(what_.counts, takers)) : Blocks{};
  if (leads()) draft_.receive(across(what_.root), whole(row));
  within(Operation::scatter, what_.counts, row, {own});
}

void Between::scatterv() {
  if (is_beside()) return;
  if (is_root()) {
    draft_.made.gives = new_row(each(what_.counts, groups_.remote));
    return start_each(Step::Kind::send, draft_.made.gives);
  }
  const Block own = new_block(what_.counts.front());
  draft_.made.gets.push_back(own);
  if (own.count > 0) draft_.receive(across(what_.root), own);
}

void Between::allgather() {
  const Block own = new_block(what_.counts.front());
  draft_.made.gives.push_back(own);
  const Blocks theirs = new_row(each(counts_in(), groups_.remote));
  draft_.made.gets = theirs;
  const Blocks ours = leads() ? new_row(each(what_.counts, groups_.local)) : Blocks{};
  if (own.count > 0) within(Operation::gather, what_.counts, {own}, ours);
  take_turns(
      [&] {
        if (leads() && own.count > 0) draft_.send(across(0), whole(ours));
      },
      [&] {
        if (whole(theirs).count > 0) bcast_from(0, whole(theirs));
      });
}

void Between::allgatherv() {
  const Block own = new_block(what_.counts.front());
  draft_.made.gives.push_back(own);
  const Blocks theirs = new_row(each(counts_in(), groups_.remote));
  draft_.made.gets = theirs;
  const auto give = [&] {
    if (own.count > 0) draft_.send(across(0), own);
  };
  const auto get = [&] {
    if (leads()) start_each(Step::Kind::receive, theirs);
  };
  take_turns(get, give);
  within(Operation::bcast, {whole(theirs).count}, {whole(theirs)}, {whole(theirs)});
}

void Between::alltoall() {
  draft_.made.is_in_turn = true;
  draft_.made.gives = new_row(each(what_.counts, groups_.remote));
  draft_.made.gets = new_row(each(counts_in(), groups_.remote));
  const int rounds = std::max(groups_.local, groups_.remote);
  for (int i = 0; i < rounds; ++i) {
    const int from = (rank_ - i + rounds) % rounds;
    const int to = (rank_ + i) % rounds;
    const auto at = [](int k) { return static_cast<std::size_t>(k); };
    draft_.next_round();
    if (from < groups_.remote) {
      draft_.add(Step::Kind::receive, across(from), draft_.made.gets[at(from)]);
    }
    if (to < groups_.remote) {
      draft_.add(Step::Kind::send, across(to), draft_.made.gives[at(to)]);
    }
  }
}

void Between::reduce_scatter() {
  const Counts counts = each(what_.counts, groups_.local);
  const std::uint64_t total = std::reduce(counts.begin(), counts.end(), std::uint64_t{});
  const Block own = new_block(total);
  const Block result = new_block(counts[static_cast<std::size_t>(rank_)]);
  draft_.made.gives.push_back(own);
  draft_.made.gets.push_back(result);
  const Blocks theirs = leads() ? new_row(counts) : Blocks{};
  take_turns(
      [&] {
        if (leads()) draft_.receive(across(0), whole(theirs));
      },
      [&] { reduce_for(0, own); });
  within(Operation::scatterv, counts, theirs, {result});
}

}  // namespace

Schedule between_groups(const Collective& what, const TwoGroups& groups, int rank,
                        const Choice& choice) {
  Between part(what, groups, rank, choice);
  switch (what.operation) {
    case Operation::barrier:
      part.barrier();
      break;
    case Operation::bcast:
      part.bcast();
      break;
    case Operation::reduce:
      part.reduce();
      break;
    case Operation::allreduce:
      part.allreduce();
      break;
    case Operation::gather:
      part.gather();
      break;
    case Operation::gatherv:
      part.gatherv();
      break;
    case Operation::scatter:
      part.scatter();
      break;
    case Operation::scatterv:
      part.scatterv();
      break;
    case Operation::allgather:
      part.allgather();
      break;
    case Operation::allgatherv:
      part.allgatherv();
      break;
    case Operation::alltoall:
    case Operation::alltoallv:
      part.alltoall();
      break;
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      part.reduce_scatter();
      break;
    case Operation::scan:
    case Operation::exscan:
    case Operation::p2p:
    case Operation::exchange:
    case Operation::ring:
      assert(false);
  }
  return part.done();
}

}  // namespace commgauge::schedule
