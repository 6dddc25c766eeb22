#include "explain/shares.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <unordered_map>

namespace commgauge::replay {

using simulate::Cause;
using simulate::Causes;
using simulate::Moment;
using simulate::Why;
using trace::Event;
using namespace trace::event;

namespace {

/// Events beside a thread's calls, and its beginning.
bool is_of_thread(const Event& one) { return one.is<ThreadBegin, ThreadEnd, ThreadStart>(); }

bool may_be_computed_before(const Event& one) {
  return one.is<Enter, RegionBegin, RegionEnd, Sleep, ClockReads>();
}

/// Whether there is a moment before it even where nothing is computed.
bool has_moment(const Event& one) { return one.is<Enter, RegionBegin, RegionEnd>(); }

/// By event: whether it is the beginning of an outermost call in which there is more than computing
/// and sleeping, as where threads wait for each other.
std::vector<char> calls_that_communicate(std::span<const Event> events) {
  std::vector<char> all(events.size());
  int depth = 0;
  std::size_t outermost = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& one = events[i];
    if (one.is<Enter>()) {
      if (depth++ == 0) outermost = i;
    } else if (one.is<Leave>()) {
      depth = std::max(depth - 1, 0);
    } else if (one.is<ThreadBegin>()) {
      depth = 0;
    } else if (depth > 0 && !is_of_thread(one) && !may_be_computed_before(one)) {
      all[outermost] = 1;
    }
  }
  return all;
}

/// In calls that communicate the program doesn't compute.
std::vector<EndOfComputing> ends_of(const Places& places, int rank) {
  const auto events = places.events(rank);
  const std::vector<char> communicates = calls_that_communicate(events);
  std::vector<EndOfComputing> ends;
  int depth = 0;
  bool is_communicating = false;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    const Event& one = events[i];
    if (one.is<ThreadBegin>()) {
      depth = 0;
      ends.push_back({i, false, true});
    }
    const bool is_outside = depth == 0;
    if (one.is<Enter>()) ++depth;
    if (one.is<Leave>()) depth = std::max(depth - 1, 0);
    if (is_outside) is_communicating = false;
    if (is_communicating || !may_be_computed_before(one) || places.begins_mpi(rank, i)) continue;
    is_communicating = communicates[i] != 0;
    ends.push_back({i, is_outside && has_moment(one), is_communicating});
  }
  return ends;
}

/// The program's own as far as the cause can tell.
bool is_computing(const Cause& cause) {
  return (cause.why == Why::computing || cause.why == Why::sleeping) &&
         cause.message == simulate::no_message;
}

template <std::size_t n>
struct Hash {
  std::size_t operator()(const std::array<std::uint32_t, n>& numbers) const {
    constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;  // Knuth: 2^64 by the golden ratio
    std::uint64_t hash = 0;
    for (const std::uint32_t one : numbers) hash = (hash ^ one) * spread + (hash >> 29U);
    return hash;
  }
};
/// From what is told apart to its number.
template <std::size_t n>
using Numbers = std::unordered_map<std::array<std::uint32_t, n>, std::uint32_t, Hash<n>>;

template <std::size_t n>
std::uint32_t number_of(Numbers<n>& numbers, const std::array<std::uint32_t, n>& what) {
  return numbers.try_emplace(what, static_cast<std::uint32_t>(numbers.size())).first->second;
}

struct Sum {
  double seconds{};
  double count{};
  void add(double one) {
    seconds += one;
    ++count;
  }
  [[nodiscard]] double mean() const { return seconds / count; }
};

/// By instance: what the ranks compute, on the mean, that are in the same one of its region.
std::vector<double> means_of_teams(const Places& places, const std::vector<Sum>& own) {
  const auto instances = places.instances();
  std::vector<std::vector<Sum>> teams(places.whole() + 1);  // by region and number
  for (std::size_t i = 0; i < own.size(); ++i) {
    auto& of_region = teams[instances[i].region];
    if (of_region.size() <= instances[i].number) of_region.resize(instances[i].number + 1);
    if (own[i].count > 0) of_region[instances[i].number].add(own[i].seconds);
  }
  std::vector<double> means;
  for (const Places::Instance& one : instances) {
    means.push_back(teams[one.region][one.number].mean());
  }
  return means;
}

}  // namespace

bool is_own_computing(const Causes& causes, const Places& places, Moment to, const Cause& cause) {
  if (!is_computing(cause)) return false;
  const Event* const event = places.event(causes.rank(to), causes.place(to));
  return event != nullptr && may_be_computed_before(*event);
}

/// Finds the stretches of one rank after the other.
class Shares::Finder {
 public:
  Finder(Shares& shares, const Places& places, const std::vector<std::uint32_t>& divided_in)
      : shares_{shares}, places_{places}, divided_in_{divided_in}, open_(divided_in.size(), none) {}

  void add(int rank, const std::vector<EndOfComputing>& ends) {
    rank_ = rank;
    calls_.clear();
    const std::size_t first = shares_.stretches_.size();
    auto& at = shares_.at_.emplace_back(places_.events(rank).size(), none);
    for (const EndOfComputing& end : ends) {
      const bool is_a_call = places_.event(rank, end.event)->is<Enter>();
      const bool begins_thread = end.communicates && !is_a_call;
      if (!begins_thread) at[end.event] = stretch_before(end);
      if (end.communicates) calls_.push_back(end.event);
    }
    for (std::size_t s = first; s < shares_.stretches_.size(); ++s) name(shares_.stretches_[s]);
  }
  [[nodiscard]] std::size_t kinds() const { return kinds_.size(); }

 private:
  std::uint32_t stretch_before(const EndOfComputing& end) {
    const std::uint32_t instance = divided_in_[places_.instance(rank_, end.event)];
    if (instance == none) return none;
    auto& all = shares_.stretches_;
    std::uint32_t& open = open_[instance];
    const auto calls = static_cast<std::uint32_t>(calls_.size());
    if (open == none || all[open].calls != calls) {
      open = static_cast<std::uint32_t>(all.size());
      all.push_back({.instance = instance, .calls = calls});
    }
    if (end.has_moment) all[open].end = end.event;
    return open;
  }

  /// Tells which others it is like.
  void name(Stretch& stretch) {
    Places::Call call;  // none: the instance's end
    if (stretch.calls < calls_.size()) {
      const std::uint32_t event = calls_[stretch.calls];
      const bool is_within = places_.is_around(stretch.instance, places_.instance(rank_, event));
      if (is_within) call = places_.call(rank_, event + 1);
    }
    const Places::Instance& instance = places_.instances()[stretch.instance];
    const std::uint32_t times = times_[{stretch.instance, call.name, call.site}]++;
    stretch.alike =
        number_of(kinds_, {instance.region, instance.number, call.name, call.site, times});
  }

  Shares& shares_;
  const Places& places_;
  const std::vector<std::uint32_t>& divided_in_;
  int rank_{};
  std::vector<std::uint32_t> open_;   ///< by instance: its last stretch, so far
  std::vector<std::uint32_t> calls_;  ///< of the rank, so far: their events
  Numbers<3> times_;                  ///< how often a call came after a stretch of an instance
  Numbers<5> kinds_;
};

EndsOfComputing ends_of_computing(const Places& places) {
  EndsOfComputing all;
  for (int rank = 0; rank < places.ranks(); ++rank) all.push_back(ends_of(places, rank));
  return all;
}

Shares::Shares(const Causes& causes, const Places& places, const EndsOfComputing& ends,
               const std::vector<std::uint32_t>& divided_in) {
  Finder finder(*this, places, divided_in);
  for (int rank = 0; rank < places.ranks(); ++rank) {
    finder.add(rank, ends[static_cast<std::size_t>(rank)]);
  }
  kinds_ = finder.kinds();
  for (Moment to = 1; to < causes.size(); ++to) {
    const std::uint32_t stretch = at(causes, to);
    if (stretch == none) continue;
    for (const Cause& cause : causes.of(to)) {
      if (is_computing(cause)) stretches_[stretch].computing += cause.delay;
    }
  }
  divide(places);
}

std::uint32_t Shares::at(const Causes& causes, Moment to) const {
  const auto& of_rank = at_[static_cast<std::size_t>(causes.rank(to))];
  const std::uint32_t place = causes.place(to);
  return place < of_rank.size() ? of_rank[place] : none;
}

void Shares::divide(const Places& places) {
  std::vector<Sum> alike(kinds_);
  std::vector<Sum> own(places.instances().size());
  for (const Stretch& stretch : stretches_) {
    alike[stretch.alike].add(stretch.computing);
    own[stretch.instance].add(stretch.computing);
  }
  const std::vector<double> means = means_of_teams(places, own);
  const auto too_much = [&](std::uint32_t i) { return own[i].seconds - means[i]; };
  // Than others do in stretches that are alike, where that is what its instance has too much or
  // too little of.
  const auto more = [&](const Stretch& stretch) {
    const double than_others = stretch.computing - alike[stretch.alike].mean();
    return than_others * too_much(stretch.instance) > 0 ? than_others : 0;
  };
  std::vector<double> all_more(own.size());
  for (const Stretch& stretch : stretches_) all_more[stretch.instance] += more(stretch);
  std::vector<double> left(own.size());
  for (Stretch& stretch : stretches_) {
    const std::uint32_t i = stretch.instance;
    const double part = all_more[i] == 0 ? 0 : std::min(1.0, too_much(i) / all_more[i]);
    stretch.then = stretch.computing - part * more(stretch);
    left[i] += stretch.then;
  }
  for (Stretch& stretch : stretches_) {
    const std::uint32_t i = stretch.instance;
    stretch.then = left[i] > 0 ? stretch.then * (means[i] / left[i]) : means[i] / own[i].count;
  }
}

double Shares::delay(const Causes& causes, Moment to, const Cause& cause) const {
  const bool is_nothing = cause.why == Why::computing_nothing;
  if (!is_nothing && !is_computing(cause)) return cause.delay;
  const std::uint32_t number = at(causes, to);
  if (number == none) return cause.delay;
  const Stretch& stretch = stretches_[number];
  if (stretch.computing > 0) return cause.delay * (stretch.then / stretch.computing);
  return is_nothing && causes.place(to) == stretch.end ? stretch.then : cause.delay;
}

}  // namespace commgauge::replay
