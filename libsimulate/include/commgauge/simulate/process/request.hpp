#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "commgauge/simulate/machine/in_turn.hpp"
#include "commgauge/simulate/process/task.hpp"
#include "commgauge/simulate/world/message.hpp"

namespace commgauge::simulate {

enum class Mode { standard, buffered, synchronous };

/// A send, a receive, an access to another rank's memory, or a collective operation that a rank has
/// started or will start.
struct Request {
  enum class Kind {
    send,
    receive,
    collective,
    access,
    generalised,  ///< its rank itself says when it is over
  };
  Kind kind{};
  /// An access is one that nobody receives.
  [[nodiscard]] bool is_message() const {
    return kind == Kind::send || kind == Kind::receive || kind == Kind::access;
  }
  int peer{};  ///< rank of the job, or `wildcard`
  int tag{};
  int context{};
  Mode mode{};
  std::uint64_t capacity{};         ///< of a receive: the most that it takes; else the size [bytes]
  Effect effect{};                  ///< of an access, or of what is done to a lock
  std::uint64_t answer{no_answer};  ///< to an access [bytes]
  std::optional<InTurn> in_turn;    ///< of a collective operation's message: what it is
  bool active{true};
  bool done{};
  Offset operation{};
  std::unique_ptr<Activity> activity;
  std::optional<Task> task;
  std::function<Task()> make_task;  ///< of a persistent collective operation
  // Of what is done:
  int source{wildcard};
  int found_tag{wildcard};
  std::uint64_t bytes{};
  bool is_truncated{};  ///< the message was longer than `capacity`
  bool is_cancelled{};
  double started{};  ///< of an access [s]
  double over{};     ///< of an access or a generalised one: when it was [s]
  Moment over_at{};  ///< likewise, where causes are kept

  Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  virtual ~Request() = default;
};

}  // namespace commgauge::simulate
