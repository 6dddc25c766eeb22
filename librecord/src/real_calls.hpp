#pragma once

#include "emulation.hpp"
#include "mpi_library.hpp"

#define COMMGAUGE_BEHIND(NAME)                                       \
  inline const auto NAME = reinterpret_cast<decltype(&PMPI_##NAME)>( \
      ::commgauge::preload::function_behind("PMPI"                   \
                                            "_" #NAME,               \
                                            static_cast<bool>(::commgauge::record::emulation())))

/// Functions that the recorder takes the place of, as they are behind it: MPI's own, or those of
/// the emulation.
namespace commgauge::record::real {

COMMGAUGE_BEHIND(Abort);
COMMGAUGE_BEHIND(Allgather);
COMMGAUGE_BEHIND(Allgather_init);
COMMGAUGE_BEHIND(Allgatherv);
COMMGAUGE_BEHIND(Allgatherv_init);
COMMGAUGE_BEHIND(Allreduce);
COMMGAUGE_BEHIND(Allreduce_init);
COMMGAUGE_BEHIND(Alltoall);
COMMGAUGE_BEHIND(Alltoall_init);
COMMGAUGE_BEHIND(Alltoallv);
COMMGAUGE_BEHIND(Alltoallv_init);
COMMGAUGE_BEHIND(Alltoallw);
COMMGAUGE_BEHIND(Alltoallw_init);
COMMGAUGE_BEHIND(Barrier);
COMMGAUGE_BEHIND(Barrier_init);
COMMGAUGE_BEHIND(Bcast);
COMMGAUGE_BEHIND(Bcast_init);
COMMGAUGE_BEHIND(Bsend);
COMMGAUGE_BEHIND(Bsend_init);
COMMGAUGE_BEHIND(Cancel);
COMMGAUGE_BEHIND(Cart_create);
COMMGAUGE_BEHIND(Cart_sub);
COMMGAUGE_BEHIND(Comm_create);
COMMGAUGE_BEHIND(Comm_create_group);
COMMGAUGE_BEHIND(Comm_disconnect);
COMMGAUGE_BEHIND(Comm_dup);
COMMGAUGE_BEHIND(Comm_dup_with_info);
COMMGAUGE_BEHIND(Comm_free);
COMMGAUGE_BEHIND(Comm_set_name);
COMMGAUGE_BEHIND(Comm_split);
COMMGAUGE_BEHIND(Comm_split_type);
COMMGAUGE_BEHIND(Dist_graph_create);
COMMGAUGE_BEHIND(Dist_graph_create_adjacent);
COMMGAUGE_BEHIND(Exscan);
COMMGAUGE_BEHIND(Exscan_init);
COMMGAUGE_BEHIND(Finalize);
COMMGAUGE_BEHIND(Gather);
COMMGAUGE_BEHIND(Gather_init);
COMMGAUGE_BEHIND(Gatherv);
COMMGAUGE_BEHIND(Gatherv_init);
COMMGAUGE_BEHIND(Graph_create);
COMMGAUGE_BEHIND(Iallgather);
COMMGAUGE_BEHIND(Iallgatherv);
COMMGAUGE_BEHIND(Iallreduce);
COMMGAUGE_BEHIND(Ialltoall);
COMMGAUGE_BEHIND(Ialltoallv);
COMMGAUGE_BEHIND(Ialltoallw);
COMMGAUGE_BEHIND(Ibarrier);
COMMGAUGE_BEHIND(Ibcast);
COMMGAUGE_BEHIND(Ibsend);
COMMGAUGE_BEHIND(Iexscan);
COMMGAUGE_BEHIND(Igather);
COMMGAUGE_BEHIND(Igatherv);
COMMGAUGE_BEHIND(Improbe);
COMMGAUGE_BEHIND(Imrecv);
COMMGAUGE_BEHIND(Ineighbor_allgather);
COMMGAUGE_BEHIND(Ineighbor_allgatherv);
COMMGAUGE_BEHIND(Ineighbor_alltoall);
COMMGAUGE_BEHIND(Ineighbor_alltoallv);
COMMGAUGE_BEHIND(Ineighbor_alltoallw);
COMMGAUGE_BEHIND(Init);
COMMGAUGE_BEHIND(Init_thread);
COMMGAUGE_BEHIND(Intercomm_create);
COMMGAUGE_BEHIND(Intercomm_merge);
COMMGAUGE_BEHIND(Iprobe);
COMMGAUGE_BEHIND(Irecv);
COMMGAUGE_BEHIND(Ireduce);
COMMGAUGE_BEHIND(Ireduce_scatter);
COMMGAUGE_BEHIND(Ireduce_scatter_block);
COMMGAUGE_BEHIND(Irsend);
COMMGAUGE_BEHIND(Iscan);
COMMGAUGE_BEHIND(Iscatter);
COMMGAUGE_BEHIND(Iscatterv);
COMMGAUGE_BEHIND(Isend);
COMMGAUGE_BEHIND(Issend);
COMMGAUGE_BEHIND(Mprobe);
COMMGAUGE_BEHIND(Mrecv);
COMMGAUGE_BEHIND(Neighbor_allgather);
COMMGAUGE_BEHIND(Neighbor_allgather_init);
COMMGAUGE_BEHIND(Neighbor_allgatherv);
COMMGAUGE_BEHIND(Neighbor_allgatherv_init);
COMMGAUGE_BEHIND(Neighbor_alltoall);
COMMGAUGE_BEHIND(Neighbor_alltoall_init);
COMMGAUGE_BEHIND(Neighbor_alltoallv);
COMMGAUGE_BEHIND(Neighbor_alltoallv_init);
COMMGAUGE_BEHIND(Neighbor_alltoallw);
COMMGAUGE_BEHIND(Neighbor_alltoallw_init);
COMMGAUGE_BEHIND(Pcontrol);
COMMGAUGE_BEHIND(Probe);
COMMGAUGE_BEHIND(Recv);
COMMGAUGE_BEHIND(Recv_init);
COMMGAUGE_BEHIND(Reduce);
COMMGAUGE_BEHIND(Reduce_init);
COMMGAUGE_BEHIND(Reduce_scatter);
COMMGAUGE_BEHIND(Reduce_scatter_block);
COMMGAUGE_BEHIND(Reduce_scatter_block_init);
COMMGAUGE_BEHIND(Reduce_scatter_init);
COMMGAUGE_BEHIND(Request_free);
COMMGAUGE_BEHIND(Request_get_status);
COMMGAUGE_BEHIND(Rsend);
COMMGAUGE_BEHIND(Rsend_init);
COMMGAUGE_BEHIND(Scan);
COMMGAUGE_BEHIND(Scan_init);
COMMGAUGE_BEHIND(Scatter);
COMMGAUGE_BEHIND(Scatter_init);
COMMGAUGE_BEHIND(Scatterv);
COMMGAUGE_BEHIND(Scatterv_init);
COMMGAUGE_BEHIND(Send);
COMMGAUGE_BEHIND(Send_init);
COMMGAUGE_BEHIND(Sendrecv);
COMMGAUGE_BEHIND(Sendrecv_replace);
COMMGAUGE_BEHIND(Ssend);
COMMGAUGE_BEHIND(Ssend_init);
COMMGAUGE_BEHIND(Start);
COMMGAUGE_BEHIND(Startall);
COMMGAUGE_BEHIND(Test);
COMMGAUGE_BEHIND(Testall);
COMMGAUGE_BEHIND(Testany);
COMMGAUGE_BEHIND(Testsome);
COMMGAUGE_BEHIND(Wait);
COMMGAUGE_BEHIND(Waitall);
COMMGAUGE_BEHIND(Waitany);
COMMGAUGE_BEHIND(Waitsome);
COMMGAUGE_BEHIND(Wtime);

}  // namespace commgauge::record::real

/// MPI's own, for what ranks do together beside the program.
namespace commgauge::record::mpi {

COMMGAUGE_REAL(Barrier);
COMMGAUGE_REAL(Bcast);
COMMGAUGE_REAL(Gather);
COMMGAUGE_REAL(Gatherv);
COMMGAUGE_REAL(Scatter);
COMMGAUGE_REAL(Scatterv);

}  // namespace commgauge::record::mpi
