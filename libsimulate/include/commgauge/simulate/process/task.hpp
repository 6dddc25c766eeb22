#pragma once

#include <coroutine>
#include <exception>
#include <utility>
#include <vector>

namespace commgauge::simulate {

class Process;
struct Request;

/// A collective operation of this rank under way, a coroutine: suspended while it waits for
/// messages, resumed when all of them are over.
struct Activity {
  std::vector<Request*> awaited;
  std::coroutine_handle<> resume;
  Process* carried_on_by{};  ///< whose calls let it go on
};

/// The one that is being resumed: a `co_await` in its Task adds to what it waits for.
extern Activity* current_activity;

/// One step of a collective operation, which may consist of others. Starts when it is awaited.
class [[nodiscard]] Task {
 public:
  struct promise_type {
    std::coroutine_handle<> then{std::noop_coroutine()};
    std::exception_ptr error;
    Task get_return_object() {
      return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct GoOn {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) noexcept {
          return ended.promise().then;
        }
        void await_resume() noexcept {}
      };
      return GoOn{};
    }
    void return_void() {}
    void unhandled_exception() { error = std::current_exception(); }
  };

  Task(Task&& other) noexcept : handle_{std::exchange(other.handle_, {})} {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
    handle_.promise().then = caller;
    return handle_;
  }
  void await_resume() const {
    if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
  }

  [[nodiscard]] std::coroutine_handle<> handle() const { return handle_; }
  [[nodiscard]] bool done() const { return handle_.done(); }
  /// @throws what the task did. @pre done()
  void check() const { await_resume(); }

 private:
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_{handle} {}
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace commgauge::simulate
