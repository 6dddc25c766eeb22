// Links of known rate between network namespaces, exact to a packet.
//
//   links PREFIX RATE...
//
// Makes a device eth0 in the namespace PREFIX-h0, PREFIX-h1, ... for each rate [Mbit/s] and passes on what is sent there: a packet
// of L bytes keeps its sender's link for L/rate, and its receiver's from then on or when that is free, both in the order in which packets
// come; of alike links that are free it takes L/rate to be there. Unlike tc's token buckets, which pass a first packet
// at once, an idle link is no quicker. Nothing is dropped. Prints "ready", and runs until it is killed.

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <map>
#include <memory>
#include <queue>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;
using Packet = std::vector<unsigned char>;
using Address = std::array<unsigned char, 6>;

int checked(int result, const std::string& what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

/// The device eth0 of a namespace, which this process answers for.
int open_device(const std::string& name_space) {
  const int here = checked(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), "/proc/self/ns/net");
  const int there = checked(open(("/run/netns/" + name_space).c_str(), O_RDONLY | O_CLOEXEC), name_space);
  checked(setns(there, CLONE_NEWNET), name_space);
  const int device = checked(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC), "/dev/net/tun");
  ifreq request = {};
  std::strncpy(request.ifr_name, "eth0", IFNAMSIZ - 1);
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  checked(ioctl(device, TUNSETIFF, &request), "eth0 of " + name_space);
  checked(setns(here, CLONE_NEWNET), "setns");
  close(here);
  close(there);
  return device;
}

struct Host {
  int device = -1;
  double seconds_per_byte = 0;
  Time out_free = {};  ///< its link towards the others
  Time in_free = {};   ///< its link from them

  [[nodiscard]] Clock::duration time_of(const Packet& packet) const {
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(seconds_per_byte * static_cast<double>(packet.size())));
  }
};

enum class Step { leaves, arrives };

struct Event {
  Time time;
  std::uint64_t number;  ///< of events at one time the first made comes first
  Step step;
  std::size_t from;
  std::size_t to;
  std::shared_ptr<const Packet> packet;

  bool operator<(const Event& other) const {
    return std::pair(time, number) > std::pair(other.time, other.number);  // the top of a queue is its largest
  }
};

class Links {
 public:
  Links(const std::string& prefix, const std::vector<double>& rates) {
    for (std::size_t i = 0; i < rates.size(); ++i) {
      hosts_.push_back({open_device(prefix + "-h" + std::to_string(i)), 8e-6 / rates[i]});
      polled_.push_back({hosts_.back().device, POLLIN, 0});
    }
  }

  [[noreturn]] void serve() {
    while (true) {
      wait();
      for (std::size_t i = 0; i < hosts_.size(); ++i) {
        if (polled_[i].revents != 0) take_from(i);
      }
      while (!events_.empty() && events_.top().time <= Clock::now()) {
        const Event event = events_.top();
        events_.pop();
        if (event.step == Step::leaves) {
          leave(event);
        } else {
          put(event);
        }
      }
    }
  }

 private:
  void wait() {
    timespec left = {};
    if (!events_.empty()) {
      const auto until = std::chrono::duration_cast<std::chrono::nanoseconds>(events_.top().time - Clock::now()).count();
      const auto nanoseconds = std::max<long>(until, 0);
      left = {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
    }
    const int ready = ppoll(polled_.data(), polled_.size(), events_.empty() ? nullptr : &left, nullptr);
    if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "ppoll");
  }

  void take_from(std::size_t from) {
    std::array<unsigned char, 65536> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    while (true) {
      const auto size = read(hosts_[from].device, buffer.data(), buffer.size());
      if (size < 0 && errno == EAGAIN) return;
      checked(static_cast<int>(size), "eth0");
      if (size >= 14) send(from, std::make_shared<Packet>(buffer.begin(), buffer.begin() + size));
    }
  }

  /// Its first six bytes say whom it is for, the next whom it is from.
  void send(std::size_t from, const std::shared_ptr<const Packet>& packet) {
    Address to;
    Address own;
    std::copy_n(packet->begin(), 6, to.begin());
    std::copy_n(packet->begin() + 6, 6, own.begin());
    known_[own] = from;
    const Time start = std::max(Clock::now(), hosts_[from].out_free);
    hosts_[from].out_free = start + hosts_[from].time_of(*packet);
    const auto found = known_.find(to);
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      if (found == known_.end() ? i != from : i == found->second) add(start, Step::leaves, from, i, packet);
    }
  }

  void leave(const Event& event) {
    Host& to = hosts_[event.to];
    const Time all_sent = event.time + hosts_[event.from].time_of(*event.packet);
    to.in_free = std::max(all_sent, std::max(event.time, to.in_free) + to.time_of(*event.packet));
    add(to.in_free, Step::arrives, event.from, event.to, event.packet);
  }

  void put(const Event& event) {
    // A device that is not up takes nothing.
    [[maybe_unused]] const auto written = write(hosts_[event.to].device, event.packet->data(), event.packet->size());
  }

  void add(Time time, Step step, std::size_t from, std::size_t to, std::shared_ptr<const Packet> packet) {
    events_.push({time, made_++, step, from, to, std::move(packet)});
  }

  std::vector<Host> hosts_;
  std::vector<pollfd> polled_;
  std::map<Address, std::size_t> known_;
  std::priority_queue<Event> events_;
  std::uint64_t made_ = 0;
};

/// A timer's end is served at once, whoever else wants the core.
void be_punctual() {
  prctl(PR_SET_TIMERSLACK, 1);
  const sched_param first = {.sched_priority = 1};
  checked(sched_setscheduler(0, SCHED_FIFO, &first), "sched_setscheduler");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3) throw std::runtime_error("too few arguments (a prefix and rates): links PREFIX RATE...");
    std::vector<double> rates;
    for (int k = 2; k < argc; ++k) rates.push_back(std::stod(argv[k]));
    Links links(argv[1], rates);
    be_punctual();
    std::puts("ready");
    std::fclose(stdout);
    links.serve();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "links: %s\n", error.what());
    return 2;
  }
}
