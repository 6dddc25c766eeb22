#include <string>

#include "virtual_time.hpp"

#if MPI_VERSION >= 4

namespace commgauge::virtual_time::sessions_test {

/// Beside MPI_Init.
class Sessions : public Aligned {
 protected:
  Sessions() {
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session_);
    MPI_Group_from_session_pset(session_, "mpi://WORLD", &world_);
  }
  ~Sessions() override {
    MPI_Group_free(&world_);
    MPI_Session_finalize(&session_);
  }
  MPI_Comm communicator_of(MPI_Group group, const std::string& tag) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_create_from_group(group, tag.c_str(), MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    return comm;
  }

  MPI_Session session_{MPI_SESSION_NULL};
  MPI_Group world_{MPI_GROUP_NULL};
};

TEST_F(Sessions, ACommunicatorIsMadeWhenAllOfItsGroupHaveCome) {
  align();
  MPI_Comm comm = MPI_COMM_NULL;
  EXPECT_NEAR(time_of([&] { comm = communicator_of(world_, "all"); }), 2 * message(0), eps);
  int sum = 0;
  EXPECT_NEAR(time_of([&] { MPI_Allreduce(&rank_, &sum, 1, MPI_INT, MPI_SUM, comm); }),
              2 * message(4), eps);
  EXPECT_EQ(sum, 6);
  MPI_Comm_free(&comm);
}

TEST_F(Sessions, GroupsMeetOnTheirOwn) {
  const int pair[2]{rank_ / 2 * 2, rank_ / 2 * 2 + 1};
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group_incl(world_, 2, pair, &group);
  align();
  if (rank_ == 2) pass(500 * us);
  MPI_Comm comm = MPI_COMM_NULL;
  const double time = time_of([&] { comm = communicator_of(group, std::to_string(pair[0])); });
  if (rank_ < 2) {
    EXPECT_NEAR(time, message(0), eps);
  }
  if (rank_ == 3) {
    EXPECT_NEAR(time, 500 * us + message(0), eps);
  }
  int size = 0;
  MPI_Comm_size(comm, &size);
  EXPECT_EQ(size, 2);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
}

TEST_F(Sessions, TheOtherOnesGoOnWhenOneEnds) {
  MPI_Session more = MPI_SESSION_NULL;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &more);
  MPI_Session_finalize(&more);
  align();
  EXPECT_NEAR(time_of([] { MPI_Barrier(MPI_COMM_WORLD); }), 2 * message(0), eps);
}

}  // namespace commgauge::virtual_time::sessions_test

#endif
