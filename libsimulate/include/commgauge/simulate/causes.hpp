#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace commgauge::simulate {

/// Something that happened in a simulation, by its number; `beginning` is where all ranks start.
using Moment = std::uint32_t;
inline constexpr Moment beginning = 0;
inline constexpr std::uint32_t no_message = 0xffffffff;

/// What passes between two moments.
enum class Why : std::uint8_t {
  same,             ///< nothing: the rank has come so far, or the message has
  computing,        ///< of a rank, and all else that takes its processor
  sending,          ///< an eager message's overhead of sending
  receiving,        ///< its overhead of receiving
  gap_sending,      ///< from the start of one eager message to that of the rank's next
  gap_receiving,    ///< likewise, of overheads of receiving
  flight,           ///< of an eager message, or of a request: from its start to its arrival
  delivery,         ///< of an eager message: what its data need besides until it is received
  handshake,        ///< of a rendezvous: request and reply
  reply,            ///< of a rendezvous whose receive comes late
  data,             ///< of a rendezvous: from the start of its data to their being received
  data_sending,     ///< and to when its sender goes on
  port,             ///< another message keeps a port or a link that this one needs
  waiting,          ///< nothing: the message is there, and its receiver goes on
  waiting_to_send,  ///< nothing: the message has gone, and its sender goes on
  meeting,          ///< nothing: a member of a group that goes on together has come
  asking            ///< a rank that asks again and again finds it out so much later
};

/// Something can't happen before another moment and what has to pass after that.
struct Cause {
  Moment after{};
  double delay{};  ///< [s]
  Why why{};
  std::uint32_t message{no_message};  ///< by its number, where one is concerned
};

/// Why everything in a simulation happened when it did: a graph without cycles. A moment's time is
/// the latest of what its causes say. The order in which messages are matched, and in which ports
/// serve them, is part of the causes as it was.
///
/// Moments are numbered in such an order that causes come before what they cause. About 70 bytes
/// for a moment with its causes; a message has 3 to 6 of them.
class Causes {
 public:
  struct Message {
    int from{};
    int to{};
    std::uint64_t bytes{};
    bool is_rendezvous{};
    int context{};
    std::uint32_t sent_by{};  ///< the place of the sender in its program, see set_place()
  };

  explicit Causes(int ranks);

  /// @param rank  which it concerns
  /// @param time  the latest of what the causes say, but for rounding [s]
  Moment happens(int rank, double time, std::initializer_list<Cause> causes);
  std::uint32_t add_message(const Message& message);
  /// Where the rank is in its program from now on, in whatever way the user counts.
  void set_place(int rank, std::uint32_t place) { places_[static_cast<std::size_t>(rank)] = place; }

  [[nodiscard]] std::size_t size() const { return times_.size(); }
  [[nodiscard]] double time(Moment moment) const { return times_[moment]; }
  [[nodiscard]] int rank(Moment moment) const { return where_[moment].rank; }
  [[nodiscard]] std::uint32_t place(Moment moment) const { return where_[moment].place; }
  [[nodiscard]] std::span<const Cause> of(Moment moment) const {
    return {causes_.data() + first_[moment], causes_.data() + first_[moment + 1]};
  }
  [[nodiscard]] std::span<const Message> messages() const { return messages_; }
  /// When each rank has come to its end.
  [[nodiscard]] std::span<const Moment> ends() const { return ends_; }
  void set_end(int rank, Moment end) { ends_[static_cast<std::size_t>(rank)] = end; }

 private:
  struct Where {
    std::int32_t rank;
    std::uint32_t place;
  };
  std::vector<double> times_;
  std::vector<Where> where_;
  std::vector<std::size_t> first_;  ///< cause of each moment, and the end of all
  std::vector<Cause> causes_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> places_;  ///< by rank
  std::vector<Moment> ends_;           ///< by rank
};

}  // namespace commgauge::simulate
