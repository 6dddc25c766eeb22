#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::files_test {

/// A file that the ranks share. Each writes two ints, at its place.
class Files : public Aligned {
 protected:
  Files() {
    int number = static_cast<int>(getpid());
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    path_ = testing::TempDir() + "emulated-calls." + std::to_string(number);
    MPI_File_open(MPI_COMM_WORLD, path_.c_str(),
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file_);
    MPI_File_set_size(file_, 0);
    align();
  }
  ~Files() override { MPI_File_close(&file_); }

  static MPI_Offset place(int rank) { return rank * MPI_Offset{sizeof(Pair)}; }
  static int count_of(const MPI_Status& status) {
    int count = -1;
    MPI_Get_count(&status, MPI_INT, &count);
    return count;
  }

  using Pair = std::array<int, 2>;
  std::string path_;
  MPI_File file_{MPI_FILE_NULL};
  Pair own_{rank_, -rank_};
  Pair in_{};
};

TEST_F(Files, WhatAllHaveWrittenEachCanRead) {
  MPI_Status status;
  MPI_File_write_at_all(file_, place(rank_), own_.data(), 2, MPI_INT, &status);
  EXPECT_EQ(count_of(status), 2);
  MPI_File_sync(file_);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file_, place(next()), in_.data(), 2, MPI_INT, &status);
  EXPECT_EQ(count_of(status), 2);
  EXPECT_EQ(in_, (Pair{next(), -next()}));
}

TEST_F(Files, DataOfARankAloneCostNothingWhereFilesAreFree) {
  const double time = time_of([&] {
    MPI_File_write_at(file_, place(rank_), own_.data(), 2, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(file_, place(rank_), in_.data(), 2, MPI_INT, MPI_STATUS_IGNORE);
  });
  EXPECT_EQ(in_, own_);
  EXPECT_NEAR(time, 0, eps);
}

TEST_F(Files, ARequestIsOverAndKnowsItsData) {
  MPI_File_write_at(file_, place(rank_), own_.data(), 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_File_iread_at(file_, place(rank_), in_.data(), 2, MPI_INT, &request);
  MPI_Status status;
  EXPECT_NEAR(time_of([&] { MPI_Wait(&request, &status); }), 0, eps);
  EXPECT_EQ(count_of(status), 2);
  EXPECT_EQ(in_, own_);
}

TEST_F(Files, WhereMpiWaitsForAllMessagesTakeTheirTime) {
  EXPECT_GE(time_of([&] { MPI_File_set_size(file_, 100); }), 2 * message(0) - eps);
  MPI_Offset size = 0;
  MPI_File_get_size(file_, &size);
  EXPECT_EQ(size, 100);
}

TEST_F(Files, AReadBeyondTheEndGetsWhatIsThere) {
  MPI_File_set_size(file_, sizeof(int));
  MPI_Status status;
  MPI_File_read_at(file_, 0, in_.data(), 2, MPI_INT, &status);
  EXPECT_EQ(count_of(status), 1);
}

TEST_F(Files, OneThatIsNotThereIsAnError) {
  MPI_File none = MPI_FILE_NULL;
  const std::string path = path_ + ".none";
  EXPECT_EQ(
      class_of(MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &none)),
      MPI_ERR_NO_SUCH_FILE);
}

}  // namespace commgauge::virtual_time::files_test
