#include "ranks/provenance.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <utility>

#include "commgauge/bench/ranks/mpi_library.hpp"
#include "commgauge/model/contention.hpp"

namespace commgauge::bench {

namespace {

/// What a rank tells the others about itself. One fixed block, so that one gather does.
struct Card {
  std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
  cpu_set_t cores{};
};

RankPlace place_of(const Card& card) {
  RankPlace place;
  place.host = card.host.data();
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &card.cores)) place.cores.push_back(core);
  }
  return place;
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::map<std::string, std::string> relevant_environment() {
  constexpr std::array prefixes{"UCX_", "MPIR_CVAR_", "MPICH_", "OMPI_MCA_", "I_MPI_", "FI_"};
  // What Open MPI's launcher tells its processes of this job alone.
  constexpr std::array of_launcher{"OMPI_MCA_orte_", "OMPI_MCA_ess", "OMPI_MCA_initial_wdir",
                                   "OMPI_MCA_pmix", "OMPI_MCA_shmem_RUNTIME_QUERY_hint"};
  std::map<std::string, std::string> result;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    const auto is_set = text.find('=');
    if (is_set == std::string_view::npos) continue;
    const auto begins = [&](const char* prefix) { return text.starts_with(prefix); };
    if (std::ranges::any_of(prefixes, begins) && std::ranges::none_of(of_launcher, begins)) {
      result.emplace(text.substr(0, is_set), text.substr(is_set + 1));
    }
  }
  return result;
}

/// Of SMPI, or of `emulate` (libemulate's variable::machine).
bool is_in_simulated_time() {
#ifdef COMMGAUGE_SMPI
  return true;
#else
  return std::getenv("COMMGAUGE_EMULATE_MACHINE") != nullptr;
#endif
}

/// A rank that waits takes no core from others then.
void give_each_its_core(std::vector<RankPlace>& ranks) {
  std::map<std::string, int> next;
  for (RankPlace& place : ranks) place.cores = {next[place.host]++};
}

}  // namespace

int Places::ranks_on_host_of(int rank) const {
  const std::string& host = ranks.at(static_cast<std::size_t>(rank)).host;
  return static_cast<int>(
      std::ranges::count(ranks, host, [](const RankPlace& place) { return place.host; }));
}

bool Places::cores_are_shared() const { return commgauge::cores_are_shared(ranks); }

int Places::cores_of(const std::vector<int>& some) const {
  std::map<std::string, int> of_hosts = cores_of_hosts(ranks);
  int sum = 0;
  for (const int rank : some) {
    sum += std::exchange(of_hosts[ranks[static_cast<std::size_t>(rank)].host], 0);
  }
  return sum;
}

Places find_places(const Communicator& comm) {
  Card card;
  int length = 0;
  check(MPI_Get_processor_name(card.host.data(), &length), "MPI_Get_processor_name");
  CPU_ZERO(&card.cores);
  sched_getaffinity(0, sizeof card.cores, &card.cores);
  std::vector<Card> cards(static_cast<std::size_t>(comm.size()));
  check(
      MPI_Allgather(&card, sizeof card, MPI_BYTE, cards.data(), sizeof card, MPI_BYTE, comm.get()),
      "MPI_Allgather");
  Places places;
  std::ranges::transform(cards, std::back_inserter(places.ranks), place_of);
  if (is_in_simulated_time()) give_each_its_core(places.ranks);
  return places;
}

Launch describe_process() {
  Launch launch;
  launch.time_utc = utc_now();
  launch.commgauge_version = COMMGAUGE_VERSION;
  launch.mpi_library = mpi_library_line();
  int major = 0;
  int minor = 0;
  check(MPI_Get_version(&major, &minor), "MPI_Get_version");
  launch.mpi_standard = std::to_string(major) + "." + std::to_string(minor);
  launch.environment = relevant_environment();
  return launch;
}

}  // namespace commgauge::bench
