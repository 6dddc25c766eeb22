#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "commgauge/replay/run/options.hpp"
#include "commgauge/replay/run/result.hpp"
#include "commgauge/schedule/between_groups.hpp"
#include "commgauge/simulate/process/collective.hpp"
#include "commgauge/simulate/process/cores.hpp"
#include "commgauge/simulate/process/partitioned.hpp"
#include "commgauge/simulate/run/simulation.hpp"
#include "run/divisions.hpp"

namespace commgauge::replay {

/// What a trace's names mean to those that follow it.
struct Names {
  explicit Names(const trace::Trace& trace);

  std::uint32_t finalize;  ///< number of MPI_Finalize
  std::uint32_t session_finalize;
  std::uint32_t wait_some;
  std::vector<char> asks_now;  ///< by name: whether the call's probe doesn't wait (MPI_Iprobe)
  std::vector<char> is_mpi;    ///< by name: whether it is a call of MPI
  std::vector<char> starts_mpi;
};

/// For lines about deadlocks: Driver::collective(). Empty: not known. O(events)
[[nodiscard]] std::string name_of_collective(const trace::Trace& trace, int context, int tag);

class Interpreter;

/// One rank of a recorded program: what its threads have in common.
class InterpretedRank {
 public:
  /// All must outlive it.
  InterpretedRank(simulate::Simulation& simulation, const trace::Trace& trace, const Names& names,
                  const Divisions& divisions, const Options& options, int rank);
  InterpretedRank(const InterpretedRank&) = delete;
  ~InterpretedRank();

  /// @param marks  to be Result::marks of this rank
  void keep_marks(std::vector<Mark>& marks);
  /// The causes are to have a moment, too, where the program computes nothing between two calls.
  void note_idleness() { notes_idleness_ = true; }
  /// @param observer  of all threads; must outlive it
  void set_observer(simulate::Observer& observer) { observer_ = &observer; }

  /// The first thread, which ends last.
  [[nodiscard]] simulate::Task run(simulate::CoroutineProcess& first);
  /// When it came to MPI's end; without one to its own. @pre run() has ended
  [[nodiscard]] const RankResult& result() const { return result_; }

 private:
  friend class Interpreter;
  /// What threads wait for.
  struct Object {
    struct Release {
      double latest;  ///< of it and those before [s]
      simulate::Moment at;
    };
    struct Waiter {
      int actor;
      std::size_t count;
    };
    std::vector<Release> releases;
    std::vector<Waiter> waiters;
  };

  /// One side of a message in partitions; a request of its own until it is given up.
  struct Prepared : simulate::Request {
    int partitions{};
    std::optional<simulate::PartitionedSend> send;
    std::optional<simulate::PartitionedReceive> receive;
  };

  void find_threads();
  void find_crossings();
  [[nodiscard]] std::uint32_t request_of(std::size_t event, std::uint32_t request) const;
  [[nodiscard]] std::uint32_t message_of(std::size_t event, std::uint32_t message) const;
  [[nodiscard]] std::uint32_t request_at(std::uint32_t entry) const;
  void has_started(std::size_t event);
  [[nodiscard]] bool have_started(simulate::CoroutineProcess& process, std::uint32_t list,
                                  std::uint32_t count);
  void begin(const simulate::CoroutineProcess& parent, std::size_t thread);
  void start_thread(const simulate::CoroutineProcess& parent, std::uint32_t number);
  void begin_unstarted(const simulate::CoroutineProcess& first);
  void end(Interpreter& ended);
  [[nodiscard]] simulate::Task outlast_others(simulate::CoroutineProcess& first);
  [[nodiscard]] Object& object(std::uint32_t number);
  void release(simulate::CoroutineProcess& process, std::uint32_t number);
  [[nodiscard]] bool has_happened(simulate::CoroutineProcess& process,
                                  const trace::event::Acquire& acquire);
  [[nodiscard]] bool has_threads() const { return !recorded_.further_threads.empty(); }
  [[nodiscard]] bool has_collectives() const;
  [[nodiscard]] double least_clock() const;

  simulate::Simulation& simulation_;
  const trace::Trace& trace_;
  const trace::Rank& recorded_;
  const Names& names_;
  const Divisions& divisions_;
  const Options& options_;
  int rank_;
  simulate::Observer* observer_{};
  std::vector<Mark>* marks_{};
  std::vector<std::size_t> first_mark_;  ///< by thread
  bool notes_idleness_{};
  RankResult result_;
  std::map<std::uint32_t, std::size_t> by_number_;          ///< further threads that haven't begun
  std::vector<std::unique_ptr<Interpreter>> interpreters_;  ///< by thread; those that have begun
  int running_{};                                           ///< further threads
  int outlasting_{-1};  ///< actor that waits until none runs any more
  std::deque<std::unique_ptr<simulate::Request>> requests_;
  // What one thread starts and another waits for has a request of its own, beyond those of the
  // trace:
  std::map<std::size_t, std::uint32_t> crossing_starts_;     ///< by event
  std::map<std::size_t, std::uint32_t> crossing_messages_;   ///< by the event that receives it
  std::map<std::uint32_t, std::uint32_t> crossing_entries_;  ///< by place in Rank::requests
  std::set<std::uint32_t> crossing_started_;
  std::vector<int> awaiting_starts_;                             ///< actors
  std::map<std::uint32_t, std::unique_ptr<Prepared>> prepared_;  ///< by request
  std::map<std::uint32_t, Prepared*> crossing_prepared_;  ///< by request that crosses threads
  simulate::Process* acting_{};  ///< the thread that prepares a message, or makes partitions ready
  std::vector<simulate::Offset> set_aside_;  ///< messages of matched probes, by request
  std::vector<std::unique_ptr<simulate::Request>> given_up_;
  /// Receives that are started and whose messages it won't wait for, by request.
  std::map<std::uint32_t, Unawaited> unawaited_;
  std::vector<int> collectives_;  ///< started so far, by communicator
  std::vector<Object> objects_;
  std::optional<simulate::Cores> cores_;
};

/// One thread of it: does what its events say.
class Interpreter {
 public:
  Interpreter(InterpretedRank& rank, simulate::CoroutineProcess& process, std::size_t thread);
  Interpreter(const Interpreter&) = delete;

  [[nodiscard]] simulate::Task run();

 private:
  friend class InterpretedRank;
  /// Of tests and readings of the clock in a row: minutes of asking.
  static constexpr std::uint64_t most_attempts = 1'000'000'000;

  /// Does what the event says. @return what goes on until it is done; nothing: it is done
  [[nodiscard]] std::optional<simulate::Task> act(const trace::Event& event);
  [[nodiscard]] std::optional<simulate::Task> act(const trace::event::Enter& call);
  void act(const trace::event::Leave& call);
  void act(const trace::event::RegionBegin& region);
  void act(const trace::event::RegionEnd& region);
  [[nodiscard]] std::optional<simulate::Task> act(const trace::event::Send& send);
  [[nodiscard]] std::optional<simulate::Task> act(const trace::event::Receive& receive);
  [[nodiscard]] simulate::Task act(const trace::event::Wait& wait);
  [[nodiscard]] simulate::Task act(const trace::event::Poll& poll);
  [[nodiscard]] simulate::Task act(const trace::event::UnsuccessfulPolls& polls);
  [[nodiscard]] simulate::Task act(const trace::event::Probe& probe);
  [[nodiscard]] simulate::Task act(const trace::event::MatchedProbe& probe);
  [[nodiscard]] std::optional<simulate::Task> act(const trace::event::MatchedReceive& receive);
  [[nodiscard]] std::optional<simulate::Task> act(const trace::event::Collective& start);
  [[nodiscard]] simulate::Task act(const trace::event::Meet& meet);
  void act(const trace::event::ClockReads& reads);
  [[nodiscard]] simulate::Task act(const trace::event::Sleep& sleep);
  void act(const trace::event::Free& free);
  void act(const trace::event::Cancel& cancel);
  void act(const trace::event::Access& access);
  [[nodiscard]] simulate::Task act(const trace::event::Flush& flush);
  void act(const trace::event::ThreadBegin& begin);
  void act(const trace::event::ThreadEnd& end);
  void act(const trace::event::ThreadStart& start);
  void act(const trace::event::Release& release);
  [[nodiscard]] simulate::Task act(const trace::event::Acquire& acquire);
  void act(const trace::event::PrepareSend& send);
  void act(const trace::event::PrepareReceive& receive);
  void act(const trace::event::Start& start);
  void act(const trace::event::Ready& ready);
  [[nodiscard]] simulate::Task act(const trace::event::Arrived& arrived);

  [[noreturn]] void refuse(const std::string& why) const;
  [[nodiscard]] const trace::Communicator& communicator(std::uint32_t context) const;
  [[nodiscard]] int program_context(std::uint32_t context) const;
  [[nodiscard]] int collective_context(std::uint32_t context) const;
  simulate::Request& request(std::uint32_t number);
  [[nodiscard]] std::span<simulate::Request* const> requests(std::uint32_t list,
                                                             std::uint32_t count);
  [[nodiscard]] std::int64_t program_time(std::int64_t processor) const;
  void compute_until(std::int64_t now);
  void mark();
  [[nodiscard]] std::size_t find_end_of_mpi() const;
  void note_end();
  simulate::Request& start_message(simulate::Request::Kind kind, std::uint32_t number,
                                   const simulate::Envelope& envelope, std::uint64_t bytes,
                                   simulate::Mode mode);
  [[nodiscard]] simulate::Task over(simulate::Request& started);
  [[nodiscard]] std::optional<simulate::Task> go_on(simulate::Request& started,
                                                    std::uint32_t number);
  [[nodiscard]] simulate::Task enter_in_turn(const trace::event::Enter& call);
  void enter(const trace::event::Enter& call);
  void pass_border(std::int64_t processor);
  void hear_of(std::span<simulate::Request* const> accesses);
  [[nodiscard]] const Unawaited* unawaited() const;
  void receive_unawaited(const trace::event::Receive& receive, bool is_rendezvous);
  void receive_unawaited_of(const trace::event::Wait& wait);
  [[nodiscard]] simulate::Envelope wanted(const auto& receive) const;
  void check_prepared(const auto& prepared) const;
  [[nodiscard]] std::unique_ptr<InterpretedRank::Prepared> made(std::uint32_t partitions);
  [[nodiscard]] simulate::Division division() const;
  [[nodiscard]] InterpretedRank::Prepared& prepared(std::uint32_t request);
  [[nodiscard]] simulate::Request& started(std::uint32_t number);
  std::unique_ptr<simulate::Request> start_part(const auto& prepared,
                                                const simulate::Division& division,
                                                simulate::Request::Kind kind, int partition);
  void give_up(std::uint32_t number);
  void start_collective(simulate::Request& started, const trace::event::Collective& start);
  void check(const schedule::Collective& what) const;
  void check(const schedule::Collective& what, const schedule::TwoGroups& groups) const;
  [[nodiscard]] simulate::Group group(std::uint32_t context);
  [[nodiscard]] simulate::Group both_groups(std::uint32_t context);
  [[nodiscard]] schedule::TwoGroups two_groups(std::uint32_t context) const;
  [[nodiscard]] simulate::Task carry_out(simulate::Group group, schedule::Operation operation,
                                         schedule::Schedule what, Bytes unit);
  [[nodiscard]] simulate::Task exchange(simulate::Group group, const trace::Collective& what);
  [[nodiscard]] std::optional<simulate::Offset> look_for(const simulate::Envelope& envelope,
                                                         bool waits);
  [[nodiscard]] simulate::Task find(simulate::Envelope envelope, std::uint64_t attempts,
                                    simulate::Offset& found);

  [[nodiscard]] bool has_collectives() const;
  void check_object(std::uint32_t object) const;

  InterpretedRank& rank_;
  simulate::CoroutineProcess& process_;
  std::size_t thread_;
  const trace::Trace& trace_;
  const trace::Rank& recorded_;
  const Options& options_;
  std::size_t mark_;              ///< number of the next, of the rank's
  std::uint32_t call_;            ///< name of the one that was entered last
  double work_{};                 ///< RankResult::work
  double computed_{};             ///< the same on this machine's processor, undisturbed [s]
  int depth_{};                   ///< calls that have been entered, one within another
  std::size_t first_{};           ///< the thread's first event
  std::size_t at_{};              ///< the event that is being done
  std::size_t end_of_mpi_{};      ///< the event that ends it; none: behind the last
  std::int64_t program_since_{};  ///< when the last call ended, in the recorded time [ns]
  bool has_ended_{};
  double begun_;           ///< [s]
  simulate::Request own_;  ///< of a call that waits for what it starts
  std::vector<simulate::Request*> asked_;
};

}  // namespace commgauge::replay
