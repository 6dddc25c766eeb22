#pragma once

#include <mpi.h>

#include <string>

#include "commgauge/bench/base/options.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/predict/collective_plan.hpp"

namespace commgauge::bench {

struct CollectiveOptions {
  std::string model;  ///< whose predictions decide; empty: the best-ranked that can say
  /// automatic: ranks yield their cores while they wait, where ranks share cores.
  Wait wait{Wait::automatic};
};

// MPI_Scatter and MPI_Gather, carried out as the model says is fastest, see plan_scatter() and
// plan_gather(). Arguments and results are those of the MPI functions, for every datatype, count
// and root, MPI_IN_PLACE at the root included.
//
// Collective over `comm`, which is an intracommunicator of as many ranks as the model has, rank i
// being the model's rank i. Every rank gives the same model and options and decides by itself: no
// message is spent on agreeing. The first call on a communicator duplicates it; the duplicate is
// freed with it. Needs MPI_THREAD_SINGLE; not two calls on one communicator at the same time.
//
// @throws InputError  the communicator, its size or the root is wrong, or the model can't say: on
//                     every rank alike. A plan for something else.
// @throws MpiError    an MPI call failed. What was under way is lost, as with MPI.

void scatter(const Model& model, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
             void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
             const CollectiveOptions& options = {});
void gather(const Model& model, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
            void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
            const CollectiveOptions& options = {});

// By a plan made before, the same on every rank: saves choosing where many are alike. Where the
// virtual machine tells the times, as above the eager limit, choosing costs O(n²): some 25 ms for
// 64 ranks.

void scatter(const CollectivePlan& plan, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
             void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
             Wait wait = Wait::automatic);
void gather(const CollectivePlan& plan, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
            void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
            Wait wait = Wait::automatic);

}  // namespace commgauge::bench
