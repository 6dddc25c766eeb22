#include "ranks/rank0.hpp"

#include <algorithm>

#include "commgauge/base/error.hpp"
#include "messages/quiet.hpp"

namespace commgauge::bench {

namespace {

template <class Values>
Values broadcast_values(const Communicator& comm, Values values, MPI_Datatype type, int root) {
  (void)agree_quietly(comm.get(), 0);
  auto length = static_cast<std::uint64_t>(values.size());
  check(MPI_Bcast(&length, 1, MPI_UINT64_T, root, comm.get()), "MPI_Bcast");
  values.resize(length);
  constexpr std::uint64_t piece = 1 << 27;  // MPI counts by int
  for (std::uint64_t at = 0; at < length; at += piece) {
    const auto count = static_cast<int>(std::min(piece, length - at));
    check(MPI_Bcast(values.data() + at, count, type, root, comm.get()), "MPI_Bcast");
  }
  return values;
}

}  // namespace

std::string broadcast(const Communicator& comm, std::string text, int root) {
  return broadcast_values(comm, std::move(text), MPI_CHAR, root);
}

std::vector<std::uint64_t> broadcast(const Communicator& comm, std::vector<std::uint64_t> numbers,
                                     int root) {
  return broadcast_values(comm, std::move(numbers), MPI_UINT64_T, root);
}

std::vector<double> broadcast(const Communicator& comm, std::vector<double> numbers, int root) {
  return broadcast_values(comm, std::move(numbers), MPI_DOUBLE, root);
}

std::vector<Bytes> broadcast(const Communicator& comm, const std::vector<Bytes>& sizes, int root) {
  std::vector<std::uint64_t> numbers;
  for (const Bytes size : sizes) numbers.push_back(size.value);
  std::vector<Bytes> shared;
  for (const std::uint64_t number : broadcast(comm, std::move(numbers), root)) {
    shared.push_back({number});
  }
  return shared;
}

void on_rank_0(const Communicator& comm, const std::function<void()>& work) {
  constexpr char input = 'i';
  constexpr char fit = 'f';
  std::string failure;
  if (comm.rank() == 0) {
    try {
      work();
    } catch (const InputError& error) {
      failure = std::string{input} + error.what();
    } catch (const std::exception& error) {
      failure = std::string{fit} + error.what();
    }
  }
  failure = broadcast(comm, std::move(failure));
  if (failure.empty()) return;
  const std::string message = failure.substr(1);
  if (failure.front() == input) throw InputError(message);
  throw FitError(message);
}

}  // namespace commgauge::bench
