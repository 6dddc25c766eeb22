#pragma once

#include <vector>

#include "commgauge/model/model.hpp"

namespace commgauge {

/// Ranks by the hosts that they are on: all hosts are of one kind. How hosts differ is the standard
/// deviation of what a message between one of them and the others takes in the mean, by the model's
/// preferred parameters.
/// @param dense  every pair has its own values
[[nodiscard]] MachineClasses placed_on_hosts(const Model& dense);

/// A machine of `hosts` × `per_host` ranks like the model's, by classes; ranks count host by host.
/// Where the model is of such a machine it is that, as it is.
///
/// New hosts are like the model's in their order, over and over, and the last of them, fewer than
/// there are, like as many that lie evenly among these; rank r of one is like rank r mod s of the s
/// ranks there. Hosts that deviate from their kind are left out. Of a model whose pairs have their
/// own values, all hosts are of one kind: placed_on_hosts(), pooled(). Pairs of kinds that have no
/// pair in the model (two hosts like its only one of a kind) take the mean of what its messages
/// from the sender's kind and those to the receiver's take.
///
/// Where it is known how hosts differ (RankKind::spread_fixed, spread_per_byte) each new host gets
/// factors of its own, of fixed parts and of what bytes add, and a pair the mean of its two hosts':
/// in each replicate drawn anew from a normal distribution, so that predictions' intervals hold it,
/// in the central parameters those of an ordinary sample. Beyond 32 hosts some share their factors,
/// not the extreme ones. The same for the same model and numbers. Warnings say what is assumed.
///
/// @throws InputError  fewer than one host or rank; several hosts, or ranks of a host, of a model
///                     that knows no pair of such.
[[nodiscard]] Model extended(const Model& model, int hosts, int per_host);

/// A model, and what is assumed in making it.
struct LargerModel {
  Model model;
  std::vector<Diagnostic> assumed;
};
/// extended(), and the warnings that are new in it. @throws InputError
[[nodiscard]] LargerModel larger_model(const Model& model, int hosts, int per_host);

}  // namespace commgauge
