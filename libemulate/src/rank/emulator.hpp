#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arguments/places.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/simulate/process/process.hpp"
#include "rank/request.hpp"
#include "shared/live_world.hpp"
#include "system/lasting.hpp"
#include "system/processor_clock.hpp"

namespace commgauge::emulate {

using preload::bytes_of;
using preload::lasting;
using preload::Place;
using simulate::Envelope;
using simulate::Mode;
using simulate::Process;
using simulate::ProcessorUse;
using simulate::Shares;
using simulate::Task;

struct TraceEvent {
  const char* name;
  double start;
  double end;
};

/// What the calls of MPI took in real time, before waiting for the end of their emulated time, and
/// what they take on the emulated machine [s] (Mizutani, Ino, Hagihara 2003).
struct Account {
  double taken{};
  double emulated{};
  double behind{};  ///< by which they ended too late
  /// R: below 1, or the emulation falls behind.
  [[nodiscard]] double rate() const { return emulated > 0 ? taken / emulated : 0; }
};

/// Bytes that file operations of a rank have moved.
struct FileTraffic {
  std::uint64_t read{};
  std::uint64_t written{};
};

/// What a file operation takes, beside its messages between ranks.
struct FileCosts {
  bool are_measured{};  ///< by the wall clock
  SecondsPerByte stated{};
};

struct Settings {
  bool measures_computing{};
  FileCosts files;
  int cores{};           ///< of the rank; 0: as many as threads
  double time_ratio{1};  ///< seconds on the machine for one of this processor's
  bool traces{};
  bool follows_real_time{};
};

/// A thread of this process' rank on the emulated machine. Times are virtual [s].
class Emulator final : public Process {
 public:
  /// The rank's first thread. @param live  must outlive it
  Emulator(LiveWorld& live, int rank, const Settings& settings);
  /// A further one, which begins where another is. @param first  must outlive it
  Emulator(Emulator& first, int actor, const Emulator& parent);

  // Every call of MPI is enclosed in these: what was computed since the last one counts.
  // Where the rank has several threads one at a time is within them, but for those that wait.
  void enter(const char* name);
  /// The same where nothing was: what the thread used of its processor since it left isn't
  /// computing.
  void enter_from_sleep();
  void leave();
  /// The same around a file operation, which calls MPI itself in between.
  void enter_files(const char* name);
  void leave_files(const FileTraffic& moved);
  [[nodiscard]] const FileTraffic& file_traffic() const { return file_traffic_; }
  /// What the thread used of its processor since it left isn't computing: it was blocked.
  void forget_computing();
  /// The same by another thread. @param cpu  that it has used [s]
  void forget_computing(double cpu);
  /// Where it is if it computes, at least, by another thread's look [s].
  /// @param cpu  that it has used
  [[nodiscard]] double clock_at(double cpu) const;
  [[nodiscard]] bool measures_computing() const { return settings_.measures_computing; }
  /// What the rank computes from pause() to go_on() isn't the program's: it is being recorded.
  void pause();
  void go_on();
  /// CPU time of the program's own so far, on this processor [s].
  [[nodiscard]] double computed() const { return computed_; }
  [[nodiscard]] bool follows_real_time() const { return settings_.follows_real_time; }

  /// Each call ends no sooner, in real time, than on the emulated machine. Virtual time 0 is at
  /// `real_start`.
  void follow_real_time(double real_start);
  [[nodiscard]] const Account& account() const { return account_; }

  /// Does work that counts as the program's own.
  void compute(const std::function<void()>& work);
  /// The program's own functions, within a call: they may call MPI.
  void run_program(const std::function<void()>& work);
  /// While it is paused that costs nothing.
  double read_clock();

  /// Of the call of MPI that is being made, without what tells large counts; empty: none that a
  /// trace shows.
  [[nodiscard]] std::string call_name() const;

  /// A send or receive that starts now. `place` and `comm` must live until it is over.
  std::unique_ptr<Request> start_send(const CommunicatorPtr& comm, const Place& place, int to,
                                      int tag, int context, Mode mode);
  std::unique_ptr<Request> start_receive(const CommunicatorPtr& comm, const Place& place, int from,
                                         int tag, int context);
  void start(Request& request);
  std::unique_ptr<Request> start_collective(const CommunicatorPtr& comm, Task task);
  /// A send and a receive as one. They haven't started, but for those that are done.
  std::unique_ptr<Request> start_together(std::unique_ptr<Request> first,
                                          std::unique_ptr<Request> second);
  void run(const CommunicatorPtr& comm, Task task);

  // Process' questions, asked until they are answered: meanwhile this process sleeps.

  /// Returns when all of these ranks of the job are here: then they can enter a collective call of
  /// MPI itself without any of them waiting in it, where the emulation doesn't see it.
  /// @param meeting  tells it from others of the same ranks, of other threads
  void synchronise(std::span<const int> members, int meeting = 0);
  /// Returns when all accesses to this rank's memory that have come by now can be carried out.
  void find_accesses();
  /// Lets the rank see what has come to its windows by its clock.
  void show_memory();
  void wait_all(std::span<simulate::Request* const> requests);
  /// Of requests that other threads may take meanwhile. @param asked  () → those that are left
  void wait_all_of(const std::function<std::vector<simulate::Request*>()>& asked);
  void wait_any(std::span<simulate::Request* const> requests);
  /// Takes all of them if all are over now. @return whether that is so
  bool test_all(std::span<simulate::Request* const> requests);
  /// Takes those that are over now, or were at an earlier time.
  void test_some(std::span<simulate::Request* const> requests, double time);
  void test_any(std::span<simulate::Request* const> requests);
  /// A test finds nothing. A program that asks in a loop sees its windows change meanwhile. One
  /// that nobody can answer any more is told of, every minute.
  void poll_unsuccessfully();
  /// @return a message that fits; 0: there is none now, which only one that isn't blocking says
  Offset probe(const Envelope& wanted, bool blocking);

  /// Says that a generalised request is over.
  void complete(Request& generalised);
  /// Whether a receive could be taken back.
  bool cancel(Request& receive);

  /// An operation that goes on although the program will not ask for it again.
  void leave_alone(std::unique_ptr<Request> request);
  /// At the end: other ranks may still need this one's part in those that are collective.
  void wait_for_left_alone();
  /// What goes on when this thread ends is another's.
  void end(Emulator& heir);

  void finish();
  [[nodiscard]] bool has_finished() const { return is_finished_; }

  [[nodiscard]] LiveWorld& live() { return live_; }
  [[nodiscard]] const std::vector<TraceEvent>& trace() const { return trace_; }

 private:
  Offset store(simulate::Request& request) override;
  void deliver(simulate::Request& request, const Message& message) override;
  void reached(simulate::Request& request) override;
  void catch_up(double due) override;
  void wait_for_real_time();
  void tell_of_hopeless_loop();
  void block();
  void count_computing();
  [[nodiscard]] double computed_at(double cpu) const;
  void count_files();
  void pass_files(double seconds);
  [[nodiscard]] bool is_in_files() const { return !file_calls_.empty(); }

  LiveWorld& live_;
  Settings settings_;
  preload::ProcessorClock processor_clock_;
  bool is_finished_{};
  const char* call_{};
  double call_start_{};
  bool polls_unsuccessfully_{};  ///< the call asked, and there was nothing
  long unsuccessful_polls_{};    ///< without any other call in between
  double first_asked_{};         ///< of these, in real time [s]
  double next_word_{};           ///< when that goes on for so long [s]
  double real_start_{};
  double real_entry_{};
  double late_{};  ///< by how much virtual time had to catch up with real time, in this call [s]
  Account account_;
  double cpu_mark_{};
  double computed_{};
  bool is_paused_{};
  std::vector<TraceEvent> trace_;
  std::vector<TraceEvent> file_calls_;  ///< that go on: one may be within another's error handler
  double file_mark_{};
  FileTraffic file_traffic_;
  std::vector<std::unique_ptr<Request>> left_alone_;
  std::vector<std::unique_ptr<Request>> left_receives_;
};

}  // namespace commgauge::emulate
