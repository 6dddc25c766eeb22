#pragma once

#include <string>
#include <vector>

#include "commgauge/costs/extended.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge {

/// The model of a machine for a job on some of its hosts, in any order, by the hosts' names.
///
/// Rank r of a host is like rank r mod s of the s ranks that the model has there, so that it costs
/// what it costs in the file, pair by pair; parameters of one rank stand for ranks that share its
/// place. Pairs that the model lacks (two ranks on the place of one) take the mean of what their
/// ranks' messages take. Names are the same with and without a domain (`n7`, `n7.cluster`).
///
/// A host that the file doesn't know is like those whose names differ in their last number alone,
/// if these are all of one kind in a model by classes; `assumed` says so of each. Overheads grow
/// with the job's ranks where that was measured (overhead_growth).
///
/// O(ranks of the job + kinds² of the model). No MPI.
///
/// @param hosts  by rank of the job: the name of its host; at least one
/// @throws InputError  hosts that nothing tells, by name; several ranks of a host, or several
/// hosts,
///                     where the model knows no pair of such.
[[nodiscard]] LargerModel model_of_job(const Model& model, const std::vector<std::string>& hosts);

/// The hosts of a job's ranks, from a list as launchers and batch systems have it: a host in each
/// line, with or without a number of ranks (`n7`, `n7:4`, `n7 slots=4`). `#` begins a comment.
/// Ranks are counted line by line; a host may stand in several.
/// @param ranks  of a host in whose line there is no number
/// @param name  of the file, for messages. @throws InputError  line and reason
[[nodiscard]] std::vector<std::string> hosts_from_text(const std::string& text, int ranks,
                                                       const std::string& name);

}  // namespace commgauge
