#pragma once

#include <coroutine>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "commgauge/simulate/process/process.hpp"

namespace commgauge::simulate {

/// What the coroutine of a rank waits for.
class Suspended {
 public:
  /// @return whether it is over
  virtual bool ask() = 0;
  std::coroutine_handle<> resume;

 protected:
  ~Suspended() = default;
};

/// A rank whose program is a coroutine: it says `co_await` where MPI would block.
class CoroutineProcess final : public Process {
 public:
  using Process::Process;

  /// `co_await` it until `attempt`, one of Process' questions, is answered: with true, or with a
  /// value.
  template <class Attempt>
  class Answer final : public Suspended {
   public:
    Answer(CoroutineProcess& process, Attempt attempt)
        : process_{process}, attempt_{std::move(attempt)} {}
    bool ask() override {
      answer_ = attempt_();
      return static_cast<bool>(answer_);
    }
    bool await_ready() { return ask(); }
    void await_suspend(std::coroutine_handle<> self) {
      resume = self;
      process_.suspended_ = this;
    }
    auto await_resume() {
      if constexpr (!std::is_same_v<decltype(answer_), bool>) return *answer_;
    }

   private:
    CoroutineProcess& process_;
    Attempt attempt_;
    std::invoke_result_t<Attempt&> answer_{};
  };
  template <class Attempt>
  [[nodiscard]] Answer<Attempt> until(Attempt attempt) {
    return {*this, std::move(attempt)};
  }

  /// Where it is in its program from now on, for what explains the simulation: Causes::set_place().
  void set_place(std::uint32_t place) {
    place_ = place;
    world().set_place(rank(), place);
  }

  /// Of a rank with several threads, before anything is started.
  [[nodiscard]] auto own_turn() {
    return until([this] { return turn(); });
  }
  /// A message of the program, for start(). @param context  communicator
  static void describe_send(Request& request, int to, std::uint64_t bytes, int tag = 0,
                            Mode mode = Mode::standard, int context = 0);
  static void describe_receive(Request& request, int from, std::uint64_t bytes, int tag = 0,
                               int context = 0);
  /// Of `bytes` to another rank's memory. @param answer  what goes back [bytes], or no_answer
  static void describe_access(Request& request, int to, std::uint64_t bytes,
                              std::uint64_t answer = no_answer, Effect effect = Effect::access);

  [[nodiscard]] auto all(std::span<Request* const> requests) {
    return until([this, requests] { return wait(requests, true); });
  }
  [[nodiscard]] auto any(std::span<Request* const> requests) {
    return until([this, requests] { return wait(requests, false); });
  }
  [[nodiscard]] auto one(Request& request) {
    return until([this, only = &request] { return wait(std::span(&only, 1), true); });
  }
  /// MPI_Send, MPI_Recv.
  [[nodiscard]] Task send(int to, std::uint64_t bytes, int tag = 0, Mode mode = Mode::standard);
  [[nodiscard]] Task receive(int from, std::uint64_t bytes, int tag = 0);

 private:
  friend class Simulation;
  Suspended* suspended_{};
  std::uint32_t place_{};
  std::optional<Task> program_;
};

/// A job in one thread, without processes: every rank is a coroutine. Ranks run until they have to
/// wait; when none is left that can go on, what happens next in virtual time is decided.
class Simulation final : private Driver {
 public:
  /// The machine must outlive the simulation.
  /// @param threads_per_rank  the most that a rank has at a time, beside its first
  explicit Simulation(const Machine& machine, int threads_per_rank = 0);
  Simulation(Simulation&&) = delete;
  ~Simulation() override = default;

  /// Runs all ranks of the machine, each with its own coroutine, to their ends.
  /// @throws DeadlockError  nobody can go on; and what a rank throws.
  void run(const std::function<Task(CoroutineProcess&)>& program);

  /// A further thread of a rank that runs, from its clock on. The rank's own coroutine must end
  /// last. @return it, until its coroutine ends
  CoroutineProcess& begin_thread(const CoroutineProcess& parent,
                                 const std::function<Task(CoroutineProcess&)>& program);

  /// A thread that sleeps (Process::sleep_until_woken()) goes on, from that time at least. Nothing
  /// if it doesn't sleep.
  void wake_thread(int actor, double time);

  /// For tests: ranks go on in random order, and what can be decided is at random times, as on live
  /// processes. No time may change.
  void go_on_at_random(std::uint64_t seed) { random_.emplace(seed); }

  /// For lines about deadlocks. @param name  Driver::collective()
  void name_collectives(std::function<std::string(int context, int tag)> name) {
    name_of_collective_ = std::move(name);
  }

  /// Notes why everything happens when it does. @param causes  must outlive the simulation
  void keep_causes(Causes& causes) { world_.keep_causes(causes); }

  [[nodiscard]] const CoroutineProcess& process(int rank) const {
    return *processes_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] int ranks() const { return static_cast<int>(processes_.size()); }

 private:
  void wake(int actor) override { ready_.push_back(actor); }
  void changed(World&) override {}
  [[nodiscard]] std::string collective(int context, int tag) const override {
    return name_of_collective_ ? name_of_collective_(context, tag) : std::string{};
  }
  [[nodiscard]] CoroutineProcess& acting(int actor) const;
  void go_on(CoroutineProcess& process);

  Arena arena_;
  World world_;
  std::vector<std::unique_ptr<CoroutineProcess>> processes_;
  std::map<int, std::unique_ptr<CoroutineProcess>> threads_;  ///< by actor
  bool has_threads_{};  ///< or had some: of the ranks' places the last one's isn't the next one's
  std::vector<int> ready_;  ///< actors
  int unfinished_{};
  std::optional<std::mt19937_64> random_;
  std::function<std::string(int context, int tag)> name_of_collective_;
};

}  // namespace commgauge::simulate
