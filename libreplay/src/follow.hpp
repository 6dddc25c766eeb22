#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "commgauge/replay/replay.hpp"
#include "commgauge/schedule/between_groups.hpp"
#include "commgauge/simulate/collective.hpp"
#include "commgauge/simulate/partitioned.hpp"
#include "commgauge/simulate/simulation.hpp"
#include "divisions.hpp"

namespace commgauge::replay {

/// One rank of a recorded program: does what its events say.
class Follower {
 public:
  /// All must outlive it.
  Follower(simulate::CoroutineProcess& process, const trace::Trace& trace,
           const Divisions& divisions, const Options& options);
  Follower(const Follower&) = delete;

  /// @param marks  to be Result::marks of this rank
  void keep_marks(std::vector<Mark>& marks) { marks_ = &marks; }
  /// The causes are to have a moment, too, where the program computes nothing between two calls.
  void note_idleness() { notes_idleness_ = true; }

  [[nodiscard]] simulate::Task run();
  /// When it came to MPI_Finalize; without one to its end. @pre run() has ended
  [[nodiscard]] const RankResult& result() const { return result_; }

 private:
  /// One side of a message in partitions; a request of its own until it is given up.
  struct Prepared : simulate::Request {
    int partitions{};
    std::optional<simulate::PartitionedSend> send;
    std::optional<simulate::PartitionedReceive> receive;
  };
  /// Of tests and readings of the clock in a row: minutes of asking.
  static constexpr std::uint64_t most_attempts = 1'000'000'000;

  [[noreturn]] void refuse(const std::string& why) const;
  [[nodiscard]] const trace::Communicator& communicator(std::uint32_t context) const;
  [[nodiscard]] int program_context(std::uint32_t context) const;
  [[nodiscard]] int collective_context(std::uint32_t context) const;
  simulate::Request& request(std::uint32_t number);
  [[nodiscard]] std::span<simulate::Request* const> requests(const trace::Event& event);
  void compute_until(const trace::Event& event);
  void mark();
  [[nodiscard]] static std::uint32_t number_of(const trace::Trace& trace, const char* name);
  void note_end();
  simulate::Request& start_message(const trace::Event& event);
  void start_access(const trace::Event& event);
  void hear_of(std::span<simulate::Request* const> accesses);
  [[nodiscard]] const Unawaited* unawaited() const;
  void receive_unawaited(const trace::Event& event, bool is_rendezvous);
  void receive_unawaited_of(const trace::Event& wait);
  [[nodiscard]] simulate::Envelope wanted(const trace::Event& event) const;
  void prepare(const trace::Event& event);
  [[nodiscard]] Prepared& prepared(std::uint32_t request);
  [[nodiscard]] simulate::Request& started(std::uint32_t number);
  std::unique_ptr<simulate::Request> start_part(const trace::Event& prepared,
                                                const simulate::Division& division,
                                                simulate::Request::Kind kind, int partition);
  void start_prepared(const trace::Event& event);
  void make_ready(const trace::Event& event);
  [[nodiscard]] simulate::Task until_arrived(const trace::Event& event);
  void give_up(std::uint32_t number);
  simulate::Request& start_collective(const trace::Event& event);
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

  simulate::CoroutineProcess& process_;
  const trace::Trace& trace_;
  const trace::Rank& recorded_;
  const Divisions& divisions_;
  const Options& options_;
  std::vector<Mark>* marks_{};
  bool notes_idleness_{};
  RankResult result_;
  std::uint32_t finalize_;        ///< number of that name
  std::vector<char> asks_now_;    ///< by name: whether the call's probe doesn't wait (MPI_Iprobe)
  std::uint32_t wait_some_;       ///< number of MPI_Waitsome
  std::uint32_t call_{};          ///< name of the one that was entered last
  double work_{};                 ///< RankResult::work
  double computed_{};             ///< the same on this machine's processor, undisturbed [s]
  int depth_{};                   ///< calls that have been entered, one within another
  std::size_t at_{};              ///< the event that is being done
  std::int64_t program_since_{};  ///< when the last call ended, in the recorded time [ns]
  std::deque<std::unique_ptr<simulate::Request>> requests_;
  std::map<std::uint32_t, std::unique_ptr<Prepared>> prepared_;  ///< by request
  simulate::Request own_;                    ///< of a call that waits for what it starts
  std::vector<simulate::Offset> set_aside_;  ///< messages of matched probes, by request
  std::vector<std::unique_ptr<simulate::Request>> given_up_;
  std::vector<simulate::Request*> asked_;
  /// Receives that are started and whose messages it won't wait for, by request.
  std::map<std::uint32_t, Unawaited> unawaited_;
  std::vector<int> collectives_;  ///< started so far, by communicator
};

}  // namespace commgauge::replay
