#include "mpi/by_mpi.hpp"

#include <numeric>

#include "arguments/groups.hpp"
#include "mpi/real_calls.hpp"

namespace commgauge::record {

namespace {

int length_of(std::string_view text) { return static_cast<int>(text.size()); }

std::vector<int> starts_of(const std::vector<int>& lengths) {
  std::vector<int> starts(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
  return starts;
}

class ByMpi final : public trace::Together {
 public:
  ByMpi() {
    PMPI_Comm_rank(world_, &rank_);
    PMPI_Comm_size(world_, &size_);
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  void barrier() override { mpi::Barrier(world_); }

  [[nodiscard]] std::string bcast(std::string_view of_root) override {
    int length = length_of(of_root);
    mpi::Bcast(&length, 1, MPI_INT, 0, world_);
    std::string text{rank_ == 0 ? of_root : std::string_view{}};
    text.resize(static_cast<std::size_t>(length));
    mpi::Bcast(text.data(), length, MPI_CHAR, 0, world_);
    return text;
  }

  [[nodiscard]] std::vector<std::string> gather(std::string_view own) override {
    const int length = length_of(own);
    std::vector<int> lengths(static_cast<std::size_t>(rank_ == 0 ? size_ : 0));
    mpi::Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, world_);
    const std::vector<int> starts = starts_of(lengths);
    std::string all(std::reduce(lengths.begin(), lengths.end(), std::size_t{0}), '\0');
    mpi::Gatherv(own.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR,
                 0, world_);
    std::vector<std::string> result;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      result.push_back(
          all.substr(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(lengths[i])));
    }
    return result;
  }

  [[nodiscard]] std::string scatter(const std::vector<std::string>& of_root) override {
    std::vector<int> lengths;
    std::string all;
    if (rank_ == 0) {
      for (const std::string& text : of_root) {
        lengths.push_back(length_of(text));
        all += text;
      }
    }
    int length = 0;
    mpi::Scatter(lengths.data(), 1, MPI_INT, &length, 1, MPI_INT, 0, world_);
    const std::vector<int> starts = starts_of(lengths);
    std::string own(static_cast<std::size_t>(length), '\0');
    mpi::Scatterv(all.data(), lengths.data(), starts.data(), MPI_CHAR, own.data(), length, MPI_CHAR,
                  0, world_);
    return own;
  }

 private:
  MPI_Comm world_{preload::job_communicators().world};
  int rank_{};
  int size_{};
};

}  // namespace

std::unique_ptr<trace::Together> by_mpi() { return std::make_unique<ByMpi>(); }

}  // namespace commgauge::record
