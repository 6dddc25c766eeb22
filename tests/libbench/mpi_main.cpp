#include <gtest/gtest.h>
#include <mpi.h>

#include <iostream>
#include <string>

namespace {

/// Stands in for Google Test's printer on the ranks other than 0: says nothing but failures.
class FailurePrinter : public ::testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_{rank} {}

  void OnTestStart(const ::testing::TestInfo& test) override {
    test_ = std::string{test.test_suite_name()} + "." + test.name();
  }

  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const char* file = result.file_name() != nullptr ? result.file_name() : "unknown file";
    std::cerr << "[rank " + std::to_string(rank_) + "] " + file + ":" +
                     std::to_string(result.line_number()) + ": " + test_ + ": " + result.message() +
                     "\n";
  }

 private:
  int rank_;
  std::string test_;
};

void print_failures_only(int rank) {
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new FailurePrinter{rank});
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ::testing::InitGoogleTest(&argc, argv);
  int rank{};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) print_failures_only(rank);

  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
