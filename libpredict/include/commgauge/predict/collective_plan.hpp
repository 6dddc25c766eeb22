#pragma once

#include <span>
#include <string>
#include <vector>

#include "commgauge/base/units.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/predict/predict.hpp"

namespace commgauge {

/// How a scatter or a gather is to be carried out.
struct CollectivePlan {
  Operation operation{Operation::scatter};
  int ranks{};
  int root{};
  Bytes size;         ///< of each rank's block
  std::string model;  ///< that the choice was made with
  Algorithm algorithm{Algorithm::flat};
  std::vector<int>
      order;  ///< flat, at_once: all but the root, as it serves them; binomial: empty, MPI's own
  /// Of a gather: blocks are sent in pieces of at most this, one of each rank at a time. `size`
  /// where they are whole.
  Bytes piece;
  Seconds time;  ///< predicted
  [[nodiscard]] std::uint64_t pieces() const {
    return size.value == 0 ? 0 : (size.value + piece.value - 1) / piece.value;
  }
};

/// Chooses from the model alone, so that ranks with the same model choose the same: the flat
/// algorithm in the best serving order, or MPI's own function where a binomial tree, which that is
/// taken to be, is predicted to be faster. A flat one starts all its messages before it waits for
/// any, unless it is faster above the eager limit to send them in turn.
///
/// Flat collectives that the campaign measured and no fit saw (Model::checks) count more than the
/// prediction: where they took longer by more than a quarter, as where packets are dropped, the
/// flat algorithm is taken to be as much slower; below the size that shows it in proportion to the
/// size.
///
/// No tree where it is a star anyway (three ranks), or where a message would be beyond INT_MAX.
///
/// @param name  one of model_names(); empty: the best-ranked that can say.
/// @throws InputError  no such rank, no such model in the file, a pair that was not measured.
/// O(n log n) where formulas tell the times, O(n²) where the virtual machine does.
[[nodiscard]] CollectivePlan plan_scatter(const Model& model, int root, Bytes size,
                                          const std::string& name = {});

/// The same for a gather, which must not escalate: up to a size R that the sweep of flat gathers
/// has shown to be regular all ranks send at once. Larger blocks go in pieces, in turn (beyond M2,
/// or where nothing escalates), or up the tree (where nothing escalates), whichever is predicted to
/// be fastest; the tree as in plan_scatter().
///
/// R is the lower end of M1's interval (M1 where it is open), and pieces are at most R/2: they
/// follow each other without the pause in which a connection becomes slow again, and at R itself
/// they were seen to escalate. Where nothing escalates R is the eager limit, for only messages up
/// to it were seen to come all at once, and pieces are at most R. Without a sweep nothing is known
/// of escalations, and nothing is cut.
///
/// @note The sweep's root and number of ranks are taken to stand for all roots.
[[nodiscard]] CollectivePlan plan_gather(const Model& model, int root, Bytes size,
                                         const std::string& name = {});

/// Whether the sweep of gathers saw this size escalate, the ends' intervals included: some
/// repetitions then take far longer than predict() says.
[[nodiscard]] bool gather_escalates(const Model& model, Bytes size);

/// The faster of a collective's two algorithms.
struct FasterAlgorithm {
  Algorithm algorithm{Algorithm::flat};
  /// The two intervals don't meet, and the model was fitted for what either algorithm sends.
  bool certain{};
};

/// Compares what predict() says of either algorithm, served in `query.order`; equal times:
/// flat. Flat collectives that were measured count as in plan_scatter(). A gather beyond R
/// (plan_gather()) is not certain where gathers escalate: no model foresees how much longer it
/// takes.
/// @throws InputError  as predict(). @pre `query` is a collective, flat or
/// at once
[[nodiscard]] FasterAlgorithm faster_algorithm(const Model& model, const Query& query);
/// The same of each, in their order. @pre all are of one model
[[nodiscard]] std::vector<FasterAlgorithm> faster_algorithms(const Model& model,
                                                             std::span<const Query> queries);

}  // namespace commgauge
