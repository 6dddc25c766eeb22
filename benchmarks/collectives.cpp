// MPI_Scatter and MPI_Gather against the model-based ones, alternating in one run. Start it under
// mpiexec with as many ranks as the model has:
//
//   mpiexec -n 8 benchmark-collectives model.json --sizes 1KiB,64KiB --root 0,7 --reps 15
//
// A time is the longest of the ranks' own times after a barrier; medians of the repetitions.
// linear_s is what the model predicts for a flat collective that is not cut. Where ranks share
// cores both sides give the core away while they wait (--wait auto): MPI_Scatter is then
// MPI_Iscatter, polled.

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "commgauge/bench/collectives/collectives.hpp"
#include "common/command_line/options.hpp"
#include "common/output/report.hpp"
#include "measuring/mpi_session.hpp"
#include "messages/communicator.hpp"
#include "messages/tags.hpp"
#include "messages/transport.hpp"
#include "ranks/provenance.hpp"

namespace {

using namespace commgauge;
using bench::Wait;

struct Settings {
  std::string model;
  std::vector<Bytes> sizes{{64}, {1024}, {8192}, {65536}, {262144}};
  std::vector<int> roots{0};
  int reps{15};
  Wait wait{Wait::automatic};
  std::vector<Operation> operations{Operation::scatter, Operation::gather};
  enum class Way { chosen, flat, binomial } way{Way::chosen};
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::string order_of(const CollectivePlan& plan) {
  std::string text;
  for (const int peer : plan.order) text += (text.empty() ? "" : " ") + std::to_string(peer);
  return text;
}

class Comparison {
 public:
  Comparison(const Settings& settings, const Model& model)
      : settings_{settings},
        model_{model},
        comm_{MPI_COMM_WORLD},
        transport_{comm_.get(), bench::decide_wait(settings.wait,
                                                   bench::find_places(comm_).cores_are_shared())} {}

  void run(Operation operation, int root, Bytes size) {
    const CollectivePlan plan = plan_of(operation, root, size);
    whole_.resize(size.value * static_cast<std::size_t>(comm_.size()));
    part_.resize(size.value);
    std::vector<double> mpi;
    std::vector<double> ours;
    // The first repetition opens connections.
    for (int i = 0; i <= settings_.reps; ++i) {
      const double one = longest([&] { by_mpi(plan); });
      const double other = longest([&] { by_model(plan); });
      if (i == 0) continue;
      mpi.push_back(one);
      ours.push_back(other);
    }
    if (comm_.rank() == 0) report(plan, mpi, ours);
  }

 private:
  [[nodiscard]] CollectivePlan plan_of(Operation operation, int root, Bytes size) const {
    CollectivePlan plan = operation == Operation::scatter ? plan_scatter(model_, root, size)
                                                          : plan_gather(model_, root, size);
    if (settings_.way == Settings::Way::chosen) return plan;
    Query query{plan.model, operation, root, -1, size};
    query.algorithm = Algorithm::at_once;
    plan.piece = size;
    plan.order.clear();
    if (settings_.way == Settings::Way::flat) {
      query.order = plan.order = serving_order(model_, query);
    } else {
      query.algorithm = Algorithm::binomial;
    }
    plan.algorithm = query.algorithm;
    plan.time = predict_time(model_, query);
    return plan;
  }

  void by_mpi(const CollectivePlan& plan) {
    const bool is_root = comm_.rank() == plan.root;
    std::byte* const part = is_root ? nullptr : part_.data();
    if (plan.operation == Operation::scatter) {
      transport_.scatter(whole_.data(), part, plan.size, plan.root);
    } else {
      transport_.gather(part, whole_.data(), plan.size, plan.root);
    }
  }

  void by_model(const CollectivePlan& plan) {
    const int count = static_cast<int>(plan.size.value);
    const bool is_root = comm_.rank() == plan.root;
    void* const part = is_root ? MPI_IN_PLACE : static_cast<void*>(part_.data());
    if (plan.operation == Operation::scatter) {
      bench::scatter(choice(plan), whole_.data(), count, MPI_BYTE, part, count, MPI_BYTE, plan.root,
                     comm_.get(), settings_.wait);
    } else {
      bench::gather(choice(plan), part, count, MPI_BYTE, whole_.data(), count, MPI_BYTE, plan.root,
                    comm_.get(), settings_.wait);
    }
  }

  /// Chosen anew each time, as by a program that keeps no plan.
  [[nodiscard]] CollectivePlan choice(const CollectivePlan& plan) const {
    return plan_of(plan.operation, plan.root, plan.size);
  }

  template <class Work>
  double longest(Work&& work) {
    transport_.barrier();
    const double start = MPI_Wtime();
    work();
    double took = MPI_Wtime() - start;
    MPI_Request request = MPI_REQUEST_NULL;
    double most = 0;
    bench::check(MPI_Iallreduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, comm_.get(), &request),
                 "MPI_Iallreduce");
    transport_.wait(request);
    return most;
  }

  void report(const CollectivePlan& plan, const std::vector<double>& mpi,
              const std::vector<double>& ours) const {
    Query linear{plan.model, plan.operation, plan.root, -1, plan.size};
    linear.algorithm = Algorithm::at_once;
    const double mpi_s = median(mpi);
    const double ours_s = median(ours);
    std::printf("%s,%d,%llu,%.3e,%.3e,%.3e,%.3e,%.3e,%.3f,%.3e,%.3e,%s,%s,%llu,%s\n",
                std::string{to_text(plan.operation)}.c_str(), plan.root,
                static_cast<unsigned long long>(plan.size.value), mpi_s, std::ranges::min(mpi),
                std::ranges::max(mpi), ours_s, std::ranges::max(ours), ours_s / mpi_s,
                plan.time.value, predict_time(model_, linear).value, plan.model.c_str(),
                std::string{to_text(plan.algorithm)}.c_str(),
                static_cast<unsigned long long>(plan.pieces()), order_of(plan).c_str());
    std::fflush(stdout);
  }

  const Settings& settings_;
  const Model& model_;
  bench::Communicator comm_;
  bench::Transport transport_;
  std::vector<std::byte> whole_;
  std::vector<std::byte> part_;
};

void run(const Settings& settings, bool speaks) {
  const Model model = load_model(settings.model);
  if (speaks) {
    std::printf(
        "operation,root,size_bytes,mpi_s,mpi_least_s,mpi_most_s,ours_s,ours_most_s,ratio,predicted_"
        "s,linear_s,"
        "model,algorithm,pieces,order\n");
  }
  Comparison comparison(settings, model);
  for (const Operation operation : settings.operations) {
    for (const int root : settings.roots) {
      for (const Bytes size : settings.sizes) comparison.run(operation, root, size);
    }
  }
}

}  // namespace

const char* const commgauge::tools::program_name = "benchmark-collectives";

int main(int argc, char** argv) {
  using namespace commgauge::tools;
  Settings settings;
  CLI::App app{"MPI_Scatter and MPI_Gather against the model-based ones"};
  app.add_option("model", settings.model, "Model file")->required();
  add_sizes(app, "--sizes", settings.sizes, "Of each rank's block");
  app.add_option("--root", settings.roots, "Roots")->delimiter(',');
  add_whole(app, "--reps", settings.reps, "Repetitions");
  add_text(app, "--operation", "scatter or gather", [&](const std::string& text) {
    settings.operations = {parse_operation(text)};
  })->type_name("scatter|gather");
  add_choice(app, "--wait", settings.wait,
             {{"auto", Wait::automatic}, {"blocking", Wait::blocking}, {"yield", Wait::yield}},
             "How ranks wait");
  using Way = Settings::Way;
  add_choice(app, "--algorithm", settings.way,
             {{"auto", Way::chosen}, {"flat", Way::flat}, {"binomial", Way::binomial}},
             "As the model says, or one of its candidates");
  CLI11_PARSE(app, argc, argv);
  const MpiSession session(argc, argv);
  return session.leave(session.everywhere([&] {
    run(settings, session.speaks());
    return commgauge::ExitCode::done;
  }));
}
