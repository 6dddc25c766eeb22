#include "commgauge/bench/calibrate/for_communicator.hpp"

#include <string>
#include <vector>

#include "commgauge/costs/model_of_job.hpp"
#include "messages/communicator.hpp"
#include "ranks/provenance.hpp"
#include "ranks/rank0.hpp"

namespace commgauge::bench {

LargerModel for_communicator(const Model& model, MPI_Comm comm) {
  return model_of_job(model, hosts_of(comm));
}

std::vector<std::string> hosts_of(MPI_Comm comm) {
  const Communicator own(comm);
  std::vector<std::string> hosts;
  for (const RankPlace& place : find_places(own).ranks) hosts.push_back(place.host);
  return hosts;
}

Model model_of_rank_0(const Model& model, MPI_Comm comm) {
  const Communicator own(comm);
  const std::string text = broadcast(own, own.rank() == 0 ? to_json(model) : std::string{});
  return model_from_json(text, "the model of rank 0");
}

}  // namespace commgauge::bench
