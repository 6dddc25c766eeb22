#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "commgauge/simulate/machine/shared_host_links.hpp"

namespace commgauge::simulate {

struct Machine;

/// Something that happened in a simulation, by its number; `beginning` is where all ranks start.
using Moment = std::uint32_t;
inline constexpr Moment beginning = 0;
inline constexpr std::uint32_t no_message = 0xffffffff;

/// What passes between two moments. Where it is a cost of a message, it is one expression of its
/// pair's PairCosts (cost_of()); beyond that there may be what others took of the processor.
enum class Why : std::uint8_t {
  same,               ///< nothing: the rank has come so far, or the message has
  computing,          ///< of a rank, and all else that takes its processor
  computing_nothing,  ///< nothing: a rank might have computed here, and hasn't
  sleeping,
  sending,        ///< of an eager message: send_overhead
  receiving,      ///< likewise: receive_overhead
  gap_sending,    ///< from the start of one eager message to that of the rank's next: gap
  gap_receiving,  ///< likewise of overheads of receiving: gap - receive_overhead
  flight,         ///< of an eager message, from its start: arrival; of a request: request_arrival
  delivery,       ///< what an eager message's data need besides until they are received:
                  ///< one_way - receive_overhead - arrival
  link,           ///< its data come behind others on the link: link
  handshake,  ///< of a rendezvous, from its request's arrival: request - request_arrival + reply,
              ///< which may be below zero
  reply,      ///< of a rendezvous whose receive comes late: reply
  handshake_behind,    ///< as `handshake`, its answer behind data on the link: less the
                       ///< request_arrival of the way back
  reply_behind,        ///< as `reply`, likewise
  data,                ///< of a rendezvous, from the start of its data: rendezvous_receiver
  data_sending,        ///< likewise, until its sender goes on: rendezvous_sender
  data_sending_after,  ///< from their being received: rendezvous_sender - rendezvous_receiver
  delivering,          ///< until the link is free again: rendezvous_receiver - receive_overhead
  travelling_before,   ///< data start so long before the link delivers them, a time below zero:
                       ///< receive_overhead + link - rendezvous_receiver
  port_sending,        ///< its sender's port is kept: rendezvous_send_port; of an eager message
                       ///< the longer of send_overhead and gap
  port_receiving,      ///< its receiver's: rendezvous_receive_port; of an eager message port
  link_keeping,        ///< a shared link is kept: Network::keeps
  link_leading,        ///< its head leaves a shared link: Network::leads
  host_link,           ///< a link of a host or of a group of hosts is kept: Cause::leg of its way
  host_link_piece,  ///< the last piece of that, after another message: a share of it, last_piece()
  host_flight,      ///< of an eager message since it has passed its hosts' links: arrival without
                    ///< what one_way has for its bytes
  host_rest,        ///< of a rendezvous's data: what rendezvous_receiver has for its bytes less,
                    ///< a time below zero
  sharing,          ///< others have slowed its bytes: Message::shared of what these take alone
  port,             ///< nothing: a port or a link that is needed is free
  own_part,         ///< what is left of a rank's part in a message when it comes to wait for it
  waiting,          ///< nothing: the message is there, and its receiver goes on
  waiting_to_send,  ///< nothing: the message has gone, and its sender goes on
  meeting,          ///< nothing: a member of a group that goes on together has come
  thread,  ///< nothing: another thread of the rank has let it go on; or until a core is free
  asking   ///< a rank that asks again and again finds it out so much later
};

/// Something can't happen before another moment and what has to pass after that.
struct Cause {
  Cause() = default;
  constexpr Cause(Moment comes_after, double seconds, Why reason,
                  std::uint32_t of_message = no_message, bool has_no_data = false)
      : delay{seconds},
        after{comes_after},
        message{of_message},
        why{reason},
        is_empty{has_no_data} {}

  // There are millions: the order keeps them small.
  double delay{};  ///< [s]
  Moment after{};
  std::uint32_t message{no_message};  ///< by its number, where one is concerned
  Why why{};
  bool is_empty{};  ///< a request or reply travels, without the message's data
  static constexpr std::uint8_t no_leg = 0xff;
  /// Which of the links on the message's SharedHostLinks::Route is concerned: that is kept, or that
  /// has slowed its bytes last.
  std::uint8_t leg{no_leg};
};

/// With that leg of the message's way.
[[nodiscard]] constexpr Cause at_leg(std::size_t leg, Cause cause) {
  cause.leg = static_cast<std::uint8_t>(leg);
  return cause;
}

/// Why everything in a simulation happened when it did: a graph without cycles. A moment's time is
/// the latest of what its causes say. The order in which messages are matched, and in which ports
/// serve them, is part of the causes as it was.
///
/// Moments are numbered in such an order that causes come before what they cause. About 60 bytes
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
    /// Where Causes has, of its stays on its hosts' links, the shares that came after the last one
    /// of others; 0: it came after none.
    std::uint32_t last_pieces{};
    double shared{};       ///< by so much its bytes were slowed, in terms of what they take alone
    double late{};         ///< by chance [s]
    double answer_late{};  ///< the answer to its request, likewise [s]
  };
  /// What the cause's delay would be on a machine where nobody takes anything of the processors
  /// [s]. 0 where it is no message's cost.
  /// @param machine  with this simulation's ranks; any costs
  [[nodiscard]] double cost_of(const Cause& cause, const Machine& machine) const;
  /// Gives all causes other delays: delay(moment, cause). Times stay those of the simulation.
  template <class Delay>
  void change_delays(const Delay& delay) {
    for (Moment to = 0; to < times_.size(); ++to) {
      for (std::size_t i = first_[to]; i < first_[to + 1]; ++i) {
        causes_[i].delay = delay(to, causes_[i]);
      }
    }
  }

  explicit Causes(int ranks);
  /// Makes room for so many moments, which needs no memory before they happen.
  void reserve(std::size_t moments);

  /// @param rank  which it concerns
  /// @param time  the latest of what the causes say, but for rounding [s]
  Moment happens(int rank, double time, std::span<const Cause> causes);
  Moment happens(int rank, double time, std::initializer_list<Cause> causes) {
    return happens(rank, time, std::span{causes.begin(), causes.size()});
  }
  std::uint32_t add_message(const Message& message);
  void set_last_piece(std::uint32_t message, std::size_t leg, double share);
  void set_shared(std::uint32_t message, double shared) { messages_[message].shared = shared; }
  void set_late(std::uint32_t message, double late, double answer_late) {
    messages_[message].late = late;
    messages_[message].answer_late = answer_late;
  }
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
  [[nodiscard]] double cost_at_hosts(const Cause& cause, const Machine& machine) const;

  struct Where {
    std::int32_t rank;
    std::uint32_t place;
  };
  std::vector<double> times_;
  std::vector<Where> where_;
  std::vector<std::size_t> first_;  ///< cause of each moment, and the end of all
  std::vector<Cause> causes_;
  std::vector<Message> messages_;
  std::vector<std::array<double, SharedHostLinks::Route::most_legs>> last_pieces_;  ///< by leg
  std::vector<std::uint32_t> places_;                                               ///< by rank
  std::vector<Moment> ends_;                                                        ///< by rank
};

}  // namespace commgauge::simulate
