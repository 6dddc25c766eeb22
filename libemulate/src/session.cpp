// MPI_Init to MPI_Finalize, and what a program asks about time and place.

#include "session.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "collective_algorithms.hpp"
#include "job.hpp"
#include "real_calls.hpp"
#include "real_time.hpp"
#include "report.hpp"
#include "threads.hpp"
#include "variables.hpp"

namespace commgauge {

const preload::Library& preload::library() {
  using namespace emulate;
  static constexpr Library emulation{
      {"emulated", "the emulation"}, variable::machine, variable::process, variable::speaks, say};
  return emulation;
}

}  // namespace commgauge

namespace commgauge::emulate {

Session& session() {
  static Session only;
  return only;
}

namespace {

const char* setting(const char* name) { return variable::value_of(name); }

Machine read_machine() {
  const int fd = std::atoi(setting(variable::machine));
  struct stat about {};
  if (*setting(variable::machine) == '\0' || fstat(fd, &about) != 0) {
    throw InputError(
        "no machine was given (the library was loaded by hand): start the program with "
        "the launcher, emulate --model FILE program");
  }
  std::string bytes(static_cast<std::size_t>(about.st_size), '\0');
  if (pread(fd, bytes.data(), bytes.size(), 0) != about.st_size) {
    throw InputError("the machine can't be read from its file descriptor: start the program again");
  }
  close(fd);
  return simulate::machine_from_bytes(bytes);
}

/// Lets all ranks know of a problem that one has. Collective.
/// @param problem  of this rank; empty: none
/// @throws InputError  on every rank the same: the problem of the lowest rank that has one
void agree(const std::string& problem) {
  constexpr int none = std::numeric_limits<int>::max();
  int teller = none;
  PMPI_Comm_rank(MPI_COMM_WORLD, &teller);
  if (problem.empty()) teller = none;
  real::Allreduce(MPI_IN_PLACE, &teller, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (teller == none) return;
  std::array<char, 1024> text{};
  problem.copy(text.data(), text.size() - 1);
  real::Bcast(text.data(), static_cast<int>(text.size()), MPI_BYTE, teller, MPI_COMM_WORLD);
  throw InputError(text.data());
}

/// Collective: does work that may fail on some ranks only. @throws InputError  on every rank
void together(const std::function<void()>& work) {
  std::string problem;
  try {
    work();
  } catch (const InputError& error) {
    problem = error.what();
  }
  agree(problem);
}

/// Where the first rank's shared memory is.
struct Address {
  std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
  int pid{};
  int fd{};
  Offset place{};
};

struct Shared {
  SharedMemory memory;
  Offset place;
};

Address address_of(const std::optional<SharedMemory>& memory, Offset place) {
  Address address;
  int length = 0;
  real::Get_processor_name(address.host.data(), &length);
  address.pid = getpid();
  address.fd = memory ? memory->fd() : -1;
  address.place = place;
  return address;
}

/// Collective. @throws InputError  on every rank
Shared share_memory(const Machine& machine, int rank) {
  std::optional<SharedMemory> memory;
  Offset place = 0;
  together([&] {
    if (rank != 0) return;
    memory.emplace(SharedMemory::create());
    place = LiveWorld::set_up(*memory, machine);
  });
  const Address own = address_of(memory, place);
  Address first = own;
  real::Bcast(&first, sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
  together([&] {
    if (rank == 0) return;
    if (own.host != first.host) {
      throw InputError("the ranks are on several machines, " + std::string{first.host.data()} +
                       " and " + own.host.data() +
                       " (they must share memory): start all of them on one");
    }
    memory.emplace(SharedMemory::open(first.pid, first.fd));
  });
  return {std::move(*memory), first.place};
}

void start(int rank, int size, int level) {
  Machine machine;
  together([&] { machine = for_job(read_machine(), size); });
  const simulate::AssumedPairs assumed = simulate::assumed_pairs(machine);
  if (rank == 0 && assumed.any()) say(to_text(assumed));
  Shared shared = share_memory(machine, rank);
  Settings settings;
  settings.measures_computing = std::string_view{setting(variable::compute)} != "none";
  settings.cores = std::atoi(setting(variable::cores));
  settings.time_ratio = machine.time_ratios[static_cast<std::size_t>(rank)].value;
  settings.traces = *setting(variable::trace) != '\0';
  settings.follows_real_time = *setting(variable::real_time) != '\0';
  session().live =
      std::make_unique<LiveWorld>(std::move(shared.memory), shared.place, std::move(machine), rank);
  session().emulator = std::make_unique<Emulator>(*session().live, rank, settings);
  session().was_active = true;
  threads::begin(settings.follows_real_time ? MPI_THREAD_SINGLE : level, *session().emulator);
  adopt(MPI_COMM_WORLD);
  adopt(MPI_COMM_SELF);
  if (settings.follows_real_time) {
    double now = real_time();
    real::Bcast(&now, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    emulator().follow_real_time(now);
  }
  real::Barrier(MPI_COMM_WORLD);
  emulator().leave();
}

/// Starts the emulation. If that fails on any rank, rank 0 says why, and all ranks finalize MPI and
/// end: an abort would add lines of MPI's own.
/// @param level  MPI_THREAD_..., as it was given
void start_or_leave(int level, const std::string& problem = {}) {
  preload::mpi_is_called();
  int rank = 0;
  int size = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  try {
    agree(problem);
    start(rank, size, level);
  } catch (const Error& error) {
    if (rank == 0) say(error.what());
    real::Finalize();
    _exit(static_cast<int>(ExitCode::bad_input));
  }
}

void tell_recorder(std::int64_t& time, std::int64_t& cpu) {
  if (!is_active()) return;
  time = std::llround(emulator().clock() * 1e9);
  cpu = std::llround(emulator().computed() * 1e9);
}

}  // namespace

}  // namespace commgauge::emulate

using namespace commgauge::emulate;

extern "C" {

void commgauge_emulate_refuse(const char* problem) {
  if (real::Init(nullptr, nullptr) == MPI_SUCCESS) start_or_leave(MPI_THREAD_SINGLE, problem);
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  // Where real time is followed there is one clock.
  const bool is_real = *setting(variable::real_time) != '\0';
  const int most = is_real ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE;
  const int code = real::Init_thread(argc, argv, std::min(required, most), provided);
  if (code == MPI_SUCCESS) start_or_leave(*provided);
  return code;
}

int MPI_Init(int* argc, char*** argv) {
  const int code = real::Init(argc, argv);
  if (code == MPI_SUCCESS) start_or_leave(MPI_THREAD_SINGLE);
  return code;
}

int MPI_Finalize(void) {
  const int code = call("MPI_Finalize", [](Emulator& e) {
    RankReport own{e.clock(), e.shares(), e.account(), e.use().lost};
    own.add(threads::sum());
    const CommunicatorPtr world = group_communicator(MPI_COMM_WORLD);
    e.run(world, barrier(members_of(world)));
    e.finish();
    const ReportFiles files{setting(variable::report), setting(variable::trace)};
    if (!write_reports(own, files)) commgauge::preload::end_with(commgauge::ExitCode::bad_input);
  });
  if (code != MPI_SUCCESS) return code;
  if (session().at_end != nullptr) session().at_end();
  // Attribute callbacks, which MPI calls here, may still free communicators and the like: the
  // emulator must be there for them.
  const int result = real::Finalize();
  session().last_clock = emulator().clock();
  threads::end();
  session().emulator.reset();
  session().live.reset();
  return result;
}

void commgauge_emulate_pause(std::int64_t* time, std::int64_t* cpu) {
  if (is_active()) emulator().pause();
  tell_recorder(*time, *cpu);
}
void commgauge_emulate_go_on(std::int64_t* time, std::int64_t* cpu) {
  if (is_active()) emulator().go_on();
  tell_recorder(*time, *cpu);
}
void commgauge_emulate_at_end(void (*work)()) { session().at_end = work; }

double MPI_Wtime(void) {
  if (!is_active()) return session().last_clock;
  Emulator& e = emulator();
  e.enter(nullptr);
  const double now = e.read_clock();
  e.leave();
  return now;
}
double MPI_Wtick(void) { return 1e-9; }

int MPI_Get_processor_name(char* name, int* length) {
  return call(nullptr, [&](Emulator& e) {
    std::string host = e.machine().hosts[static_cast<std::size_t>(e.rank())];
    host.resize(std::min<std::size_t>(host.size(), MPI_MAX_PROCESSOR_NAME - 1));
    std::strcpy(name, host.c_str());
    *length = static_cast<int>(host.size());
  });
}

}  // extern "C"
