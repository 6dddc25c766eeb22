#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "commgauge/schedule/schedule.hpp"
#include "commgauge/simulate/process/process.hpp"

namespace commgauge::simulate {

/// Ranks of a job that do something together: who, which of them this one is, and what tells their
/// messages from others.
struct Group {
  std::vector<int> ranks;  ///< of the job
  int own{};               ///< this one's place among them
  int context{};
  int tag{};
  [[nodiscard]] int rank(int place) const { return ranks[static_cast<std::size_t>(place)]; }
};

using Requests = std::vector<std::unique_ptr<Request>>;

/// `co_await` it in a task of start_collective() to go on when all of the requests are over.
struct Over {
  const Requests& requests;
  [[nodiscard]] bool await_ready() const;
  void await_suspend(std::coroutine_handle<> self) const;
  void await_resume() const {}
};

/// Carries out the steps of a schedule for one rank.
class Performer {
 public:
  virtual ~Performer() = default;
  /// Starts a step's message.
  virtual std::unique_ptr<Request> start(const schedule::Step& step) = 0;
  /// Does what a rank does by itself: reduces, copies.
  virtual void work(const schedule::Step& step) = 0;
  /// After a round, with its messages.
  virtual void check(const Request& over) { (void)over; }
};

/// Carries out the schedule of one rank. @param performer  must live until the task is done.
/// @param in_turn  of that operation
[[nodiscard]] Task perform(schedule::Schedule what, Performer& performer,
                           std::optional<InTurn> in_turn = {});

/// Messages without data, of the process that carries the operation on; what a rank does by itself
/// takes no time.
class MessagesOnly final : public Performer {
 public:
  /// @param unit  [bytes] of the schedule's counts
  MessagesOnly(Group group, Bytes unit);
  std::unique_ptr<Request> start(const schedule::Step& step) override;
  void work(const schedule::Step&) override {}

 private:
  Group group_;
  Bytes unit_;
};

}  // namespace commgauge::simulate
