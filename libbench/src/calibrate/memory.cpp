#include "calibrate/memory.hpp"

#include <mpi.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "calibrate/survey.hpp"
#include "campaign/harness.hpp"
#include "campaign/rounds.hpp"
#include "campaign/steps/passes.hpp"
#include "campaign/steps/warm_up.hpp"
#include "commgauge/base/places.hpp"
#include "commgauge/plan/campaign_plan.hpp"
#include "commgauge/plan/host_plan.hpp"
#include "ranks/row_gathering.hpp"

namespace commgauge::bench {

namespace {

constexpr double parts_of_budget = 16;  ///< one is for memory
constexpr Seconds without_budget{60};
constexpr int most_passes_of_memory = 8;  ///< it is one number

/// Of a host's ranks, without models.
Options options_of_host(const Communicator& all, const Options& asked) {
  Options options = asked;
  options.models = {"hockney"};
  options.sweeps.enabled = false;
  options.places.clear();
  options.keep = nullptr;
  options.passes = std::min(asked.passes, most_passes_of_memory);
  options.progress = nullptr;
  if (all.rank() == 0 && asked.progress) {
    options.progress = [tell = asked.progress](Progress progress) {
      progress.phase = "memory";
      tell(progress);
    };
  }
  options.time_budget =
      asked.time_budget ? *asked.time_budget / parts_of_budget : without_budget;
  return options;
}

/// Ranks of this one's host, if one of them is in the sample; else none.
std::vector<int> ranks_here(const Communicator& all, const std::vector<int>& sample,
                            const Options& options) {
  const Places places = find_places(all);
  std::vector<std::string> names;
  for (std::size_t rank = 0; rank < places.ranks.size(); ++rank) {
    names.push_back(options.places.empty() ? places.ranks[rank].host : options.places[rank].host);
  }
  for (const std::vector<int>& ranks : ranks_of_hosts(names)) {
    if (!std::ranges::binary_search(ranks, all.rank())) continue;
    const auto is_sampled = [&](int rank) { return std::ranges::binary_search(sample, rank); };
    return std::ranges::any_of(ranks, is_sampled) ? ranks : std::vector<int>{};
  }
  return {};
}

/// Each of the pairs alone, and several at once.
std::vector<Round> rounds_with_pairs_alone(const std::vector<Experiment>& at_once) {
  std::vector<Round> rounds;
  std::set<Experiment> alone;
  for (const Experiment& e : at_once) {
    for (std::size_t k = 0; k < e.peers.size(); k += 2) {
      alone.insert(round_trip(k == 0 ? e.root : e.peers[k - 1], e.peers[k], e.out, Bytes{0}));
    }
  }
  for (const Experiment& e : alone) rounds.push_back({group_of(e)});
  for (const Experiment& e : at_once) rounds.push_back({group_of(e)});
  return rounds;
}

std::vector<Bytes> sizes_of(const Options& options) {
  std::vector<Bytes> sweep = options.sizes;
  if (sweep.empty()) sweep = default_sweep(options.eager_limit, options.largest);
  return choose_sizes(options.eager_limit, std::move(sweep), {}).bulk;
}

/// With ranks by their numbers in `here`. @return those that began on this rank
std::vector<Observation> measure_here(MPI_Comm comm, const std::vector<int>& here,
                                      const Options& options) {
  Harness harness(comm, options);
  std::vector<int> own;
  for (int rank = 0; rank < harness.comm.size(); ++rank) own.push_back(rank);
  const std::vector<int> cores = harness.places.cores();
  const std::vector<Experiment> experiments =
      memory_experiments(own, cores.empty() ? 0 : cores.front(), sizes_of(options));
  if (experiments.empty()) return {};
  warm_up(harness);
  harness.watch.learn(harness.comm);
  harness.progress.report("measuring");
  const std::vector<Round> rounds = rounds_with_pairs_alone(experiments);
  harness.buffers.reserve(bytes_at_once(rounds, harness.comm.rank()));
  const Keeping nothing{[](bool) { return false; }, [](PassResults&) {}};
  std::vector<Observation> rows = Passes(harness, rounds, 0, false, nothing).run().rows;
  for (Observation& row : rows) {
    Experiment& e = row.experiment;
    e.root = here[at(e.root)];
    for (std::vector<int>* ranks : {&e.peers, &e.reply_order}) {
      for (int& rank : *ranks) rank = here[at(rank)];
    }
  }
  return rows;
}

}  // namespace

std::vector<Observation> measure_memory(const Communicator& all, const std::vector<int>& sample,
                                        const Options& asked) {
  const Options options = options_of_host(all, asked);
  const std::vector<int> here = ranks_here(all, sample, asked);
  const SubCommunicator host(all, here.empty() ? MPI_UNDEFINED : here.front());
  std::vector<Observation> mine;
  each_by_itself(all, [&] {
    if (here.size() >= 4) mine = measure_here(host.get(), here, options);
  });
  return gather_rows(all, mine);
}

}  // namespace commgauge::bench
