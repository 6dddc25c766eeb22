#include "ranks/row_gathering.hpp"

#include <gtest/gtest.h>

namespace commgauge::bench::row_gathering_test {

Observation row_of(const Experiment& experiment, int pass, double time) {
  Observation row;
  row.experiment = experiment;
  row.pass = pass;
  row.time_s = time;
  return row;
}

TEST(PutInOrder, ByPassThenByExperiment) {
  const Experiment small = round_trip(0, 1, Bytes{1}, {});
  const Experiment large = round_trip(0, 1, Bytes{2}, {});
  std::vector<Observation> rows{row_of(large, 0, 1), row_of(small, 1, 2), row_of(small, 0, 3),
                                row_of(small, 1, 4)};
  put_in_order(rows);
  std::vector<double> times;
  for (const Observation& row : rows) times.push_back(row.time_s);
  EXPECT_EQ(times, (std::vector<double>{3, 1, 2, 4})) << "of equal ones the order stays";
}

/// Rank r has r rows, the k-th of pass k.
TEST(GatherRows, Rank0HasThoseOfAllInOrder) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto made = [](int rank, int pass) {
    Observation row = row_of(round_trip(rank, 0, Bytes{1ull << 40U}, Bytes{7}), pass, rank + 0.25);
    row.low_s = 1;
    row.high_s = 2;
    row.sd_s = 3;
    row.level = 0.9;
    row.blocks = 10 * rank + pass;
    row.block_length = 5;
    row.converged = rank % 2 == 0;
    row.lost_blocks = 6;
    row.repeated_blocks = 4;
    row.block_means_s.assign(static_cast<std::size_t>(rank + pass), 0.5 * rank);
    return row;
  };
  std::vector<Observation> mine;
  for (int pass = comm.rank() - 1; pass >= 0; --pass) mine.push_back(made(comm.rank(), pass));
  const std::vector<Observation> rows = gather_rows(comm, mine);
  if (comm.rank() != 0) {
    EXPECT_TRUE(rows.empty());
    return;
  }
  std::vector<Observation> expected;
  for (int pass = 0; pass < comm.size(); ++pass) {
    for (int rank = pass + 1; rank < comm.size(); ++rank) expected.push_back(made(rank, pass));
  }
  ASSERT_EQ(rows.size(), expected.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ(rows[k].experiment, expected[k].experiment);
    EXPECT_EQ(rows[k].pass, expected[k].pass);
    EXPECT_EQ(rows[k].time_s, expected[k].time_s);
    EXPECT_EQ(rows[k].low_s, 1);
    EXPECT_EQ(rows[k].high_s, 2);
    EXPECT_EQ(rows[k].sd_s, 3);
    EXPECT_EQ(rows[k].level, 0.9);
    EXPECT_EQ(rows[k].blocks, expected[k].blocks);
    EXPECT_EQ(rows[k].block_length, 5);
    EXPECT_EQ(rows[k].converged, expected[k].converged);
    EXPECT_EQ(rows[k].lost_blocks, 6);
    EXPECT_EQ(rows[k].repeated_blocks, 4);
    EXPECT_EQ(rows[k].block_means_s, expected[k].block_means_s);
  }
}

TEST(GatherRows, NoneAreNone) {
  const Communicator comm(MPI_COMM_WORLD);
  EXPECT_TRUE(gather_rows(comm, {}).empty());
}

}  // namespace commgauge::bench::row_gathering_test
