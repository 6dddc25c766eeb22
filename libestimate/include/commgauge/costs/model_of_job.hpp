#pragma once

#include <string>
#include <vector>

#include "commgauge/costs/extended.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge {

/// The model of a machine for a job on some of its hosts, in any order, by the hosts' names.
///
/// Rank r of a host is like rank r mod s of the s ranks that the model has there: a pair of two
/// such costs what it costs in the file. Pairs that the model lacks (two ranks at the place of one)
/// take the mean of what messages of a host's ranks take; `assumed` names their hosts. Names are
/// the same with and without a domain (`n7`, `n7.cluster`).
///
/// A model by classes knows a host that it lacks by its name: it is like hosts whose names differ
/// in their last number alone, if these are all of one kind; `assumed` says so of each, and the
/// intervals of its messages are wider by how hosts of that kind differ (5 % where that is not
/// known). Overheads grow with the job's ranks where that was measured (overhead_growth).
///
/// O(ranks of the job + kinds²), where a job has more ranks on a host than the model O(kinds³). A
/// model without classes has as many kinds as ranks. No MPI.
///
/// @param hosts  by rank of the job: the name of its host; at least one
/// @throws InputError  hosts that nothing tells, by name; several ranks of a host, or several
///                     hosts, where the model knows no pair of such.
[[nodiscard]] LargerModel model_of_job(const Model& model, const std::vector<std::string>& hosts);

/// The hosts of a job's ranks, from a list as launchers and batch systems have it: a host in each
/// line, with or without a number of ranks (`n7`, `n7:4`, `n7 slots=4`). `#` begins a comment.
/// Ranks are counted line by line; a host may stand in several.
/// @param ranks  of a host in whose line there is no number
/// @param name  of the file, for messages. @throws InputError  line and reason
[[nodiscard]] std::vector<std::string> hosts_from_text(const std::string& text, int ranks,
                                                       const std::string& name);

}  // namespace commgauge
