// Factorises a symmetric positive definite matrix, A = L·Lᵀ (one of the programs of Demaine 1996).
// Columns are dealt to the ranks in turn: rank r has columns r, r + P, r + 2P, ...
//
//   mpiexec -n 4 cholesky fan-in|fan-out [ORDER]
//
// fan-out: a column that is ready goes to all ranks that need it, and they update theirs.
// fan-in: for each column the others send its owner the sum of what theirs change in it.
// Prints how long it took, making the matrix included, and ends with 1 if the result is wrong.

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

/// From the diagonal down; row i of column j is at i - j.
using Column = std::vector<double>;

/// The factor is known: L(i, j) = scale(i), below and on the diagonal.
double scale(int row) { return 1 + 0.125 * (row % 7); }

Column column_of_matrix(int j, int order) {
  Column column;
  for (int i = j; i < order; ++i) column.push_back(scale(i) * scale(j) * (j + 1));
  return column;
}

class Matrix {
 public:
  Matrix(int order, int rank, int ranks) : order_{order}, rank_{rank}, ranks_{ranks} {
    for (int j = rank; j < order; j += ranks) columns_.push_back(column_of_matrix(j, order));
  }

  void fan_out() {
    for (int k = 0; k < order_; ++k) {
      if (!needs(rank_, k)) continue;
      if (owner(k) == rank_) {
        normalise(own(k));
        send_to_others(k);
        update_behind(k, own(k));
      } else {
        update_behind(k, receive(owner(k), k));
      }
    }
  }

  void fan_in() {
    for (int j = 0; j < order_; ++j) {
      Column sum(length(j));
      for (int k = rank_; k < j; k += ranks_) add_change(sum, own(k), j - k);
      if (owner(j) == rank_) {
        subtract(own(j), sum);
        for (int rank = 0; rank < std::min(ranks_, j); ++rank) {
          if (rank != rank_) subtract(own(j), receive(rank, j));
        }
        normalise(own(j));
      } else if (rank_ < j) {
        send(sum, owner(j), j);
      }
    }
  }

  /// Of this rank's columns, relative.
  [[nodiscard]] double largest_error() const {
    double largest = 0;
    for (int j = rank_; j < order_; j += ranks_) {
      const Column& column = columns_[static_cast<std::size_t>(j / ranks_)];
      for (int i = j; i < order_; ++i) {
        const double error = column[static_cast<std::size_t>(i - j)] / scale(i) - 1;
        largest = std::max(largest, std::abs(error));
      }
    }
    return largest;
  }

 private:
  [[nodiscard]] int owner(int column) const { return column % ranks_; }
  [[nodiscard]] std::size_t length(int column) const {
    return static_cast<std::size_t>(order_ - column);
  }
  Column& own(int column) { return columns_[static_cast<std::size_t>(column / ranks_)]; }

  /// Whether the rank has the column, or one behind it.
  [[nodiscard]] bool needs(int rank, int column) const {
    const int first = column + (rank - column % ranks_ + ranks_) % ranks_;
    return first < order_;
  }

  static void normalise(Column& column) {
    const double root = std::sqrt(column.front());
    for (double& value : column) value /= root;
  }
  static void subtract(Column& column, const Column& change) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] -= change[i];
  }
  /// What a finished column changes in the one `distance` behind it.
  static void add_change(Column& sum, const Column& finished, int distance) {
    const auto first = static_cast<std::size_t>(distance);
    const double factor = finished[first];
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * finished[first + i];
  }

  void update_behind(int k, const Column& finished) {
    for (int j = k + 1; j < order_; ++j) {
      if (owner(j) != rank_) continue;
      Column change(length(j));
      add_change(change, finished, j - k);
      subtract(own(j), change);
    }
  }

  void send_to_others(int k) {
    for (int rank = 0; rank < ranks_; ++rank) {
      if (rank != rank_ && needs(rank, k)) send(own(k), rank, k);
    }
  }

  static void send(const Column& column, int to, int tag) {
    MPI_Send(column.data(), static_cast<int>(column.size()), MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
  }
  [[nodiscard]] Column receive(int from, int column) const {
    Column result(length(column));
    MPI_Recv(result.data(), static_cast<int>(result.size()), MPI_DOUBLE, from, column,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return result;
  }

  int order_;
  int rank_;
  int ranks_;
  std::vector<Column> columns_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string_view how = argc > 1 ? argv[1] : "fan-out";
  const int order = argc > 2 ? std::atoi(argv[2]) : 200;
  if ((how != "fan-in" && how != "fan-out") || order < 1) {
    if (rank == 0) std::fputs("cholesky: give fan-in or fan-out, and an order\n", stderr);
    MPI_Finalize();
    return 2;
  }

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  Matrix matrix(order, rank, ranks);
  if (how == "fan-in") {
    matrix.fan_in();
  } else {
    matrix.fan_out();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double time = MPI_Wtime() - start;

  const double own_error = matrix.largest_error();
  double error = 0;
  MPI_Allreduce(&own_error, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const bool right = error < 1e-9;
  if (rank == 0) std::printf("factorised in %.6f s%s\n", time, right ? "" : ", wrongly");
  std::fflush(stdout);
  MPI_Finalize();
  return right ? 0 : 1;
}
