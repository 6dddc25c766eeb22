#include "timing/at_once_timer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "messages/tags.hpp"

namespace commgauge::bench {

bool AtOnceTimer::are_all_done() const {
  return std::ranges::all_of(requests_,
                             [](MPI_Request request) { return request == MPI_REQUEST_NULL; });
}

double AtOnceTimer::time(const RoleAtOnce& role, Bytes size) {
  double end = std::numeric_limits<double>::quiet_NaN();
  bool owes = role.to.has_value();
  buffers_.begin_repetition();
  requests_.assign(ready_out + 1, MPI_REQUEST_NULL);
  if (role.from) {
    requests_[data_in] =
        transport_.start_receive(buffers_.next_receive(size.value), size, *role.from, data_tag);
  }
  if (role.to) requests_[ready_in] = transport_.start_receive(nullptr, {}, *role.to, ready_tag);
  transport_.barrier();
  const double start = Clock::now();
  if (role.from) requests_[ready_out] = transport_.start_send(nullptr, {}, *role.from, ready_tag);
  while (!are_all_done()) {
    transport_.wait_any(requests_);
    if (role.from && std::isnan(end) && is_done(data_in)) end = Clock::now();
    if (owes && is_done(ready_in)) {
      owes = false;
      requests_[data_out] =
          transport_.start_send(buffers_.next_send(size.value), size, *role.to, data_tag);
    }
  }
  return end - start - clock_.cost().value;
}

}  // namespace commgauge::bench
