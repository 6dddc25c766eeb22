#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

/// Exchanges of a collective operation, packet by packet. A link sends a packet of each of its
/// connections in turn, and a packet passes its receiver's link in the order in which it comes
/// there. Times are in packets: how long one keeps a link.
namespace commgauge::packets {

/// With whom host r exchanges in step s.
enum class Order {
  shift,     ///< to r + s, from r - s
  pairs,     ///< with r xor s
  ring,      ///< to r + 1, from r - 1
  doubling,  ///< with r xor 2^(s-1)
  bruck,     ///< to r - 2^(s-1), from r + 2^(s-1)
};

struct Exchange {
  int hosts{};
  int packets{};  ///< of a message
  Order order{};
  bool grows{};          ///< twice as many in each step
  bool is_rendezvous{};  ///< data wait for the receiver's answer; else they are sent at once
  bool has_barriers{};   ///< all are done with a step before the next one
  double pause{};        ///< before each exchange, exponential with this mean
  std::uint64_t seed{1};
};

/// Until the last host has all of its messages.
class Exchanging {
 public:
  explicit Exchanging(const Exchange& what) : what_{what}, random_{what.seed} {
    hosts_.resize(static_cast<std::size_t>(what.hosts));
    for (Host& host : hosts_) {
      host.steps.resize(static_cast<std::size_t>(steps()));
    }
  }

  [[nodiscard]] double time() {
    for (int h = 0; h < what_.hosts; ++h) begin_next(h);
    while (!events_.empty()) {
      const Event next = events_.top();
      events_.pop();
      now_ = next.time;
      happen(next);
    }
    return now_;
  }

 private:
  static constexpr double latency = 0.5;
  static constexpr double control = 0.05;  ///< size of a request or an answer

  enum class Kind { begins, has_left, arrives, is_through };
  enum class Part { request, answer, data };
  struct Packet {
    Part part{};
    int from{};
    int step{};
    [[nodiscard]] double size() const { return part == Part::data ? 1 : control; }
  };
  struct Event {
    double time{};
    std::uint64_t number{};
    Kind kind{};
    int host{};
    int other{};  ///< at the other end of the connection
    Packet packet;
    bool operator<(const Event& event) const {
      return std::tie(time, number) > std::tie(event.time, event.number);
    }
  };
  struct Step {
    bool has_begun{};
    bool is_asked{};  ///< its partner's request is there
    bool has_sent{};  ///< its own data are on their way
    int received{};   ///< packets
  };
  struct Host {
    int step{};
    std::vector<Step> steps;
    std::map<int, std::deque<Packet>> connections;  ///< that have something to send
    int last_served{-1};
    bool is_sending{};
    double in_is_free{};
  };

  Host& host(int h) { return hosts_[static_cast<std::size_t>(h)]; }
  Step& step(int h, int s) { return host(h).steps[static_cast<std::size_t>(s)]; }
  /// One more than there are: the first has number 1.
  [[nodiscard]] int steps() const {
    const bool is_short = what_.order == Order::doubling || what_.order == Order::bruck;
    return is_short ? std::bit_width(static_cast<unsigned>(what_.hosts)) : what_.hosts;
  }
  [[nodiscard]] int packets(int s) const {
    return what_.grows ? what_.packets << (s - 1) : what_.packets;
  }
  [[nodiscard]] int around(int h) const { return (h + what_.hosts) % what_.hosts; }
  [[nodiscard]] int to(int h, int s) const { return peer(h, s, 1); }
  [[nodiscard]] int from(int h, int s) const { return peer(h, s, -1); }
  [[nodiscard]] int peer(int h, int s, int way) const {
    switch (what_.order) {
      case Order::shift:
        return around(h + way * s);
      case Order::pairs:
        return h ^ s;
      case Order::ring:
        return around(h + way);
      case Order::doubling:
        return h ^ (1 << (s - 1));
      case Order::bruck:
        break;
    }
    return around(h - way * (1 << (s - 1)));
  }

  void add(double after, Kind kind, int h, int other, const Packet& packet) {
    events_.push({now_ + after, number_++, kind, h, other, packet});
  }

  void begin_next(int h) {
    if (++host(h).step == steps()) return;
    add(std::exponential_distribution<double>(1 / what_.pause)(random_), Kind::begins, h, h, {});
  }

  void send(int h, int other, const Packet& packet, int count = 1) {
    auto& queue = host(h).connections[other];
    queue.insert(queue.end(), static_cast<std::size_t>(count), packet);
    send_next(h);
  }
  void send_data(int h, int s) {
    step(h, s).has_sent = true;
    send(h, to(h, s), {Part::data, h, s}, packets(s));
  }
  /// Connections in turn.
  void send_next(int h) {
    Host& own = host(h);
    if (own.is_sending || own.connections.empty()) return;
    auto next = own.connections.upper_bound(own.last_served);
    if (next == own.connections.end()) next = own.connections.begin();
    own.is_sending = true;
    own.last_served = next->first;
    add(next->second.front().size(), Kind::has_left, h, next->first, {});
  }

  void go_on_if_done(int h) {
    const int s = host(h).step;
    if (s == steps()) return;
    const Step& own = step(h, s);
    if (!own.has_begun || !own.has_sent || own.received < packets(s)) return;
    if (!what_.has_barriers) return begin_next(h);
    if (++arrived_ < what_.hosts) return;
    arrived_ = 0;
    for (int each = 0; each < what_.hosts; ++each) begin_next(each);
  }

  void happen(const Event& event) {
    const int h = event.host;
    switch (event.kind) {
      case Kind::begins: {
        const int s = host(h).step;
        step(h, s).has_begun = true;
        if (!what_.is_rendezvous) {
          send_data(h, s);
        } else {
          if (step(h, s).is_asked) send(h, from(h, s), {Part::answer, h, s});
          send(h, to(h, s), {Part::request, h, s});
        }
        return go_on_if_done(h);
      }
      case Kind::has_left: {
        Host& own = host(h);
        auto& queue = own.connections[event.other];
        add(latency, Kind::arrives, event.other, h, queue.front());
        queue.pop_front();
        if (queue.empty()) own.connections.erase(event.other);
        own.is_sending = false;
        return send_next(h);
      }
      case Kind::arrives: {
        // What a link is free for is through as soon as it has come.
        double& free = host(h).in_is_free;
        free = std::max(free + event.packet.size(), now_);
        return add(free - now_, Kind::is_through, h, event.other, event.packet);
      }
      case Kind::is_through:
        return take(h, event.packet);
    }
  }

  void take(int h, const Packet& packet) {
    Step& own = step(h, packet.step);
    switch (packet.part) {
      case Part::request:
        own.is_asked = true;
        if (own.has_begun) send(h, packet.from, {Part::answer, h, packet.step});
        break;
      case Part::answer:
        send_data(h, packet.step);
        break;
      case Part::data:
        ++own.received;
    }
    go_on_if_done(h);
  }

  Exchange what_;
  std::mt19937_64 random_;
  double now_{};
  std::uint64_t number_{};
  int arrived_{};  ///< at the barrier
  std::vector<Host> hosts_;
  std::priority_queue<Event> events_;
};

/// So many times as long as with barriers.
inline double times_as_long(Exchange what) {
  what.has_barriers = false;
  const double free = Exchanging(what).time();
  what.has_barriers = true;
  what.is_rendezvous = false;
  return free / Exchanging(what).time();
}

}  // namespace commgauge::packets
