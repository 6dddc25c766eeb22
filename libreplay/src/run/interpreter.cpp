#include "run/interpreter.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "commgauge/base/error.hpp"

namespace commgauge::replay {

using simulate::Task;
using trace::Event;
namespace event = trace::event;

namespace {

constexpr double nanosecond = 1e-9;
constexpr double clock_cost = 20e-9;  ///< [s] of reading MPI_Wtime, as in emulation

std::uint32_t number_of(const trace::Trace& trace, const char* name) {
  return static_cast<std::uint32_t>(std::ranges::find(trace.names, name) - trace.names.begin());
}

}  // namespace

Names::Names(const trace::Trace& trace)
    : finalize{number_of(trace, "MPI_Finalize")},
      session_finalize{number_of(trace, "MPI_Session_finalize")},
      wait_some{number_of(trace, "MPI_Waitsome")} {
  for (const std::string& name : trace.names) {
    asks_now.push_back(name == "MPI_Iprobe" || name == "MPI_Improbe");
    is_mpi.push_back(name.starts_with("MPI_"));
    starts_mpi.push_back(name.starts_with("MPI_Init"));
  }
  asks_now.push_back(0);  // where no call was entered
}

Interpreter::Interpreter(InterpretedRank& rank, simulate::CoroutineProcess& process,
                         std::size_t thread)
    : rank_{rank},
      process_{process},
      thread_{thread},
      trace_{rank.trace_},
      recorded_{rank.recorded_},
      options_{rank.options_},
      mark_{rank.marks_ != nullptr ? rank.first_mark_[thread] : 0},
      call_{static_cast<std::uint32_t>(trace_.names.size())},
      begun_{process.clock()} {}

/// Messages of the program's own have even contexts, those of collective operations odd ones.
int Interpreter::program_context(std::uint32_t context) const {
  const int first = communicator(context).is_window ? simulate::first_window_context : 0;
  return first + static_cast<int>(2 * context);
}
int Interpreter::collective_context(std::uint32_t context) const {
  return program_context(context) + 1;
}

void Interpreter::refuse(const std::string& why) const {
  throw InputError("rank " + std::to_string(process_.rank()) + ", event " + std::to_string(at_) +
                   " of the trace (" + why + "): record the program again");
}

const trace::Communicator& Interpreter::communicator(std::uint32_t context) const {
  if (context >= trace_.communicators.size()) refuse("there is no such communicator");
  return trace_.communicators[context];
}

/// What the program's computing is told by: CPU time, or that of the event.
std::int64_t Interpreter::program_time(std::int64_t processor) const {
  return trace_.has_processor_time ? processor : recorded_.events[at_].time;
}

/// What the program computed since its last call.
void Interpreter::compute_until(std::int64_t now) {
  const auto passed = static_cast<double>(std::max<std::int64_t>(now - program_since_, 0));
  if (!options_.computes || passed == 0) {
    if (rank_.notes_idleness_) process_.compute_nothing();
    return;
  }
  const auto rank = static_cast<std::size_t>(process_.rank());
  const double ratio = process_.machine().time_ratios[rank].value;
  const double needs = passed * nanosecond * ratio;
  work_ += passed * nanosecond;
  computed_ += needs;
  if (rank_.cores_) {
    process_.wait_for_core(
        rank_.cores_->take(process_.clock(), needs, [&] { return rank_.least_clock(); }));
  }
  process_.compute(needs);
}

void Interpreter::mark() {
  if (rank_.marks_ == nullptr) return;
  (*rank_.marks_)[mark_++] = {process_.clock(), computed_, process_.now()};
}

/// @return the first thread's event that enters MPI_Finalize, or ends a session and is the last
/// call of MPI; else none
std::size_t Interpreter::find_end_of_mpi() const {
  const Names& names = rank_.names_;
  bool calls_mpi_after = false;
  for (std::size_t i = events_of(recorded_, 0).size(); i-- > 0;) {
    const auto* const call = recorded_.events[i].as<event::Enter>();
    if (call == nullptr || call->name >= names.is_mpi.size()) continue;
    if (call->name == names.finalize) return i;
    if (names.is_mpi[call->name] == 0) continue;
    if (call->name == names.session_finalize && !calls_mpi_after) return i;
    calls_mpi_after = true;
  }
  return recorded_.events.size();
}

/// Of the first thread.
void Interpreter::note_end() {
  RankResult& result = rank_.result_;
  result.end = process_.clock();
  result.work += work_;
  result.shares += process_.shares();
  result.in_turn += process_.in_turn();
  if (options_.causes != nullptr) options_.causes->set_end(process_.rank(), process_.now());
}

/// A call within a call, or within MPI_Init, computes nothing of the program's.
std::optional<Task> Interpreter::act(const event::Enter& call) {
  if (call.name >= trace_.names.size()) refuse("its name isn't there");
  if (depth_++ == 0 && !rank_.names_.starts_mpi[call.name]) {
    compute_until(program_time(call.processor));
  }
  if (rank_.has_threads() && rank_.names_.is_mpi[call.name]) return enter_in_turn(call);
  enter(call);
  return std::nullopt;
}

Task Interpreter::enter_in_turn(const event::Enter& call) {
  co_await process_.own_turn();
  enter(call);
}

void Interpreter::enter(const event::Enter& call) {
  mark();
  call_ = call.name;
  if (at_ == end_of_mpi_) note_end();
}

void Interpreter::act(const event::Leave& call) {
  process_.wait_for_processor();
  mark();
  depth_ = std::max(depth_ - 1, 0);
  program_since_ = program_time(call.processor);
}

void Interpreter::act(const event::RegionBegin& region) { pass_border(region.processor); }
void Interpreter::act(const event::RegionEnd& region) { pass_border(region.processor); }

void Interpreter::pass_border(std::int64_t processor) {
  if (depth_ == 0) compute_until(program_time(processor));
  program_since_ = program_time(processor);
  mark();
}

/// Measured computing has what the readings took.
void Interpreter::act(const event::ClockReads& reads) {
  if (options_.computes && !trace_.is_virtual) return;
  if (reads.count > most_attempts) refuse("it reads the clock beyond all reason");
  process_.compute(clock_cost, reads.count);
}

Task Interpreter::act(const event::Sleep& sleep) {
  if (rank_.has_threads()) co_await process_.own_turn();
  process_.sleep(static_cast<double>(sleep.nanoseconds) * nanosecond);
}

std::optional<Task> Interpreter::act(const Event& event) {
  return std::visit(
      [this](const auto& what) -> std::optional<Task> {
        if constexpr (!std::is_void_v<decltype(act(what))>) {
          return act(what);
        } else {
          act(what);
          return std::nullopt;
        }
      },
      event.what);
}

Task Interpreter::run() {
  const auto own = events_of(recorded_, thread_);
  end_of_mpi_ = thread_ == 0 ? find_end_of_mpi() : recorded_.events.size();
  first_ = static_cast<std::size_t>(own.data() - recorded_.events.data());
  for (at_ = first_; at_ < first_ + own.size(); ++at_) {
    process_.set_place(static_cast<std::uint32_t>(at_));
    if (std::optional<Task> goes_on = act(recorded_.events[at_])) co_await std::move(*goes_on);
  }
  if (thread_ == 0) {
    if (end_of_mpi_ == recorded_.events.size()) note_end();
  } else {
    has_ended_ = true;
    rank_.end(*this);
  }
}

}  // namespace commgauge::replay
