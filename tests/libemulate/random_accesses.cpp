// Random programs of one-sided communication, full of races: each rank computes as long as what it
// fetches says, so that the times tell the outcomes.
//
//   emulated-random-accesses COUNT FIRST_SEED PAUSES
//
// PAUSES seeds real pauses, of which virtual time must know nothing; 0: none. Prints a line for
// each program: its seed and every rank's virtual time at its end, to the bit.

#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "random_run.hpp"

namespace {

using namespace random_run;

constexpr int words = 3000;

class Program {
 public:
  Program(std::uint64_t seed, Pauses& pauses)
      : shared_{seed}, private_{seed * 1000 + at(own)}, pauses_{pauses}, room_(words) {
    MPI_Win_create(memory_, sizeof memory_, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win_);
  }
  ~Program() { MPI_Win_free(&win_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void run() {
    for (int step = 1 + draw(shared_, 4); step > 0; --step) {
      switch (draw(shared_, 3)) {
        case 0:
          between_fences();
          break;
        case 1:
          with_a_lock();
          break;
        case 2:
          for_neighbours();
          break;
        default:
          with_all_locks();
      }
    }
  }

 private:
  /// Of a few places, so that ranks meet there.
  void access() {
    const int target = draw(private_, ranks - 1);
    const int count = draw(private_, 5) == 0 ? 1 + draw(private_, words - 20) : 1;
    const MPI_Aint place = draw(private_, 3);
    int* const data = room_.data();
    data[0] = own + draw(private_, 50);
    switch (draw(private_, 5)) {
      case 0:
        MPI_Put(data, count, MPI_INT, target, place, count, MPI_INT, win_);
        break;
      case 1:
        MPI_Get(data, count, MPI_INT, target, place, count, MPI_INT, win_);
        break;
      case 2:
        MPI_Accumulate(data, count, MPI_INT, target, place, count, MPI_INT, MPI_SUM, win_);
        break;
      case 3:
        MPI_Fetch_and_op(data, &fetched_, MPI_INT, target, place, MPI_REPLACE, win_);
        break;
      case 4:
        MPI_Compare_and_swap(data, &fetched_, &swapped_, MPI_INT, target, place, win_);
        break;
      default:
        MPI_Get_accumulate(data, 1, MPI_INT, &fetched_, 1, MPI_INT, target, place, 1, MPI_INT,
                           MPI_SUM, win_);
    }
  }

  /// As long as what is known of others says.
  void go_on() {
    pauses_.maybe();
    const auto sum = static_cast<unsigned>(fetched_ + swapped_ + room_[0]);
    compute(static_cast<int>(sum % 40));
  }

  void between_fences() {
    MPI_Win_fence(0, win_);
    for (int i = draw(private_, 5); i > 0; --i) access();
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win_);
    go_on();
  }

  void with_a_lock() {
    for (int turn = draw(private_, 3); turn > 0; --turn) {
      const int target = draw(private_, ranks - 1);
      const int kind = draw(private_, 1) == 0 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
      MPI_Win_lock(kind, target, 0, win_);
      MPI_Get(&fetched_, 1, MPI_INT, target, 0, 1, MPI_INT, win_);
      MPI_Win_flush(target, win_);
      go_on();
      MPI_Put(&own, 1, MPI_INT, target, 0, 1, MPI_INT, win_);
      MPI_Win_unlock(target, win_);
    }
    exchange();
  }

  void for_neighbours() {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Win_get_group(win_, &all);
    const int left = (own + ranks - 1) % ranks;
    const int right = (own + 1) % ranks;
    MPI_Group origins = MPI_GROUP_NULL;
    MPI_Group targets = MPI_GROUP_NULL;
    MPI_Group_incl(all, 1, &left, &origins);
    MPI_Group_incl(all, 1, &right, &targets);
    MPI_Win_post(origins, 0, win_);
    go_on();
    MPI_Win_start(targets, 0, win_);
    MPI_Put(&own, 1, MPI_INT, right, 1, 1, MPI_INT, win_);
    MPI_Win_complete(win_);
    int done = 0;
    MPI_Win_test(win_, &done);
    if (done == 0) MPI_Win_wait(win_);
    MPI_Group_free(&all);
    MPI_Group_free(&origins);
    MPI_Group_free(&targets);
  }

  void with_all_locks() {
    MPI_Win_lock_all(0, win_);
    for (int i = draw(private_, 9); i > 0; --i) {
      access();
      if (draw(private_, 2) == 0) continue;
      if (draw(private_, 1) == 0) {
        MPI_Win_flush_all(win_);
      } else {
        MPI_Win_sync(win_);
        fetched_ += memory_[1];
      }
      go_on();
    }
    // No rank waits for another with a lock in its hands: that one may wait for it.
    MPI_Win_unlock_all(win_);
    exchange();
  }

  void exchange() {
    int from_left = 0;
    MPI_Sendrecv(&fetched_, 1, MPI_INT, (own + 1) % ranks, 0, &from_left, 1, MPI_INT,
                 MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    swapped_ += from_left;
    go_on();
  }

  Random shared_;
  Random private_;
  Pauses& pauses_;
  MPI_Win win_{MPI_WIN_NULL};
  alignas(16) int memory_[words]{};  // for MPICH 4.0.2 itself
  std::vector<int> room_;
  int fetched_{};
  int swapped_{};
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4 || ranks < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  const std::uint64_t first = std::strtoull(argv[2], nullptr, 10);
  Pauses pauses(std::atoi(argv[3]));
  const std::uint64_t count = std::strtoull(argv[1], nullptr, 10);
  run_all(count, first, [&](std::uint64_t seed) { Program(seed, pauses).run(); });
  MPI_Finalize();
}
