#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collective.hpp"
#include "engine.hpp"
#include "commgauge/simulate/machine.hpp"
#include "shared.hpp"

namespace commgauge::emulate {

/// A communicator as the emulation sees it.
struct Communicator {
  MPI_Comm handle{MPI_COMM_NULL};
  int id{};
  bool is_inter{};
  int rank{};
  std::vector<int> peers;      ///< rank of the job by rank of the (remote) group
  std::vector<int> positions;  ///< the reverse; −1: not in it
  int collectives{};           ///< started so far
  int persistent_collectives{};

  [[nodiscard]] int size() const { return static_cast<int>(peers.size()); }
  [[nodiscard]] int program_context() const { return 2 * id; }
  [[nodiscard]] int collective_context() const { return 2 * id + 1; }
};
using CommunicatorPtr = std::shared_ptr<Communicator>;

/// An error that the program's error handler is told of.
struct MpiFailure {
  MPI_Comm comm;
  int code;
};

/// A part of a buffer in MPI's terms.
struct Place {
  void* buffer{};
  int count{};
  MPI_Datatype type{MPI_BYTE};
};

[[nodiscard]] std::uint64_t bytes_of(const Place& place);

enum class Mode { standard, buffered, synchronous };

/// What an MPI_Request stands for, and blocking operations while they last.
struct Request {
  enum class Kind { send, receive, collective };
  Kind kind{};
  CommunicatorPtr comm;
  Place place;
  bool owns_type{};
  int peer{};  ///< rank of the job, or `wildcard`; MPI_PROC_NULL
  int tag{};
  int context{};
  Mode mode{};
  bool persistent{};
  bool active{true};
  bool done{};
  Offset operation{};
  std::unique_ptr<Activity> activity;
  std::optional<Task> task;
  std::function<Task()> make_task;  ///< of a persistent collective operation
  // Of what is done:
  int source{MPI_ANY_SOURCE};
  int found_tag{MPI_ANY_TAG};
  std::uint64_t bytes{};
  int error{MPI_SUCCESS};

  Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request();
};

/// A send or receive that has not started.
[[nodiscard]] std::unique_ptr<Request> make_request(Request::Kind kind, const CommunicatorPtr& comm,
                                                    const Place& place, int peer, int tag,
                                                    int context, Mode mode);

/// Where a rank's time went [s].
struct Shares {
  double computing{};
  double sending{};
  double receiving{};
  double waiting{};
};

/// Of a rank's processor. A rank that sleeps takes no CPU time, one that waits in MPI spins.
struct ProcessorUse {
  double got{};   ///< [s]
  double lost{};  ///< to others [s]
  long losses{};
  long sleeps{};
};

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

struct Settings {
  bool measures_computing{};
  double time_ratio{1};  ///< seconds on the machine for one of this processor's
  bool traces{};
  bool follows_real_time{};
};

/// This process' rank on the emulated machine: its clock, its messages. Times are virtual [s].
class Emulator {
 public:
  Emulator(SharedMemory memory, Offset region, Machine machine, int rank, const Settings& settings);

  // Every call of MPI is enclosed in these: what was computed since the last one counts.
  void enter(const char* name);
  void leave();
  [[nodiscard]] bool is_inside() const { return inside_ || is_finished_; }
  [[nodiscard]] bool follows_real_time() const { return settings_.follows_real_time; }

  /// Each call ends no sooner, in real time, than on the emulated machine. Virtual time 0 is at
  /// `real_start`.
  void follow_real_time(double real_start);
  [[nodiscard]] const Account& account() const { return account_; }

  [[nodiscard]] double clock() const { return clock_; }
  void sleep(double seconds);
  [[nodiscard]] const ProcessorUse& use() const { return use_; }
  /// Does work that counts as the program's own.
  void compute(const std::function<void()>& work);
  double read_clock();

  /// A send or receive that starts now. `place` and `comm` must live until it is over.
  std::unique_ptr<Request> start_send(const CommunicatorPtr& comm, const Place& place, int to,
                                      int tag, int context, Mode mode);
  std::unique_ptr<Request> start_receive(const CommunicatorPtr& comm, const Place& place, int from,
                                         int tag, int context);
  void start(Request& request);
  std::unique_ptr<Request> start_collective(const CommunicatorPtr& comm, Task task);
  void run(const CommunicatorPtr& comm, Task task);
  /// Returns when all of these ranks of the job are here: then they can enter a collective call of
  /// MPI itself without any of them waiting in it, where the emulation doesn't see it.
  void synchronise(std::span<const int> members);

  void wait_all(std::span<Request* const> requests);
  void wait_any(std::span<Request* const> requests);
  /// Takes all of them if all are over now. @return whether that is so
  bool test_all(std::span<Request* const> requests);
  /// Takes those that are over now, or were at an earlier time.
  void test_some(std::span<Request* const> requests, double time);
  void test_any(std::span<Request* const> requests);
  /// Time passes for a program that asks again and again.
  void poll_in_vain();

  /// @return a message that fits; 0: there is none now, which only one that isn't blocking says
  Offset probe(const Envelope& wanted, bool blocking);
  /// Sets a probed message aside, for receive() only (MPI_Mprobe).
  void take(Offset message);
  [[nodiscard]] Message& message(Offset place) { return engine_.message(place); }
  /// Receives a message that take() has set aside.
  void receive(Request& request, Offset message);

  /// A send that goes on although the program will not ask for it again.
  void leave_alone(std::unique_ptr<Request> request) { left_alone_.push_back(std::move(request)); }

  void finish();
  [[nodiscard]] std::string describe_deadlock() const { return engine_.describe_deadlock(); }

  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] Engine& engine() { return engine_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] const Shares& shares() const { return shares_; }
  [[nodiscard]] const std::vector<TraceEvent>& trace() const { return trace_; }

 private:
  void send(Request& request);
  [[nodiscard]] bool uses_rendezvous(const Request& request, std::uint64_t size) const;
  [[nodiscard]] Offset store(const Place& place, std::uint64_t size);
  void advance(double to, double& share);
  void use_processor(double seconds, double& share);
  void catch_up(double due);
  void wait_for_real_time();
  void publish() { engine_.publish(clock_); }
  void conclude(Request& request);
  void conclude_send(Request& request, const Operation& operation);
  void conclude_receive(Request& request, const Message& message, double event);
  [[nodiscard]] double pass_port(double arrival, double needs);
  void conclude_in_order(std::vector<Request*> requests);
  void go_on_with_activities();
  void launch(Request& collective, Task task);
  void resume(Request& collective);
  [[nodiscard]] std::vector<Request*> open_parts(std::span<Request* const> requests) const;
  [[nodiscard]] double last_event(std::span<Request* const> requests);
  [[nodiscard]] Request& first_over(std::span<Request* const> requests);
  void wait_for(std::span<Request* const> requests, bool all);
  void make_known(double time);
  void progress(double time);
  [[nodiscard]] bool is_over(const Request& request, double time);
  [[nodiscard]] std::vector<Request*> over_by(std::span<Request* const> requests, double time);

  SharedMemory memory_;
  Machine machine_;
  Processor processor_;
  Engine engine_;
  int rank_;
  Settings settings_;
  bool inside_{};
  bool is_finished_{};
  const char* call_{};
  double call_start_{};
  double real_start_{};
  double real_entry_{};
  double late_{};  ///< by how much virtual time had to catch up with real time, in this call [s]
  Account account_;
  double clock_{};
  ProcessorUse use_;
  double cpu_mark_{};
  double send_free_{};
  double receive_free_{};
  double port_idle_{};  ///< until when the port last had nothing to pass [s]
  double port_free_{};  ///< when it can pass the next eager message [s]
  Shares shares_;
  std::vector<TraceEvent> trace_;
  std::vector<Request*> activities_;  ///< collective operations under way
  std::vector<std::unique_ptr<Request>> left_alone_;
};

}  // namespace commgauge::emulate
