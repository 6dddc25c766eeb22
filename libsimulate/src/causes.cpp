#include "commgauge/simulate/causes.hpp"

#include "commgauge/base/error.hpp"

namespace commgauge::simulate {

namespace {

bool says_nothing(const Cause& cause) { return cause.after == beginning && !(cause.delay > 0); }

/// Whether what it causes is the same moment.
bool is_the_same(const Cause& cause) {
  return cause.delay == 0 && cause.why != Why::waiting && cause.why != Why::waiting_to_send &&
         cause.why != Why::meeting;
}

}  // namespace

Causes::Causes(int ranks)
    : times_{0},
      where_{{0, 0}},
      first_{0, 0},
      places_(static_cast<std::size_t>(ranks)),
      ends_(static_cast<std::size_t>(ranks)) {}

Moment Causes::happens(int rank, double time, std::initializer_list<Cause> causes) {
  const std::size_t first = causes_.size();
  for (const Cause& cause : causes) {
    if (!says_nothing(cause)) causes_.push_back(cause);
  }
  if (causes_.size() == first) return beginning;
  if (causes_.size() == first + 1 && is_the_same(causes_.back())) {
    const Moment known = causes_.back().after;
    causes_.pop_back();
    return known;
  }
  constexpr std::size_t most = 0xffffffff;
  if (times_.size() == most) {
    throw InputError(
        "the program is too long to be explained (it has 4 billion moments): take a shorter run");
  }
  times_.push_back(time);
  where_.push_back({rank, places_[static_cast<std::size_t>(rank)]});
  first_.push_back(causes_.size());
  return static_cast<Moment>(times_.size() - 1);
}

std::uint32_t Causes::add_message(const Message& message) {
  messages_.push_back(message);
  messages_.back().sent_by = places_[static_cast<std::size_t>(message.from)];
  return static_cast<std::uint32_t>(messages_.size() - 1);
}

}  // namespace commgauge::simulate
