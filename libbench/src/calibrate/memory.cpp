#include "calibrate/memory.hpp"

#include <mpi.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "calibrate/survey.hpp"
#include "campaign/harness.hpp"
#include "campaign/rounds.hpp"
#include "campaign/steps/eager_limit.hpp"
#include "campaign/stop_rules.hpp"
#include "commgauge/base/places.hpp"
#include "commgauge/plan/campaign_plan.hpp"
#include "commgauge/plan/host_plan.hpp"
#include "messages/quiet.hpp"
#include "ranks/row_gathering.hpp"

namespace commgauge::bench {

namespace {

constexpr double parts_of_budget = 16;  ///< one is for memory
constexpr Seconds without_budget{60};
constexpr int most_passes_of_memory = 8;  ///< it is one number
constexpr std::size_t two_pairs = 4;      ///< ranks

struct HostRanks {
  std::vector<int> ranks;  ///< none: the host isn't measured
  int cores{};
};

/// Of a host's ranks, without models. How long it takes is decided here.
Options options_of_host(const Communicator& all, const Options& asked) {
  Options options = asked;
  options.models = {"hockney"};
  options.sweeps.enabled = false;
  options.places.clear();
  options.keep = nullptr;
  options.time_budget.reset();
  options.passes = std::min(asked.passes, most_passes_of_memory);
  options.progress = nullptr;
  if (all.rank() == 0 && asked.progress) {
    options.progress = [tell = asked.progress](Progress progress) {
      progress.phase = "memory";
      tell(progress);
    };
  }
  return options;
}

/// Those that have one of the sample, and ranks and cores for two pairs.
std::vector<HostRanks> hosts_to_measure(const Places& places, const std::vector<int>& sample,
                                        const Options& options) {
  std::vector<std::string> names;
  for (std::size_t rank = 0; rank < places.ranks.size(); ++rank) {
    names.push_back(options.places.empty() ? places.ranks[rank].host : options.places[rank].host);
  }
  std::vector<HostRanks> hosts;
  for (std::vector<int>& ranks : ranks_of_hosts(names)) {
    const int cores_there = places.cores_of(ranks);
    const auto is_sampled = [&](int rank) { return std::ranges::binary_search(sample, rank); };
    if (std::min(ranks.size(), at(cores_there)) < two_pairs) continue;
    if (std::ranges::any_of(ranks, is_sampled)) hosts.push_back({std::move(ranks), cores_there});
  }
  return hosts;
}

/// Whether two of them share a machine.
bool share_machines(const std::vector<HostRanks>& hosts, const Places& places) {
  std::set<std::string> known;
  return !std::ranges::all_of(hosts, [&](const HostRanks& host) {
    std::set<std::string> machines;
    for (const int rank : host.ranks) machines.insert(places.ranks[at(rank)].host);
    return std::ranges::all_of(machines,
                               [&](const auto& name) { return known.insert(name).second; });
  });
}

/// Each of the pairs alone, and several at once.
std::vector<Round> rounds_with_pairs_alone(const std::vector<Experiment>& at_once) {
  std::set<Experiment> alone;
  for (const Experiment& e : at_once) {
    for (const auto& [from, to] : pairs_of(e)) alone.insert(round_trip(from, to, e.out, Bytes{0}));
  }
  std::vector<Round> rounds;
  for (const Experiment& e : alone) rounds.push_back({group_of(e)});
  for (const Experiment& e : at_once) rounds.push_back({group_of(e)});
  return rounds;
}

/// Large ones, of one protocol.
std::vector<Bytes> sizes_of(Harness& harness) {
  const Options& options = harness.options;
  const std::optional<Bytes> limit = find_eager_limit(harness).limit;
  std::vector<Bytes> sweep = options.sizes;
  if (sweep.empty()) sweep = default_sweep(limit, options.largest);
  return choose_sizes(limit, std::move(sweep), {}).bulk;
}

/// A host's measurement, with ranks by their numbers in its communicator.
class MemoryOfHost {
 public:
  MemoryOfHost(MPI_Comm comm, int cores, const Options& options, Seconds most)
      : harness_(comm, options), most_{most} {
    std::vector<int> own(at(harness_.comm.size()));
    std::iota(own.begin(), own.end(), 0);
    rounds_ = rounds_with_pairs_alone(memory_experiments(own, cores, sizes_of(harness_)));
    harness_.buffers.reserve(bytes_at_once(rounds_, harness_.comm.rank()));
  }

  /// @return those that began on this rank, of complete passes
  [[nodiscard]] std::vector<Observation> run() {
    for (const Round& round : rounds_)
      (void)harness_.run_round(round, warm_up_rule(harness_.options));
    harness_.watch.learn(harness_.comm);
    std::vector<Observation> rows;
    for (int pass = 0; pass < harness_.options.passes; ++pass) {
      std::vector<Observation> more;
      if (!run_pass(pass, more)) break;
      std::ranges::move(more, std::back_inserter(rows));
    }
    return rows;
  }

 private:
  /// @return whether there was time for all of it; the same on every rank
  [[nodiscard]] bool run_pass(int pass, std::vector<Observation>& rows) {
    harness_.buffers.renew();
    put_in_order_of_pass(rounds_, harness_.options.seed, pass);
    for (const Round& round : rounds_) {
      int is_over = harness_.timekeeper.elapsed() > most_;
      check(MPI_Bcast(&is_over, 1, MPI_INT, 0, harness_.comm.get()), "MPI_Bcast");
      if (is_over != 0) return false;
      std::ranges::move(harness_.run_round(round, pass_rule(harness_.options), pass),
                        std::back_inserter(rows));
      harness_.progress.report("memory");
    }
    return true;
  }

  Harness harness_;
  Seconds most_;
  std::vector<Round> rounds_;
};

void number_by(const std::vector<int>& ranks, std::vector<Observation>& rows) {
  for (Observation& row : rows) {
    Experiment& e = row.experiment;
    e.root = ranks[at(e.root)];
    for (std::vector<int>* some : {&e.peers, &e.reply_order}) {
      for (int& rank : *some) rank = ranks[at(rank)];
    }
  }
}

Diagnostic too_short(Seconds most) {
  return {.kind = "memory_left_out",
          .problem = "what pairs of ranks within hosts take from each other was not measured",
          .reason = "the time for it, " + to_text(most) + ", was too short for one pass",
          .advice = "give a longer time budget"};
}

}  // namespace

Seconds most_time_for_memory(const Options& options) {
  return options.time_budget ? *options.time_budget / parts_of_budget : without_budget;
}

bool has_memory_to_measure(const Communicator& all, const std::vector<int>& sample,
                           const Options& options) {
  return !hosts_to_measure(find_places(all), sample, options).empty();
}

MemoryRun measure_memory(const Communicator& all, const std::vector<int>& sample,
                         const Options& asked) {
  const Places places = find_places(all);
  const std::vector<HostRanks> hosts = hosts_to_measure(places, sample, asked);
  const auto is_mine = [&](const HostRanks& host) {
    return std::ranges::binary_search(host.ranks, all.rank());
  };
  const auto mine = std::ranges::find_if(hosts, is_mine);
  const auto number = static_cast<int>(mine - hosts.begin());
  const SubCommunicator here(all, mine == hosts.end() ? MPI_UNDEFINED : number);
  const bool in_turn = asked.schedule == Schedule::serial || share_machines(hosts, places);
  const int turns = in_turn ? static_cast<int>(hosts.size()) : 1;
  const Seconds most = most_time_for_memory(asked) / turns;
  std::vector<Observation> rows;
  bool is_too_short = false;
  for (int turn = 0; turn < turns; ++turn) {
    each_by_itself(all, [&] {
      if (mine == hosts.end() || (in_turn && turn != number)) return;
      rows = MemoryOfHost(here.get(), mine->cores, options_of_host(all, asked), most).run();
      is_too_short = all.rank() == mine->ranks.front() && rows.empty();
      number_by(mine->ranks, rows);
    });
  }
  MemoryRun run{gather_rows(all, rows), {}};
  if (agree_quietly(all.get(), is_too_short ? 1 : 0) != 0 && all.rank() == 0) {
    run.left_out = too_short(most);
  }
  return run;
}

}  // namespace commgauge::bench
