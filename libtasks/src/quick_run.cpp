// Masters and workers by the virtual machine's rules for eager messages (docs/virtual-machine.md),
// in its order of operations, so that times are the same to the bit.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "commgauge/base/index.hpp"
#include "commgauge/tasks/master_worker.hpp"
#include "teams.hpp"

namespace commgauge::tasks {

namespace {

/// What one message costs [s].
struct Costs {
  double send_overhead;
  double arrival;
  double one_way;
  double receive_overhead;
  double gap;
  double link;
  double port;
};

/// Messages of one ordered pair, of which most have one size.
class Way {
 public:
  explicit Way(const PairCosts& costs) : costs_{&costs} {}

  const Costs& of(std::uint64_t bytes) {
    if (bytes == bytes_) return known_;
    const auto size = static_cast<double>(bytes);
    bytes_ = bytes;
    known_ = {costs_->send_overhead.at(size), costs_->arrival.at(size),
              costs_->one_way.at(size),       costs_->receive_overhead.at(size),
              costs_->gap.at(size),           costs_->link.at(size),
              costs_->port.at(size)};
    return known_;
  }

  double last_arrival{};  ///< [s]

 private:
  const PairCosts* costs_;
  std::uint64_t bytes_{std::numeric_limits<std::uint64_t>::max()};
  Costs known_{};
};

/// An eager message under way [s].
struct Letter {
  double arrival{};  ///< when a receive from anybody finds it
  double end{};      ///< when one that waits has received it
  double receive_overhead{};
  double gap{};
  double port{};
};

/// A rank's clock and what its messages wait for; the names are simulate::Process' [s].
class Actor {
 public:
  [[nodiscard]] double clock() const { return clock_; }
  [[nodiscard]] double busy() const { return busy_; }

  void spend(double seconds) {
    clock_ += seconds;
    busy_ += seconds;
  }

  Letter send(Way& way, std::uint64_t bytes) {
    const Costs& costs = way.of(bytes);
    const double before = clock_;
    clock_ = std::max(clock_, send_free_);
    const double start = clock_;
    clock_ = start + costs.send_overhead;
    busy_ += clock_ - before;
    send_free_ = start + costs.gap;
    const double unhindered = start + costs.arrival;
    const double arrival = std::max(unhindered, way.last_arrival + costs.link);
    way.last_arrival = arrival;
    return {arrival, start + (arrival - unhindered) + costs.one_way, costs.receive_overhead,
            costs.gap, costs.port};
  }

  void receive(const Letter& letter) {
    const double start = std::max({passes_port(letter), clock_, receive_free_});
    const double end = start + letter.receive_overhead;
    receive_free_ = end - letter.receive_overhead + letter.gap;
    busy_ += end - std::max(clock_, end - letter.receive_overhead);
    clock_ = std::max(clock_, end);
  }

 private:
  double passes_port(const Letter& letter) {
    const double arrival = letter.end - letter.receive_overhead;
    if (arrival <= port_idle_) return arrival;
    if (arrival - letter.port > port_free_) port_idle_ = arrival - letter.port;
    port_free_ = std::max(arrival, port_free_ + letter.port);
    return port_free_;
  }

  double clock_{};
  double busy_{};
  double send_free_{};
  double receive_free_{};
  double port_idle_{};
  double port_free_{};
};

struct Worker {
  int rank;
  double ratio;  ///< of its processor
  Way asks;
  Way answers;
  Actor actor{};
  Letter request{};
  double computing{};  ///< [s]
};

/// A request under way; the order in which a receive from anybody takes them.
struct Event {
  double arrival;
  std::uint32_t worker;  ///< of the team, in the order of ranks
  [[nodiscard]] bool comes_before(const Event& other) const {
    return arrival != other.arrival ? arrival < other.arrival : worker < other.worker;
  }
};

/// The first of all events: a heap with four below each, of which the first one changes.
class Events {
 public:
  explicit Events(std::vector<Event> events) : events_{std::move(events)} {
    for (std::size_t i = events_.size(); i-- > 0;) sink(i);
  }

  [[nodiscard]] bool is_empty() const { return events_.empty(); }
  [[nodiscard]] const Event& first() const { return events_.front(); }
  void replace_first(const Event& event) {
    events_.front() = event;
    sink(0);
  }
  void remove_first() {
    events_.front() = events_.back();
    events_.pop_back();
    if (!events_.empty()) sink(0);
  }

 private:
  static constexpr std::size_t below = 4;

  void sink(std::size_t place) {
    const Event sinking = events_[place];
    const std::size_t size = events_.size();
    for (;;) {
      const std::size_t from = place * below + 1;
      if (from >= size) break;
      std::size_t least = from;
      const std::size_t end = std::min(from + below, size);
      for (std::size_t i = from + 1; i < end; ++i) {
        if (events_[i].comes_before(events_[least])) least = i;
      }
      if (!events_[least].comes_before(sinking)) break;
      events_[place] = events_[least];
      place = least;
    }
    events_[place] = sinking;
  }

  std::vector<Event> events_;
};

/// What a team has come to.
struct Ended {
  double time{};       ///< of its last rank [s]
  double busy{};       ///< its master [s]
  double computing{};  ///< all its workers [s]
};

class TeamRun {
 public:
  TeamRun(const simulate::Machine& machine, const Work& work, const Protocol& protocol,
          const Team& team)
      : protocol_{protocol},
        chunk_{work, protocol},
        chunk_size_{chunk_of(work, protocol)},
        team_{team} {
    for (int rank = team.first_rank + 1; rank < team.end_rank; ++rank) {
      workers_.push_back({rank, machine.time_ratios[at(rank)].value,
                          Way(machine.pair(rank, team.first_rank)),
                          Way(machine.pair(team.first_rank, rank))});
    }
  }

  [[nodiscard]] Ended run() {
    Events events(first_requests());
    std::uint64_t next = team_.first_task;
    while (!events.is_empty()) {
      const std::uint32_t index = events.first().worker;
      Worker& worker = workers_[index];
      master_.receive(worker.request);
      if (protocol_.serve.value > 0) master_.spend(protocol_.serve.value);
      worker.actor.receive(master_.send(worker.answers, protocol_.task.value));
      if (next >= team_.end_task) {
        events.remove_first();
        continue;
      }
      const std::uint64_t end = std::min(team_.end_task, next + chunk_size_);
      work_on(worker, next, end);
      events.replace_first({worker.request.arrival, index});
      next = end;
    }
    return ended();
  }

 private:
  [[nodiscard]] std::vector<Event> first_requests() {
    std::vector<Event> events;
    for (Worker& worker : workers_) {
      worker.request = worker.actor.send(worker.asks, protocol_.request.value);
      events.push_back({worker.request.arrival, static_cast<std::uint32_t>(events.size())});
    }
    return events;
  }

  void work_on(Worker& worker, std::uint64_t first, std::uint64_t end) {
    const double seconds = chunk_.time(first, end) * worker.ratio;
    const double before = worker.actor.clock();
    worker.actor.spend(seconds);
    worker.computing += worker.actor.clock() - before;
    worker.request = worker.actor.send(worker.asks, chunk_.request(first, end));
  }

  [[nodiscard]] Ended ended() const {
    Ended all{master_.clock(), master_.busy(), 0};
    for (const Worker& worker : workers_) {
      all.time = std::max(all.time, worker.actor.clock());
      all.computing += worker.computing;
    }
    return all;
  }

  const Protocol& protocol_;
  Chunk chunk_;
  std::uint64_t chunk_size_;
  Team team_;
  Actor master_;
  std::vector<Worker> workers_;
};

}  // namespace

bool is_plain(const simulate::Machine& machine, const Work& work, const Protocol& protocol) {
  const Chunk chunk(work, protocol);
  const auto fits = [&](std::uint64_t bytes) {
    return static_cast<double>(bytes) <= machine.eager_limit;
  };
  if (protocol.split_after.value > 0 || machine.network.is_shared() ||
      machine.sharing != simulate::Sharing::none || machine.host_links.is_shared() ||
      !machine.disturbances.empty() || !fits(protocol.task.value) ||
      !fits(protocol.request.value)) {
    return false;
  }
  std::uint64_t largest = protocol.result.value;
  for (const std::uint32_t bytes : work.result_bytes) {
    largest = std::max<std::uint64_t>(largest, bytes);
  }
  return fits(protocol.request.value + chunk_of(work, protocol) * largest);
}

Run run_quickly(const simulate::Machine& machine, const Work& work, const Protocol& protocol) {
  const std::vector<Team> teams = teams_of(machine.ranks, work, protocol);
  Run all;
  for (const Team& team : teams) {
    const Ended ended = TeamRun(machine, work, protocol, team).run();
    all.time = std::max(all.time, ended.time);
    all.masters += ended.busy;
    all.workers += ended.computing;
  }
  const auto masters = static_cast<double>(teams.size());
  all.masters /= all.time * masters;
  all.workers /= all.time * (machine.ranks - masters);
  return all;
}

Run run(const simulate::Machine& machine, const Work& work, const Protocol& protocol) {
  return is_plain(machine, work, protocol) ? run_quickly(machine, work, protocol)
                                           : run_on_virtual_machine(machine, work, protocol);
}

}  // namespace commgauge::tasks
