#pragma once

#include <functional>
#include <map>
#include <string>

#include "commgauge/model/model.hpp"

namespace commgauge {

/// By what the times of a pair's messages are multiplied, and how sure that is.
struct TimeFactors {
  double fixed{1};       ///< of empty messages
  double per_byte{1};    ///< of what each byte adds
  double fixed_sd{};     ///< standard deviation of its logarithm
  double per_byte_sd{};  ///< likewise
  friend bool operator==(const TimeFactors&, const TimeFactors&) = default;
};

/// The model of a machine whose messages take longer, or shorter, than the model says. Predictions
/// of a message between two ranks are multiplied by the factors of their class.
///
/// Some parameters belong to ranks (LMO's C and t, the bottleneck's C). They stay where the link
/// has a parameter, which then takes the rest. LOM has no L: there each rank's C is multiplied so
/// that the mean of both ranks' factors is the pair's; a rank's factor is 0.1 at least. The
/// bottleneck's s and r are multiplied by the factor of the rank's messages, since the slower one
/// counts. Means over all pairs follow. Intervals and replicates hold how sure the factors are.
///
/// A model whose pairs each have their own values gets a kind for each rank (Model::classes).
///
/// @param apart    the hosts that differ from their kind, each with a name; hosts with one name
///                 form a kind
/// @param of_pair  must be the same for pairs of one class whose hosts are the same in `apart`
/// O(classes · replicates), of a model without classes O(ranks² · replicates). No MPI.
[[nodiscard]] Model shifted(const Model& model, const std::map<std::string, std::string>& apart,
                            const std::function<TimeFactors(int from, int to)>& of_pair);

}  // namespace commgauge
