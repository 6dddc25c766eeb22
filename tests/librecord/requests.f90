! Requests of all kinds in the older bindings for Fortran: each rank to all others.
program requests
  use mpi
  implicit none
  integer :: own, ranks, peer, error, index, round
  integer, allocatable :: all(:), received(:)
  integer, asynchronous :: from
  logical :: over

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, own, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  allocate (all(2 * ranks), received(ranks))
  all = MPI_REQUEST_NULL
  do peer = 0, ranks - 1
    if (peer == own) cycle
    call MPI_Irecv(received(peer + 1), 1, MPI_INTEGER, peer, 0, MPI_COMM_WORLD, all(peer + 1), error)
    call MPI_Isend(own, 1, MPI_INTEGER, peer, 0, MPI_COMM_WORLD, all(ranks + peer + 1), error)
  end do
  call MPI_Waitany(2 * ranks, all, index, MPI_STATUS_IGNORE, error)
  if (all(index) /= MPI_REQUEST_NULL) call MPI_Abort(MPI_COMM_WORLD, 1, error)
  call MPI_Waitall(2 * ranks, all, MPI_STATUSES_IGNORE, error)
  if (any(all /= MPI_REQUEST_NULL)) call MPI_Abort(MPI_COMM_WORLD, 2, error)

  call MPI_Send_init(own, 1, MPI_INTEGER, modulo(own + 1, ranks), 1, MPI_COMM_WORLD, all(1), error)
  call MPI_Recv_init(from, 1, MPI_INTEGER, modulo(own - 1, ranks), 1, MPI_COMM_WORLD, all(2), error)
  do round = 1, 3
    call MPI_Startall(2, all, error)
    over = .false.
    do while (.not. over)
      call MPI_Testall(2, all, over, MPI_STATUSES_IGNORE, error)
    end do
    if (from /= modulo(own - 1, ranks)) call MPI_Abort(MPI_COMM_WORLD, 3, error)
  end do
  call MPI_Request_free(all(1), error)
  call MPI_Request_free(all(2), error)
  call MPI_Finalize(error)
end program
