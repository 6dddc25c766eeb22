! A ring in the bindings of MPI-3 for Fortran. Prints the rank, what it received and from whom, the
! sum over all ranks, and the time that the message took to come [s].
program ring
  use mpi_f08
  implicit none
  integer :: own, ranks, received, total
  double precision :: start, time
  type(MPI_Status) :: status
  type(MPI_Request) :: request

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, own)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  start = MPI_Wtime()
  call MPI_Isend(own, 1, MPI_INTEGER, modulo(own + 1, ranks), 3, MPI_COMM_WORLD, request)
  call MPI_Recv(received, 1, MPI_INTEGER, modulo(own - 1, ranks), 3, MPI_COMM_WORLD, status)
  time = MPI_Wtime() - start
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  total = received
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  print '(4(i0, 1x), f14.12)', own, received, status%MPI_SOURCE, total, time
  call MPI_Finalize()
end program
