#include "lifetime/roll_call.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <vector>

#include "arguments/groups.hpp"
#include "lifetime/end.hpp"
#include "program/mpi_library.hpp"
#include "system/c_library.hpp"

namespace commgauge::preload {

namespace {

namespace real {
COMMGAUGE_REAL(Irecv);
COMMGAUGE_REAL(Isend);
COMMGAUGE_REAL(Test);
}  // namespace real

constexpr int tag = 32323;  // MPI has tags up to 32767 at least

double now() {
  timespec time{};
  real_clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// After the last rank that came. All are out of MPI_Init, so what they need is a core.
double longest_wait(int ranks) { return 10 + 0.1 * ranks; }  // [s]

/// @return whether it is over before that time
bool wait_until(double end, MPI_Request& request, MPI_Status* status) {
  constexpr long first = 20'000;       // [ns]
  constexpr long longest = 5'000'000;  // [ns]
  int is_over = 0;
  for (long rest = first; now() < end; rest = std::min(2 * rest, longest)) {
    real::Test(&request, &is_over, status);
    if (is_over != 0) return true;
    pause({0, rest});
  }
  return false;
}

std::string in_words(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i > 0) text += i + 1 == ranks.size() ? " and " : ", ";
    text += std::to_string(ranks[i]);
  }
  return text + (ranks.size() == 1 ? " isn't " : " aren't ");
}

std::string missing(const std::vector<int>& ranks) {
  const std::string program = library().launcher;
  return in_words(ranks) + library().purpose.done + " (the program was started without " + program +
         " there, as where one part of an MPMD command line lacks it): write " + program +
         " and its options before each program";
}

/// "--name value" of the lines that the other text hasn't.
std::string only_in(const std::string& text, const std::string& other) {
  std::istringstream lines(text);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    if (("\n" + other).find("\n" + line + "\n") != std::string::npos) continue;
    if (const auto equals = line.find('='); equals != std::string::npos) line[equals] = ' ';
    std::erase(line, '"');
    found += (found.empty() ? "--" : ", --") + line;
  }
  return found;
}

std::string differing(int rank, const std::string& its, const std::string& first) {
  const std::string here = only_in(its, first);
  const std::string there = only_in(first, its);
  const std::string how = here.empty()    ? "without " + there
                          : there.empty() ? here + ", which rank 0 does not have"
                                          : here + " instead of " + there;
  return "rank " + std::to_string(rank) + " has other options than rank 0 (" + how +
         "): give the same in each part of the command line";
}

using Text = std::array<char, 4096>;

/// The others come one by one, and each hears that the first is there.
RollCall meet_others(MPI_Comm all, int size, const std::string& options) {
  RollCall found;
  std::vector<bool> is_here(static_cast<std::size_t>(size));
  is_here[0] = true;
  const double longest = longest_wait(size);
  for (int left = size - 1; left > 0; --left) {
    Text text{};
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    real::Irecv(text.data(), text.size() - 1, MPI_CHAR, MPI_ANY_SOURCE, tag, all, &request);
    if (!wait_until(now() + longest, request, &status)) {
      std::vector<int> absent;
      for (int r = 0; r < size; ++r) {
        if (!is_here[static_cast<std::size_t>(r)]) absent.push_back(r);
      }
      return {missing(absent), false};
    }
    is_here[static_cast<std::size_t>(status.MPI_SOURCE)] = true;
    const bool are_known = !options.empty() && text[0] != 0;  // else its launcher has failed
    if (found.problem.empty() && are_known && options != text.data()) {
      found.problem = differing(status.MPI_SOURCE, text.data(), options);
    }
    real::Isend(nullptr, 0, MPI_CHAR, status.MPI_SOURCE, tag, all, &request);
    (void)wait_until(now() + longest, request, MPI_STATUS_IGNORE);
  }
  return found;
}

RollCall meet_first(MPI_Comm all, int rank, int size, const std::string& options) {
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  real::Isend(options.data(), static_cast<int>(options.size()), MPI_CHAR, 0, tag, all,
              requests.data());
  real::Irecv(nullptr, 0, MPI_CHAR, 0, tag, all, &requests[1]);
  // The first to know ends the job: the others needn't say the same.
  const double end = now() + longest_wait(size) + 0.05 * std::min(rank, 100);
  for (MPI_Request& request : requests) {
    if (!wait_until(end, request, MPI_STATUS_IGNORE)) return {missing({0}), false};
  }
  return {};
}

}  // namespace

RollCall call_roll(const std::string& options) {
  const MPI_Comm all = job_communicators().world;
  int rank = 0;
  int size = 0;
  PMPI_Comm_rank(all, &rank);
  PMPI_Comm_size(all, &size);
  // In a job that sessions have started MPICH 4.0.2 crashes in MPI_Test.
  if (all != MPI_COMM_WORLD) return {};
  const std::string own = options.substr(0, std::tuple_size_v<Text> - 1);
  return rank == 0 ? meet_others(all, size, own) : meet_first(all, rank, size, own);
}

}  // namespace commgauge::preload
