#include "commgauge/bench/calibrate.hpp"

#include <string>

#include "campaign.hpp"
#include "commgauge/bench/error.hpp"
#include "commgauge/fit.hpp"
#include "quiet.hpp"

namespace commgauge::bench {

namespace {

/// A text of rank 0 on every rank.
std::string broadcast(const Communicator& comm, std::string text) {
  (void)agree_quietly(comm.get(), 0);
  auto length = static_cast<std::uint64_t>(text.size());
  check(MPI_Bcast(&length, 1, MPI_UINT64_T, 0, comm.get()), "MPI_Bcast");
  text.resize(length);
  constexpr std::uint64_t piece = 1 << 30;
  for (std::uint64_t at = 0; at < length; at += piece) {
    const auto count = static_cast<int>(std::min(piece, length - at));
    check(MPI_Bcast(text.data() + at, count, MPI_CHAR, 0, comm.get()), "MPI_Bcast");
  }
  return text;
}

}  // namespace

Measurements measure(MPI_Comm comm, const Options& options) {
  Campaign campaign(comm, options);
  campaign.prepare();
  return campaign.run();
}

PlanSummary plan(MPI_Comm comm, const Options& options) {
  Campaign campaign(comm, options);
  campaign.prepare();
  return campaign.summary();
}

Measurements measure_experiments(MPI_Comm comm, const std::vector<Experiment>& experiments,
                                 const Options& options) {
  Campaign campaign(comm, options);
  campaign.prepare(experiments);
  return campaign.run();
}

Model calibrate(MPI_Comm comm, const Options& options) {
  const Measurements measurements = measure(comm, options);
  const Communicator own(comm);
  Model model;
  std::string failure;
  if (own.rank() == 0) {
    try {
      model = fit(measurements, {options.models, options.confidence});
    } catch (const std::exception& error) {
      failure = error.what();
    }
  }
  failure = broadcast(own, failure);
  if (!failure.empty()) throw FitError(failure);
  if (options.result == Result::root_only) return model;
  const std::string text = broadcast(own, own.rank() == 0 ? to_json(model) : std::string{});
  return own.rank() == 0 ? model : model_from_json(text, "the model of rank 0");
}

}  // namespace commgauge::bench
