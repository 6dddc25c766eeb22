#include <vector>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::call_test {

/// What handlers were told: classes of errors.
struct Told {
  std::vector<int> of_communicators;
  std::vector<int> of_windows;
};
Told told;

void hear(MPI_Comm*, int* code, ...) { told.of_communicators.push_back(class_of(*code)); }
void hear_of_window(MPI_Win*, int* code, ...) { told.of_windows.push_back(class_of(*code)); }

class ErrorHandlers : public Aligned {
 protected:
  ErrorHandlers() {
    told = {};
    MPI_Comm_create_errhandler(hear, &handler_);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy_);
  }
  ~ErrorHandlers() override {
    MPI_Comm_free(&copy_);
    MPI_Errhandler_free(&handler_);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  }
  /// To a rank that is not there.
  int send_wrongly(MPI_Comm comm) {
    return class_of(MPI_Send(&rank_, 1, MPI_INT, ranks_, 0, comm));
  }

  MPI_Errhandler handler_{MPI_ERRHANDLER_NULL};
  MPI_Comm copy_{MPI_COMM_NULL};
};

TEST_F(ErrorHandlers, ACommunicatorsOwnHearsOfItsErrors) {
  MPI_Comm_set_errhandler(copy_, handler_);
  EXPECT_EQ(send_wrongly(copy_), MPI_ERR_RANK);
  EXPECT_EQ(told.of_communicators, (std::vector{MPI_ERR_RANK}));
}

TEST_F(ErrorHandlers, TheWorldsHearsForWhoHasNone) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler_);
  EXPECT_EQ(send_wrongly(copy_), MPI_ERR_RANK);
  EXPECT_EQ(told.of_communicators, (std::vector{MPI_ERR_RANK}));
}

TEST_F(ErrorHandlers, OneThatReturnsTellsNobody) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler_);
  MPI_Comm_set_errhandler(copy_, MPI_ERRORS_RETURN);
  EXPECT_EQ(send_wrongly(copy_), MPI_ERR_RANK);
  EXPECT_TRUE(told.of_communicators.empty());
}

TEST_F(ErrorHandlers, AWindowsHearsOfItsErrors) {
  int memory = 0;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Win_create_errhandler(hear_of_window, &handler);
  MPI_Win_set_errhandler(window, handler);
  EXPECT_EQ(class_of(MPI_Win_unlock(next(), window)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(told.of_windows, (std::vector{MPI_ERR_RMA_SYNC}));
  EXPECT_TRUE(told.of_communicators.empty());
  MPI_Errhandler_free(&handler);
  MPI_Win_free(&window);
}

TEST_F(ErrorHandlers, TheCallAfterAnErrorIsAsGoodAsAny) {
  const ErrorsReturn errors_return;
  EXPECT_EQ(send_wrongly(MPI_COMM_WORLD), MPI_ERR_RANK);
  align();
  EXPECT_NEAR(time_of([] { MPI_Barrier(MPI_COMM_WORLD); }), 2 * message(0), eps);
}

}  // namespace commgauge::virtual_time::call_test
