#include "campaign/steps/fabric.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/index.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/measurements/quietness.hpp"
#include "commgauge/plan/fabric_look.hpp"
#include "messages/quiet.hpp"
#include "ranks/rank0.hpp"

namespace commgauge::bench {

namespace {

constexpr int fabric_repetitions = 5;
constexpr int probe_repetitions = 3;
constexpr int most_batches = 3;  ///< of repetitions that lost their core
constexpr int probed_pairs = 4;
constexpr double starts_of_message = 100;  ///< a message takes so much longer than an empty one
constexpr double fewest_starts = 20;     ///< where the time budget is short, or messages take long
constexpr double settled_within = 0.03;  ///< what a byte takes, of that of half the size
constexpr int settled_sizes = 2;         ///< one after the other: one may be so by chance
constexpr double longest_s = 0.04;       ///< a message alone, unless it has to be
constexpr Bytes least_size{64 << 10};
constexpr Bytes most_size{64 << 20};
constexpr double shared_takes = 1.5;  ///< a round where links are shared, in the mean

/// Pieces that MPI libraries send without a request.
constexpr Bytes small_piece{4 << 10};
constexpr int piece_repetitions = 8;
/// Waiting answers show in such messages, too; in longer ones there would be too many pieces.
constexpr Bytes most_probed_in_pieces{1 << 20};
constexpr double clearly_sooner = 0.95;  ///< small pieces are there, else messages are sent whole

/// Where all ranks are to end.
struct Ended {};

struct Probed {
  double least_s{};  ///< of a pair
  double mean_s{};
  Seconds took;  ///< each repetition, with all that belongs to it
};

/// On rank 0: a few exchanges of two hosts, one after the other.
Probed probe(FabricRounds& rounds, int hosts, Bytes size, int repetitions = probe_repetitions) {
  const double begin = Clock::now();
  std::vector<double> times;
  const int count = std::min(probed_pairs, hosts / 2);
  for (int pair = 0; pair < count; ++pair) {
    const std::vector<HostMessage> exchange{{2 * pair, 2 * pair + 1}, {2 * pair + 1, 2 * pair}};
    const auto round = rounds.time(exchange, size, repetitions);
    if (!round) throw Ended{};
    for (const std::vector<double>& one : round->times_s) {
      times.insert(times.end(), one.begin(), one.end());
    }
  }
  return {std::ranges::min(times), mean(times), {(Clock::now() - begin) / (count * repetitions)}};
}

Seconds expected_time(int hosts, Seconds of_repetition) {
  return shared_takes * guess_rounds(hosts) * fabric_repetitions * of_repetition;
}

/// On rank 0: whether messages are sent whole, or in small pieces where two hosts exchange these
/// sooner. On a stream, as of TCP, the answer to a request may wait behind data that go the same
/// way: by chance an exchange takes once or twice a message's time. Data without requests share the
/// links evenly.
void choose_piece(FabricRounds& rounds, int hosts, FabricPlan& plan) {
  const Bytes size = std::min(plan.size, most_probed_in_pieces);
  const Probed whole = probe(rounds, hosts, size, piece_repetitions);
  rounds.send_in(small_piece);
  const Probed pieces = probe(rounds, hosts, size, piece_repetitions);
  const bool are_sooner = pieces.mean_s < clearly_sooner * whole.mean_s;
  plan.piece = are_sooner ? small_piece : plan.size;
  if (are_sooner) plan.expected.value *= pieces.mean_s / whole.mean_s;
}

/// On rank 0: the smallest size that takes long enough, and of which a byte takes as long as of
/// half the size and of a quarter. Connections that were idle begin slowly.
FabricPlan choose_size(FabricRounds& rounds, int hosts, Seconds left) {
  (void)probe(rounds, hosts, Bytes{0});  // opens connections
  const double start = std::max(0.0, probe(rounds, hosts, Bytes{0}).least_s);
  FabricPlan plan{least_size, least_size, {start}, {}, false};
  int settled = 0;
  for (double before = 0;; plan.size.value *= 2) {
    const Probed probed = probe(rounds, hosts, plan.size);
    const double byte_time = (probed.least_s - start) / as_double(plan.size);
    settled = std::abs(byte_time / before - 1) <= settled_within ? settled + 1 : 0;
    before = byte_time;
    plan.expected = expected_time(hosts, probed.took);
    const bool is_long = probed.least_s >= starts_of_message * start;
    const bool must_do = probed.least_s >= fewest_starts * start &&
                         (2 * plan.expected > left || 2 * probed.least_s > longest_s);
    if ((is_long && settled >= settled_sizes) || must_do || plan.size >= most_size) return plan;
  }
}

/// What rank 0 does, while others follow. @return on rank 0 whether it was done to the end
/// @throws FitError  on every rank: cancelled.
template <class Work>
bool drive(Harness& harness, FabricRounds& rounds, Work&& work) {
  bool is_done = false;
  if (harness.comm.rank() != 0) {
    rounds.follow();
  } else {
    try {
      work();
      rounds.finish();
      is_done = true;
    } catch (const Ended&) {  // all know
    }
  }
  harness.timekeeper.require_going_on();
  return is_done;
}

FabricPlan shared(const Communicator& comm, const FabricPlan& plan) {
  std::vector<double> numbers{as_double(plan.size), as_double(plan.piece), plan.start.value,
                              plan.expected.value};
  numbers = broadcast(comm, std::move(numbers));
  const auto bytes = [&](std::size_t k) { return Bytes{static_cast<std::uint64_t>(numbers[k])}; };
  return {bytes(0), bytes(1), {numbers[2]}, {numbers[3]}, false};
}

Diagnostic left_out(const std::string& reason) {
  return {.kind = "fabric_left_out",
          .problem = "links that hosts share were not looked for",
          .reason = reason,
          .advice = "give more time, or --no-fabric"};
}

Diagnostic out_of_time(const FabricPlan& plan, Seconds budget) {
  const std::string needed = plan.size.value > 0 ? "about " + to_text(plan.expected) + " are needed"
                                                 : "a look takes longer";
  return left_out(needed + ", their part of the time budget is " + to_text(budget));
}

/// On rank 0: both searches, whose rounds are kept.
void look(FabricRounds& rounds, FabricRun& run) {
  const MeasureAtOnce measure = [&](std::span<const HostMessage> pairs) {
    auto round = rounds.time(pairs, run.size, fabric_repetitions);
    if (!round) throw Ended{};
    run.rounds.push_back(*std::move(round));
    return byte_times(run, run.rounds.back());
  };
  try {
    if (look_for_fabric(static_cast<int>(run.hosts.size()), measure, run.seed)) return;
    run.left_out = left_out("pairs of hosts take otherwise than their hosts do with others");
  } catch (const InputError& error) {
    run.left_out = left_out(error.what());
  }
  run.left_out->advice = "calibrate again";
}

}  // namespace

/// A round as it is told to all ranks.
struct FabricRounds::Order {
  Bytes size;
  Bytes piece;
  int repetitions{};
  std::vector<HostMessage> pairs;

  [[nodiscard]] std::vector<std::uint64_t> encoded() const {
    std::vector<std::uint64_t> numbers{size.value, piece.value,
                                       static_cast<std::uint64_t>(repetitions)};
    for (const HostMessage& pair : pairs) {
      numbers.push_back(static_cast<std::uint64_t>(pair.from));
      numbers.push_back(static_cast<std::uint64_t>(pair.to));
    }
    return numbers;
  }
  [[nodiscard]] static Order decoded(const std::vector<std::uint64_t>& numbers) {
    Order order{{numbers[0]}, {numbers[1]}, static_cast<int>(numbers[2]), {}};
    for (std::size_t k = 3; k < numbers.size(); k += 2) {
      order.pairs.push_back({static_cast<int>(numbers[k]), static_cast<int>(numbers[k + 1])});
    }
    return order;
  }
  [[nodiscard]] RoleAtOnce role_of(int host) const {
    RoleAtOnce role;
    for (const auto& [from, to] : pairs) {
      if (to == host) role.from = from;
      if (from == host) role.to = to;
    }
    return role;
  }
};

FabricRounds::FabricRounds(Harness& harness, Seconds budget)
    : harness_{harness},
      budget_{budget},
      timer_{harness.transport, harness.buffers, harness.clock} {}

std::optional<FabricRound> FabricRounds::time(std::span<const HostMessage> pairs, Bytes size,
                                              int repetitions) {
  if (harness_.timekeeper.elapsed() > budget_) {
    finish();
    return std::nullopt;
  }
  const Order order{size, std::min(size, piece_), repetitions, {pairs.begin(), pairs.end()}};
  (void)broadcast(harness_.comm, order.encoded());
  FabricRound round{order.pairs, {}};
  return take_part(order, round) ? std::optional{std::move(round)} : std::nullopt;
}

void FabricRounds::follow() {
  for (FabricRound round;;) {
    const auto numbers = broadcast(harness_.comm, std::vector<std::uint64_t>{});
    if (numbers.empty() || !take_part(Order::decoded(numbers), round)) return;
  }
}

void FabricRounds::finish() { (void)broadcast(harness_.comm, std::vector<std::uint64_t>{}); }

/// On all ranks; else on none.
bool FabricRounds::is_reserved(Bytes size) {
  bool is_short = false;
  try {
    harness_.buffers.reserve(size.value);
  } catch (const std::bad_alloc&) {
    is_short = true;
  }
  return agree_quietly(harness_.comm.get(), is_short ? 1 : 0) == 0;
}

bool FabricRounds::take_part(const Order& order, FabricRound& round) {
  if (!harness_.timekeeper.may_go_on()) return false;
  harness_.progress.report("fabric");
  if (!is_reserved(order.size)) return false;
  int missing = order.repetitions;
  for (int batch = 0; batch < most_batches && missing > 0; ++batch) {
    const auto lost = batch + 1 == most_batches ? Lost::kept : Lost::dropped;
    time_batch(order, missing, lost, round);
    const int have = harness_.comm.rank() == 0 ? static_cast<int>(round.times_s.size()) : 0;
    missing = order.repetitions - agree_quietly(harness_.comm.get(), have);
  }
  return true;
}

void FabricRounds::time_batch(const Order& order, int count, Lost lost, FabricRound& round) {
  const MPI_Comm comm = harness_.comm.get();
  const RoleAtOnce role = order.role_of(harness_.comm.rank());
  std::vector<double> mine;
  std::vector<CoreUse> use;
  for (int repetition = 0; repetition < count; ++repetition) {
    // Ranks without a message sleep while others have one.
    (void)agree_quietly(comm, 0);
    harness_.watch.open();
    mine.push_back(timer_.time(role, order.size, order.piece));
    use.push_back(harness_.watch.close());
  }
  (void)agree_quietly(comm, 0);
  const auto ranks = at(harness_.comm.rank() == 0 ? harness_.comm.size() : 0);
  std::vector<double> times(ranks * mine.size());
  std::vector<CoreUse> uses(ranks * use.size());
  check(MPI_Gather(mine.data(), count, MPI_DOUBLE, times.data(), count, MPI_DOUBLE, 0, comm),
        "MPI_Gather");
  const int bytes = count * static_cast<int>(sizeof(CoreUse));
  check(MPI_Gather(use.data(), bytes, MPI_BYTE, uses.data(), bytes, MPI_BYTE, 0, comm),
        "MPI_Gather");
  if (ranks == 0) return;
  for (std::size_t repetition = 0; repetition < mine.size(); ++repetition) {
    const auto place = [&](int host) { return at(host) * mine.size() + repetition; };
    std::vector<double> taken;
    std::vector<CoreUse> used;
    for (const auto& [from, to] : order.pairs) {
      taken.push_back(times[place(to)]);
      used.push_back(uses[place(from)]);
      used.push_back(uses[place(to)]);
    }
    take(std::move(taken), harness_.watch.watching() && is_lost(lost_share(used)), lost, round);
  }
}

void FabricRounds::take(std::vector<double> times_s, bool is_lost, Lost lost, FabricRound& round) {
  ++repetitions_;
  if (is_lost) ++lost_;
  if (is_lost && lost == Lost::dropped) {
    ++repeated_;
  } else {
    round.times_s.push_back(std::move(times_s));
  }
}

FabricPlan plan_fabric(Harness& harness, Seconds budget) {
  FabricRounds rounds(harness, budget);
  FabricPlan plan;
  (void)drive(harness, rounds, [&] {
    const Seconds left = budget - harness.timekeeper.elapsed();
    plan = choose_size(rounds, harness.comm.size(), left);
    choose_piece(rounds, harness.comm.size(), plan);
  });
  plan = shared(harness.comm, plan);
  plan.fits = plan.size.value > 0 && harness.timekeeper.elapsed() + plan.expected <= budget;
  return plan;
}

FabricRun measure_fabric(Harness& harness, std::vector<std::string> hosts, Seconds budget) {
  const FabricPlan plan = plan_fabric(harness, budget);
  FabricRun run;
  run.hosts = std::move(hosts);
  run.size = plan.size;
  run.piece = plan.piece;
  run.start_s = plan.start.value;
  run.seed = harness.options.seed;
  FabricRounds rounds(harness, budget);
  const bool is_whole = drive(harness, rounds, [&] {
    rounds.send_in(plan.piece);
    if (plan.fits) look(rounds, run);
  });
  if (harness.comm.rank() != 0) return {};
  if (!plan.fits || !is_whole) {
    run.rounds.clear();
    run.left_out = out_of_time(plan, budget);
  }
  run.repetitions = rounds.repetitions();
  run.lost = rounds.lost();
  run.repeated = rounds.repeated();
  return run;
}

}  // namespace commgauge::bench
