#pragma once

#include <mpi.h>

#include <functional>

#include "commgauge/bench/base/options.hpp"
#include "commgauge/measurements/survey.hpp"
#include "messages/communicator.hpp"

namespace commgauge::bench {

/// Whether a sample of so many ranks may be measured in place of all.
[[nodiscard]] bool wants_survey(const Options& options, int ranks);

/// Looks at all hosts: quick round trips, empty and large, of the first ranks of any two hosts in
/// rounds of disjoint pairs (H − 1 of each size, H hosts), and of each host's first rank with its
/// others (as many as there are, all hosts at the same time). Collective.
/// @param options  the same on every rank; places of each rank, or none.
/// @return on rank 0 with the sample to be measured; elsewhere nothing.
/// @throws InputError, FitError  on every rank.
[[nodiscard]] Survey take_survey(const Communicator& all, const Options& options);

/// Some of a communicator's ranks, in their order, as a communicator of their own.
class SubCommunicator {
 public:
  /// Collective. @param color  of those that belong together; MPI_UNDEFINED: of none
  SubCommunicator(const Communicator& all, int color);
  ~SubCommunicator();
  SubCommunicator(const SubCommunicator&) = delete;
  SubCommunicator& operator=(const SubCommunicator&) = delete;

  [[nodiscard]] bool has_me() const { return comm_ != MPI_COMM_NULL; }
  /// @pre has_me()
  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_{MPI_COMM_NULL};
};

/// Does `work` on this rank, where others do something else, or nothing; all wait quietly until the
/// last is done. Collective over `all`.
/// @param meanwhile  done now and then by a rank that waits
/// @throws InputError, FitError  on every rank: what all of those threw that do the same. What one
///                               rank alone meets (MPI fails, memory runs out) it throws at once.
void each_by_itself(const Communicator& all, const std::function<void()>& work,
                    const std::function<void()>& meanwhile = {});

}  // namespace commgauge::bench
