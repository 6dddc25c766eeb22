/* Open MPI 4's names of what is in MPI since 4.0, for programs that use it. */
#include <mpi.h>

#include <mpi-ext.h>

#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Exscan_init MPIX_Exscan_init
#define MPI_Gatherv_init MPIX_Gatherv_init
#define MPI_Scan_init MPIX_Scan_init
