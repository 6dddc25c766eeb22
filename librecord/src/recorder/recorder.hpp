#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "commgauge/trace/write/writer.hpp"
#include "recorder/clocks.hpp"
#include "sites/sites.hpp"
#include "threads/thread_events.hpp"

namespace commgauge::record {

using trace::Event;
namespace event = trace::event;

/// A call's name: a number that the writer gives it when it is first needed.
struct Name {
  const char* text;
  std::uint32_t number;
};

/// Writes what this rank does. Each call of MPI is enclosed in enter() and leave(); what it did is
/// written in between, after begin(), so that all of the recorder's own work is within calls, and
/// none of it within the program's computing.
///
/// Unsuccessful tests and probes are counted. They are one call, with the next that is successful
/// if nothing else is done meanwhile. It begins with the first of them, but what the program
/// computed between them comes before: gaps of `shortest_work` or more, while shorter ones are the
/// loop around the question, and count as waiting.
class Recorder {
 public:
  static constexpr std::int64_t shortest_work = 1000;  ///< [ns]

  /// @param archive  must outlive it
  /// @param writer   of this rank in it
  /// @param start  real time on this host when the job began [ns]
  Recorder(trace::Writer& archive, trace::RankWriter& writer, const Clocks& clocks,
           std::int64_t start);
  /// Of a further thread. @param at  when it begins
  Recorder(const Recorder& first, trace::RankWriter& writer, const Moment& at);
  void begin_thread(int number);
  void end_thread(int number);

  /// By the calling thread's clocks.
  [[nodiscard]] Moment now() const { return clocks_.of_another_thread().at_enter(); }
  [[nodiscard]] std::int64_t since_start(std::int64_t time) const { return time - start_; }
  /// Of what was written [ns].
  [[nodiscard]] std::int64_t last_time() const { return exit_.time - start_; }

  /// Whether a call goes on: what MPI calls itself meanwhile isn't recorded.
  [[nodiscard]] bool is_inside() const { return is_inside_; }
  void set_inside(bool is) { is_inside_ = is; }

  void enter(const CalledFrom& from) {
    entry_ = clocks_.at_enter();
    called_from_ = from;
  }
  void begin(const Name& name);
  /// The same, of a successful test or probe. @return unsuccessful attempts before it
  [[nodiscard]] std::uint64_t begin_poll(const Name& name);
  void leave(const Name& name);
  /// Instead of begin() and leave(): a test or probe found nothing.
  void leave_unsuccessful(const Name& name);

  void write(Event event);
  /// @param ends_call  the call does nothing behind it
  void write(Event event, std::span<const trace::Over> over, bool ends_call = true);
  void write(Event event, const trace::Collective& collective);
  /// So many unsuccessful attempts, if there were any.
  void write_unsuccessful(std::uint64_t attempts);

  /// After begin(): how long MPI has taken for the call [ns].
  [[nodiscard]] std::int64_t taken() const { return returned_ - entry_.time; }

  /// Something by which threads wait for each other. What belongs to one call of the program is one
  /// call in the trace. @param at  when; nullptr: now
  void follow(const preload::ThreadEvent& event, const Moment* at);

  void read_clock() { ++clock_reads_; }
  /// @param name  of the region
  void begin_region(std::uint32_t name);
  void end_region(std::uint32_t name);

  /// Writes what is left.
  void finish();
  /// From here on nothing is written.
  void stop() { is_broken_ = true; }

  /// What a replay will leave out: a call's name, or what was wrong with it.
  void leave_out(const std::string& what) { left_out_.insert(what); }
  [[nodiscard]] const std::set<std::string>& left_out() const { return left_out_; }
  /// Empty: nothing went wrong but, maybe, the writing, which the writer knows.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  /// Unsuccessful attempts, as one call.
  struct Unsuccessful {
    std::uint64_t attempts{};
    std::uint32_t name{};
    std::uint32_t site{};
    std::int64_t time{};       ///< of its beginning, with the work between the attempts before it
    std::int64_t processor{};  ///< likewise
  };
  /// Computing since the last call, or since the last unsuccessful attempt.
  struct Gap {
    std::int64_t time{};
    std::int64_t cpu{};
  };

  [[nodiscard]] Gap gap() const;
  [[nodiscard]] bool is_work(const Gap& gap) const;
  void add_unsuccessful_gap();
  void end_unsuccessful();
  void stamp(Event& event) const;
  void write_pending();
  void write_begin(std::uint32_t name);
  void write_end(std::uint32_t name, const Moment& at);
  [[nodiscard]] std::uint32_t number_of(const char* call);
  void follow_object(const preload::ThreadEvent& told, const Moment& now);
  void begin_border();
  void end_border();
  template <class... Arguments>
  void try_to_write(const Arguments&... arguments);

  trace::Writer& archive_;
  trace::RankWriter& writer_;
  Sites sites_;
  Clocks clocks_;
  std::int64_t start_;
  Moment least_gap_;
  Moment entry_{};               ///< as read
  CalledFrom called_from_{};     ///< of the call that goes on
  std::int64_t returned_{};      ///< when MPI had done the call's work, as read
  Moment exit_{};                ///< of the last call, as read
  std::int64_t processor_{};     ///< CPU time without the recorder's, at the last exit [ns]
  std::int64_t entered_with_{};  ///< the same at the last begin()
  std::optional<Event> pending_leave_;
  Unsuccessful unsuccessful_;
  std::uint64_t clock_reads_{};
  std::set<std::string> left_out_;
  std::string problem_;
  bool is_broken_{};
  bool is_inside_{};
  bool is_waiting_{};  ///< in a call by which threads wait for each other
  std::uint32_t waits_in_{};
  std::pair<std::uint32_t, std::uint64_t> acquired_{};  ///< by that call last: which object, count
  std::vector<std::pair<const char*, std::uint32_t>> names_;  ///< of such calls
};

}  // namespace commgauge::record
