#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

/// Exchanges with one host after the other, packet by packet. A link sends a packet of each of its
/// connections in turn, and a packet passes its receiver's link in the order in which it comes
/// there. Times are in packets: how long one keeps a link.
namespace commgauge::packets {

struct Exchange {
  int hosts{};
  int packets{};         ///< of a message
  bool in_pairs{};       ///< with host r xor s in step s; else to r + s, and from r - s
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
      host.steps.resize(static_cast<std::size_t>(what.hosts));
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
  [[nodiscard]] int to(int h, int s) const {
    return what_.in_pairs ? h ^ s : (h + s) % what_.hosts;
  }
  [[nodiscard]] int from(int h, int s) const {
    return what_.in_pairs ? h ^ s : (h - s + what_.hosts) % what_.hosts;
  }

  void add(double after, Kind kind, int h, int other, const Packet& packet) {
    events_.push({now_ + after, number_++, kind, h, other, packet});
  }

  void begin_next(int h) {
    if (++host(h).step == what_.hosts) return;
    add(std::exponential_distribution<double>(1 / what_.pause)(random_), Kind::begins, h, h, {});
  }

  void send(int h, int other, const Packet& packet, int count = 1) {
    auto& queue = host(h).connections[other];
    queue.insert(queue.end(), static_cast<std::size_t>(count), packet);
    send_next(h);
  }
  void send_data(int h, int s) {
    step(h, s).has_sent = true;
    send(h, to(h, s), {Part::data, h, s}, what_.packets);
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
    if (s == what_.hosts) return;
    const Step& own = step(h, s);
    if (!own.has_begun || !own.has_sent || own.received < what_.packets) return;
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
