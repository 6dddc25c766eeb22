#include "commgauge/bench/calibrate.hpp"

#include <algorithm>
#include <string>

#include "campaign.hpp"
#include "campaign/begun.hpp"
#include "commgauge/assemble/fit.hpp"
#include "rank0.hpp"
#include "requirements.hpp"

namespace commgauge::bench {

Measurements measure(MPI_Comm comm, const Options& options) {
  Campaign campaign(comm, options);
  campaign.prepare();
  return campaign.run();
}

Measurements resume(MPI_Comm comm, Measurements begun, const Options& options) {
  {
    const Communicator own(comm);
    begun = share_begun(own, std::move(begun));
  }
  const Options all = options_to_resume(begun, options);
  return Campaign(comm, all, std::move(begun)).run();
}

Measurements measure_thresholds(MPI_Comm comm, const Options& options) {
  Options own = options;
  own.models.clear();
  own.size.reset();
  own.sizes = {std::max(options.sweeps.plan.last, largest_size({}))};
  own.sweeps.enabled = true;
  return Campaign(comm, own).run_sweeps();
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
  on_rank_0(own, [&] { model = fit(measurements, {options.models, options.confidence}); });
  if (options.result == Result::root_only) return model;
  const std::string text = broadcast(own, own.rank() == 0 ? to_json(model) : std::string{});
  return own.rank() == 0 ? model : model_from_json(text, "the model of rank 0");
}

}  // namespace commgauge::bench
