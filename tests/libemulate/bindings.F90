! MPI's bindings for Fortran: the same program with `use mpi_f08`, with `use mpi`, or with mpif.h, by the macro that
! is defined. Prints what is wrong, of each rank; ends with 1 if anything is.
#if defined(USE_MPI_F08)
#define HANDLE(KIND) type(MPI_/**/KIND)
#define STATUS type(MPI_Status)
#define STATUSES(NUMBER) type(MPI_Status), dimension(NUMBER)
#define OF(KIND, ONE) ONE%KIND
#else
#define HANDLE(KIND) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define STATUSES(NUMBER) integer, dimension(MPI_STATUS_SIZE, NUMBER)
#define OF(KIND, ONE) ONE(KIND)
#endif

module checks
#if defined(USE_MPI_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if !defined(USE_MPI_F08) && !defined(USE_MPI)
  include 'mpif.h'
#endif
  integer :: own, ranks, next, previous, wrong = 0, copied = 0, deleted = 0, told = 0, freed = 0, code

contains

  subroutine check(is_right, what)
    logical, intent(in) :: is_right
    character(*), intent(in) :: what
    if (is_right) return
    wrong = wrong + 1
    print '(a, i0, 2a)', 'rank ', own, ': wrong: ', what
  end subroutine

  subroutine requests
    HANDLE(Request) :: request(4)
    STATUS :: status
    STATUSES(4) :: statuses
    integer, volatile :: sent(2), received(2)
    integer :: count, which, done(4), k
    logical :: flag

    sent = [own, 10 * own]
    call MPI_Irecv(received(1), 1, MPI_INTEGER, previous, 1, MPI_COMM_WORLD, request(1), code)
    call MPI_Irecv(received(2), 1, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, request(2), code)
    call MPI_Isend(sent(1), 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD, request(3), code)
    call MPI_Issend(sent(2), 1, MPI_INTEGER, next, 2, MPI_COMM_WORLD, request(4), code)
    call MPI_Waitall(4, request, statuses, code)
#if defined(USE_MPI_F08)
    call check(statuses(1)%MPI_SOURCE == previous .and. statuses(2)%MPI_TAG == 2, 'statuses of Waitall')
    call MPI_Get_count(statuses(2), MPI_INTEGER, count, code)
#else
    call check(statuses(MPI_SOURCE, 1) == previous .and. statuses(MPI_TAG, 2) == 2, 'statuses of Waitall')
    call MPI_Get_count(statuses(1, 2), MPI_INTEGER, count, code)
#endif
    call check(count == 1 .and. all(received == [previous, 10 * previous]), 'Isend, Irecv')
    call check(all([(request(k) == MPI_REQUEST_NULL, k = 1, 4)]), 'requests after Waitall')

    call MPI_Recv_init(received(1), 1, MPI_INTEGER, previous, 3, MPI_COMM_WORLD, request(1), code)
    call MPI_Send_init(sent(1), 1, MPI_INTEGER, next, 3, MPI_COMM_WORLD, request(2), code)
    do k = 1, 3
      sent(1) = own + k
      call MPI_Startall(2, request, code)
      call MPI_Waitall(2, request, MPI_STATUSES_IGNORE, code)
      call check(received(1) == previous + k, 'persistent requests')
    end do
    call MPI_Request_free(request(1), code)
    call MPI_Request_free(request(2), code)

    call MPI_Isend(sent(1), 1, MPI_INTEGER, next, 4, MPI_COMM_WORLD, request(1), code)
    flag = .false.
    do while (.not. flag)
      call MPI_Iprobe(previous, 4, MPI_COMM_WORLD, flag, status, code)
    end do
    call check(OF(MPI_SOURCE, status) == previous .and. OF(MPI_TAG, status) == 4, 'status of Iprobe')
    call MPI_Recv(received(1), 1, MPI_INTEGER, OF(MPI_SOURCE, status), 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
    call MPI_Waitany(1, request, which, status, code)
    ! The index isn't looked at: some of MPICH's bindings tell another than the standard's.
    call check(request(1) == MPI_REQUEST_NULL .and. received(1) == previous + 3, 'Waitany')

    call MPI_Irecv(received(1), 1, MPI_INTEGER, previous, 5, MPI_COMM_WORLD, request(1), code)
    call MPI_Isend(sent(1), 1, MPI_INTEGER, next, 5, MPI_COMM_WORLD, request(2), code)
    k = 0
    do while (k < 2)
      call MPI_Waitsome(2, request, count, done, statuses, code)
      k = k + count
    end do
    flag = .false.
    call MPI_Testall(2, request, flag, MPI_STATUSES_IGNORE, code)
    call check(flag, 'Testall of no request')
    call MPI_Sendrecv_replace(sent(1), 1, MPI_INTEGER, next, 6, previous, 6, MPI_COMM_WORLD, status, code)
    call check(sent(1) == previous + 3 .and. OF(MPI_TAG, status) == 6, 'Sendrecv_replace')
    call MPI_Sendrecv(own, 1, MPI_INTEGER, MPI_PROC_NULL, 7, received, 2, MPI_INTEGER, MPI_PROC_NULL, 7, &
                      MPI_COMM_WORLD, status, code)
    call MPI_Get_count(status, MPI_INTEGER, count, code)
    call check(OF(MPI_SOURCE, status) == MPI_PROC_NULL .and. count == 0, 'Sendrecv with nobody')
  end subroutine

  subroutine tell(extra, status, error)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    STATUS :: status
    integer :: error
    OF(MPI_TAG, status) = 42
    told = told + int(extra)
    error = MPI_SUCCESS
  end subroutine

  subroutine free(extra, error)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: error
    freed = freed + int(extra)
    error = MPI_SUCCESS
  end subroutine

  subroutine cancel(extra, complete, error)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: error
    call check(extra == 7 .and. .not. complete, 'arguments of a function that cancels')
    error = MPI_SUCCESS
  end subroutine

  subroutine generalised_requests
    HANDLE(Request) :: request
    STATUS :: status
    integer(kind=MPI_ADDRESS_KIND) :: extra = 7

    call MPI_Grequest_start(tell, free, cancel, extra, request, code)
    call MPI_Cancel(request, code)
    call MPI_Grequest_complete(request, code)
    call MPI_Wait(request, status, code)
    call check(told == 7 .and. freed == 7 .and. OF(MPI_TAG, status) == 42, 'Grequest_start')
    call check(request == MPI_REQUEST_NULL, 'a generalised request after Wait')
  end subroutine

  subroutine matched_probes
    HANDLE(Message) :: message
    HANDLE(Request) :: request
    STATUS :: status
    integer :: value

    call MPI_Isend(own, 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD, request, code)
    call MPI_Mprobe(previous, MPI_ANY_TAG, MPI_COMM_WORLD, message, status, code)
    call check(OF(MPI_TAG, status) == 1, 'status of Mprobe')
    call MPI_Mrecv(value, 1, MPI_INTEGER, message, MPI_STATUS_IGNORE, code)
    call check(value == previous .and. message == MPI_MESSAGE_NULL, 'Mrecv')
    call MPI_Wait(request, MPI_STATUS_IGNORE, code)
  end subroutine

  subroutine collectives
    HANDLE(Op) :: op
    HANDLE(Request) :: request
    HANDLE(Datatype) :: types(ranks)
    integer :: all_ranks(ranks), others(ranks), counts(ranks), places(ranks), value, k
    double precision :: numbers(3)

    value = merge(42, 0, own == 0)
    call MPI_Bcast(value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, code)
    call check(value == 42, 'Bcast')
    numbers = own + [0d0, 0.5d0, 1d0]
    call MPI_Allreduce(MPI_IN_PLACE, numbers, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
    call check(all(abs(numbers - (ranks * (ranks - 1) / 2 + ranks * [0d0, 0.5d0, 1d0])) < 1d-9), &
               'Allreduce in place')
    value = own
    if (own == 0) then
      call MPI_Reduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD, code)
      call check(value == ranks - 1, 'Reduce in place')
    else
      call MPI_Reduce(value, k, 1, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD, code)
    end if
    all_ranks = -1
    all_ranks(own + 1) = own
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_ranks, 1, MPI_INTEGER, MPI_COMM_WORLD, code)
    call check(all(all_ranks == [(k, k = 0, ranks - 1)]), 'Allgather in place')
    all_ranks = [(100 * own + k, k = 0, ranks - 1)]
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_ranks, 1, MPI_INTEGER, MPI_COMM_WORLD, code)
    call check(all(all_ranks == [(100 * k + own, k = 0, ranks - 1)]), 'Alltoall in place')
    counts = 1
    places = [(ranks - k, k = 1, ranks)]
    call MPI_Allgatherv(own, 1, MPI_INTEGER, all_ranks, counts, places, MPI_INTEGER, MPI_COMM_WORLD, code)
    call check(all(all_ranks == [(ranks - k, k = 1, ranks)]), 'Allgatherv')
    call MPI_Iallreduce(own, value, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, code)
    call MPI_Wait(request, MPI_STATUS_IGNORE, code)
    call check(value == ranks * (ranks - 1) / 2, 'Iallreduce')
    ! The list of types that MPI gets may be one that the binding makes for the call.
    types = MPI_INTEGER
    places = [(4 * k, k = 0, ranks - 1)]
    all_ranks = [(100 * own + k, k = 0, ranks - 1)]
    others = -1
    call MPI_Ialltoallw(all_ranks, counts, places, types, others, counts, places, types, MPI_COMM_WORLD, request, code)
    call MPI_Wait(request, MPI_STATUS_IGNORE, code)
    call check(all(others == [(100 * k + own, k = 0, ranks - 1)]), 'Ialltoallw')
    call MPI_Ibarrier(MPI_COMM_WORLD, request, code)
    call MPI_Wait(request, MPI_STATUS_IGNORE, code)
    call MPI_Op_create(bits_that_differ, .true., op, code)
    call MPI_Scan(own + 1, value, 1, MPI_INTEGER, op, MPI_COMM_WORLD, code)
    call check(value == iparity([(k, k = 1, own + 1)]), 'Scan with an operator of its own')
    call MPI_Op_free(op, code)
  end subroutine

#if defined(USE_MPI_F08)
  subroutine bits_that_differ(first, second, length, datatype)
    use, intrinsic :: iso_c_binding
    type(c_ptr), value :: first, second
    integer, pointer :: a(:), b(:)
    integer :: length
    type(MPI_Datatype) :: datatype
    call check(datatype == MPI_INTEGER, "an operator's datatype")
    call c_f_pointer(first, a, [length])
    call c_f_pointer(second, b, [length])
    b = ieor(a, b)
  end subroutine
#else
  subroutine bits_that_differ(a, b, length, datatype)
    integer :: length, datatype, a(length), b(length)
    call check(datatype == MPI_INTEGER, "an operator's datatype")
    b = ieor(a, b)
  end subroutine
#endif

  subroutine datatypes
    HANDLE(Datatype) :: column, row, scattered
    HANDLE(Request) :: request
    STATUS :: status
    integer :: square(4, 4), received(4, 4), line(4), count, k
    integer, volatile :: number
    double precision, volatile :: real_number
    integer(MPI_ADDRESS_KIND) :: places(2)

    square = reshape([(k + 100 * own, k = 1, 16)], [4, 4])
    call MPI_Type_contiguous(4, MPI_INTEGER, column, code)
    call MPI_Type_vector(4, 1, 4, MPI_INTEGER, row, code)
    call MPI_Type_commit(column, code)
    call MPI_Type_commit(row, code)
    call MPI_Isend(square(2, 1), 1, row, next, 1, MPI_COMM_WORLD, request, code)
    call MPI_Recv(line, 1, column, previous, 1, MPI_COMM_WORLD, status, code)
    call MPI_Get_elements(status, column, count, code)
    call check(count == 4 .and. all(line == [(4 * k - 2 + 100 * previous, k = 1, 4)]), 'a row as a column')
    call MPI_Wait(request, MPI_STATUS_IGNORE, code)
    received = 0
    call MPI_Allgather(square(1, 1), 1, column, received, 1, column, MPI_COMM_SELF, code)
    call check(all(received(:, 1) == square(:, 1)), 'Allgather of columns')
    call MPI_Type_free(row, code)
    call MPI_Type_free(column, code)

    number = own
    real_number = own + 0.25d0
    call MPI_Get_address(number, places(1), code)
    call MPI_Get_address(real_number, places(2), code)
    call MPI_Type_create_struct(2, [1, 1], places, [MPI_INTEGER, MPI_DOUBLE_PRECISION], scattered, code)
    call MPI_Type_commit(scattered, code)
    call MPI_Sendrecv_replace(MPI_BOTTOM, 1, scattered, next, 2, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
    call check(number == previous .and. real_number == previous + 0.25d0, 'Sendrecv_replace at MPI_BOTTOM')
    call MPI_Bcast(MPI_BOTTOM, 1, scattered, ranks - 1, MPI_COMM_WORLD, code)
    call check(number == modulo(ranks - 2, ranks), 'Bcast at MPI_BOTTOM')
    call MPI_Type_free(scattered, code)
#if defined(USE_MPI_F08)
    ! Sections of arrays, as they are.
    if (MPI_SUBARRAYS_SUPPORTED) then
      line = 0
      call MPI_Isend(square(3, :), 4, MPI_INTEGER, next, 3, MPI_COMM_WORLD, request)
      call MPI_Recv(received(1, ::1), 4, MPI_INTEGER, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call check(all(received(1, :) == [(4 * k - 1 + 100 * previous, k = 1, 4)]), 'a section of an array')
    end if
#endif
  end subroutine

  subroutine communicators
    HANDLE(Comm) :: half, line, copy
    HANDLE(Group) :: group
    integer :: value, size, keyval, k
    integer(MPI_ADDRESS_KIND) :: attribute, no_more
    logical :: flag
    integer :: neighbours(2)

    call MPI_Comm_split(MPI_COMM_WORLD, mod(own, 2), -own, half, code)
    call MPI_Comm_size(half, size, code)
    call MPI_Allreduce(own, value, 1, MPI_INTEGER, MPI_MIN, half, code)
    call check(size == (ranks + 1 - mod(own, 2)) / 2 .and. value == mod(own, 2), 'Comm_split')
    call MPI_Comm_group(half, group, code)
    call MPI_Group_size(group, value, code)
    call check(value == size, 'Comm_group')
    call MPI_Group_free(group, code)
    call MPI_Comm_free(half, code)
    call check(half == MPI_COMM_NULL, 'Comm_free')

    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., line, code)
    call MPI_Neighbor_allgather(own, 1, MPI_INTEGER, neighbours, 1, MPI_INTEGER, line, code)
    call check(all(neighbours == [previous, next]), 'Neighbor_allgather')
    call MPI_Cart_shift(line, 0, 1, value, k, code)
    call check(value == previous .and. k == next, 'Cart_shift')
    call MPI_Comm_free(line, code)

    no_more = 5
    call MPI_Comm_create_keyval(copy_attribute, delete_attribute, keyval, no_more, code)
    call MPI_Comm_dup(MPI_COMM_WORLD, line, code)
    attribute = 1000 + own
    call MPI_Comm_set_attr(line, keyval, attribute, code)
    call MPI_Comm_dup(line, copy, code)
    call MPI_Comm_get_attr(copy, keyval, attribute, flag, code)
    call check(copied == 1 .and. flag .and. attribute == 1001 + own, 'an attribute is copied')
    call MPI_Allreduce(own, value, 1, MPI_INTEGER, MPI_MAX, copy, code)
    call check(value == ranks - 1, 'Allreduce on a copy')
    call MPI_Comm_free(copy, code)
    call MPI_Comm_free(line, code)
    call check(deleted == 2, 'attributes are deleted')
    call MPI_Comm_free_keyval(keyval, code)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, attribute, flag, code)
    call check(flag .and. attribute >= 32767, 'MPI_TAG_UB')
  end subroutine

  subroutine copy_attribute(comm, keyval, extra, value, copy, flag, error)
    HANDLE(Comm) :: comm
    integer :: keyval, error
    integer(MPI_ADDRESS_KIND) :: extra, value, copy
    logical :: flag
    call check(extra == 5, "a callback's extra state")
    copied = copied + 1
    copy = value + 1
    flag = comm /= MPI_COMM_NULL .and. keyval /= MPI_KEYVAL_INVALID
    error = MPI_SUCCESS
  end subroutine

  subroutine delete_attribute(comm, keyval, value, extra, error)
    HANDLE(Comm) :: comm
    integer :: keyval, error
    integer(MPI_ADDRESS_KIND) :: extra, value
    call check(comm /= MPI_COMM_NULL .and. keyval /= MPI_KEYVAL_INVALID .and. value > 999, 'what is deleted')
    call check(extra == 5, "a callback's extra state")
    deleted = deleted + 1
    error = MPI_SUCCESS
  end subroutine

  subroutine errors
    integer :: class, length
    character(MPI_MAX_ERROR_STRING) :: text

    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, code)
    call MPI_Send(own, 1, MPI_INTEGER, ranks, 0, MPI_COMM_WORLD, code)
    call MPI_Error_class(code, class, length)
    call check(class == MPI_ERR_RANK, 'Send to a rank that is not there')
    call MPI_Error_string(code, text, length, class)
    call check(length > 0, 'Error_string')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, code)
  end subroutine

end module

program bindings
  use checks
  implicit none
  integer :: provided, all_wrong
  double precision :: start

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, code)
  call MPI_Comm_rank(MPI_COMM_WORLD, own, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  next = modulo(own + 1, ranks)
  previous = modulo(own - 1, ranks)
  start = MPI_Wtime()
  call requests
  call generalised_requests
  call matched_probes
  call collectives
  call datatypes
  call communicators
  call errors
  call check(MPI_Wtime() > start, 'Wtime')
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  call MPI_Finalize(code)
  if (all_wrong > 0) stop 1
end program
