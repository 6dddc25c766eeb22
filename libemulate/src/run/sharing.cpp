#include "run/sharing.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "base/emulation_variables.hpp"
#include "base/say.hpp"
#include "commgauge/base/error.hpp"
#include "mpi/politely.hpp"
#include "mpi/real_calls.hpp"
#include "mpi/world.hpp"

namespace commgauge::emulate {

void agree(const std::string& problem) {
  constexpr int none = std::numeric_limits<int>::max();
  int teller = none;
  if (!problem.empty()) PMPI_Comm_rank(world(), &teller);
  teller = politely::least(teller);
  if (teller == none) return;
  std::array<char, 1024> text{};
  problem.copy(text.data(), text.size() - 1);
  politely::broadcast(text.data(), text.size(), teller);
  throw InputError(text.data());
}

namespace {

/// What the launcher of the first rank has left; those of the others leave none.
std::string bytes_of_machine() {
  const int fd = std::atoi(variable::value_of(variable::machine));
  struct stat about {};
  constexpr int mark = 1;  // behind the machine, see end.hpp
  if (*variable::value_of(variable::machine) == '\0' || fstat(fd, &about) != 0 ||
      about.st_size <= mark) {
    throw InputError(
        "no machine was given (the library was loaded by hand): start the program with "
        "the launcher, emulate --model FILE program");
  }
  std::string bytes(static_cast<std::size_t>(about.st_size), '\0');
  if (pread(fd, bytes.data(), bytes.size(), 0) != about.st_size) {
    throw InputError("the machine can't be read from its file descriptor: start the program again");
  }
  return bytes;
}

/// Where the first rank's shared memory is; no file: it has none.
struct Address {
  std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
  int pid{};
  int fd{-1};
  Offset place{};
};

Address address_of(const std::optional<Shared>& shared) {
  Address address;
  int length = 0;
  real::Get_processor_name(address.host.data(), &length);
  address.pid = getpid();
  if (shared) {
    address.fd = shared->memory.fd();
    address.place = shared->place;
  }
  return address;
}

/// The first rank's part. @throws InputError
Shared set_up(int ranks) {
  const std::string bytes = bytes_of_machine();
  const Machine machine = for_job(simulate::machine_from_bytes(bytes), ranks);
  const simulate::AssumedPairs assumed = simulate::assumed_pairs(machine);
  if (assumed.any()) say(to_text(assumed));
  SharedMemory memory = SharedMemory::create();
  const Offset place = LiveWorld::set_up(memory, machine);
  return {std::move(memory), place};
}

/// The others'. @throws InputError
Shared join(const Address& first, const Address& own) {
  if (own.host != first.host) {
    throw InputError("the ranks are on several machines, " + std::string{first.host.data()} +
                     " and " + own.host.data() +
                     " (they must share memory): start all of them on one");
  }
  return {SharedMemory::open(first.pid, first.fd), first.place};
}

/// What another run has left isn't taken for this one's, however this one ends.
void forget_earlier_results() {
  for (const char* const name : {variable::report, variable::trace}) {
    std::error_code error;
    const auto file = std::filesystem::canonical(variable::value_of(name), error);
    if (std::filesystem::is_regular_file(file, error)) std::filesystem::remove(file, error);
  }
}

}  // namespace

Shared share_memory(int rank, int ranks, std::string problem) {
  std::optional<Shared> shared;
  const auto try_to = [&](const std::function<Shared()>& get) {
    try {
      if (problem.empty()) shared.emplace(get());
    } catch (const InputError& error) {
      problem = error.what();
    }
  };
  if (rank == 0) try_to([&] { return set_up(ranks); });
  const Address own = address_of(shared);
  Address first = own;
  politely::broadcast(&first, sizeof first);
  if (rank != 0 && first.fd >= 0) try_to([&] { return join(first, own); });
  // Before any rank goes on.
  if (rank == 0 && problem.empty()) forget_earlier_results();
  agree(problem);
  return std::move(*shared);
}

}  // namespace commgauge::emulate
