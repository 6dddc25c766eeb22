#include "paths/waits.hpp"

#include <algorithm>

namespace commgauge::replay {

using simulate::Cause;
using simulate::Causes;
using simulate::Moment;
using simulate::Why;

namespace {

/// When the moment would be without that cause.
double time_but_for(const Causes& causes, const LongestPaths::Step& step) {
  double time = 0;
  const auto all = causes.of(step.to);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i != step.which) time = std::max(time, causes.time(all[i].after) + all[i].delay);
  }
  return time;
}

/// Where the message's own way began that ends so: all after it is of that message.
Moment origin_of(const Causes& causes, Moment end, std::uint32_t message) {
  for (Moment at = end;;) {
    const auto all = causes.of(at);
    if (all.empty()) return at;
    const auto latest = std::ranges::max_element(
        all, {}, [&](const Cause& cause) { return causes.time(cause.after) + cause.delay; });
    if (latest->message != message) return at;
    at = latest->after;
  }
}

}  // namespace

/// What a sender waits for is known by what ends its wait.
std::uint32_t message_of(const Causes& causes, const Cause& wait) {
  if (wait.message != simulate::no_message || wait.why == Why::meeting || wait.why == Why::thread) {
    return wait.message;
  }
  for (const Cause& cause : causes.of(wait.after)) {
    if (cause.message != simulate::no_message) return cause.message;
  }
  return simulate::no_message;
}

Awaited awaited(const Causes& causes, Moment to, const Cause& wait) {
  const std::uint32_t message = message_of(causes, wait);
  return {causes.rank(to), message, message == simulate::no_message ? to : simulate::beginning};
}

Wait wait_of(const Causes& causes, const LongestPaths::Step& step) {
  Wait wait{.to = step.to,
            .why = step.cause.why,
            .rank = causes.rank(step.to),
            .place = causes.place(step.to),
            .message = message_of(causes, step.cause)};
  const double since = time_but_for(causes, step);
  wait.waited = std::max(causes.time(step.to) - since, 0.0);
  const bool has_message = wait.message != simulate::no_message;
  const Moment origin =
      has_message ? origin_of(causes, step.cause.after, wait.message) : step.cause.after;
  wait.late = std::clamp(causes.time(origin) - since, 0.0, wait.waited);
  wait.partner = causes.rank(origin);
  wait.partner_place = causes.place(origin);
  if (!has_message) return wait;
  const Causes::Message& message = causes.messages()[wait.message];
  if (wait.rank == message.to) {
    wait.partner = message.from;
    wait.partner_place = message.sent_by;
  } else {
    wait.partner = message.to;
    wait.why = Why::waiting_to_send;
  }
  return wait;
}

Sleeps::Sleeps(const Causes& causes) : ranks_(causes.ends().size()) {
  for (Moment to = 1; to < causes.size(); ++to) {
    for (const Cause& cause : causes.of(to)) {
      if (cause.why != Why::sleeping) continue;
      const double end = causes.time(to);
      ranks_[static_cast<std::size_t>(causes.rank(to))].push_back({end - cause.delay, end});
    }
  }
  for (std::vector<Stretch>& of_rank : ranks_) std::ranges::sort(of_rank, {}, &Stretch::to);
}

double Sleeps::between(int rank, double from, double to) const {
  const std::vector<Stretch>& all = ranks_[static_cast<std::size_t>(rank)];
  double sum = 0;
  for (auto one = std::ranges::upper_bound(all, from, {}, &Stretch::to); one != all.end(); ++one) {
    sum += std::max(0.0, std::min(one->to, to) - std::max(one->from, from));
    if (one->to >= to) break;
  }
  return sum;
}

LongestPaths::Delay without(IsGone is_gone) {
  return [is_gone = std::move(is_gone)](Moment to, const Cause& cause) {
    return is_wait(cause) && is_gone(to, cause) ? never_delays : cause.delay;
  };
}

LongestPaths::Delay without_waits(LongestPaths::Delay delay) {
  return [delay = std::move(delay)](Moment to, const Cause& cause) {
    return is_wait(cause) ? never_delays : delay(to, cause);
  };
}

LongestPaths::Delay without(const Causes& causes, const std::set<Awaited>& gone) {
  return without(
      [&](Moment to, const Cause& wait) { return gone.contains(awaited(causes, to, wait)); });
}

double time_without(const LongestPaths& paths, const IsGone& is_gone) {
  return paths.with([&](Moment to, const Cause& cause) {
    return is_wait(cause) && is_gone(to, cause) ? never_delays : cause.delay;
  });
}

}  // namespace commgauge::replay
