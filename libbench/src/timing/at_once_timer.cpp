#include "timing/at_once_timer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "messages/tags.hpp"

namespace commgauge::bench {

namespace {

/// Places among the requests.
constexpr std::size_t most_under_way = 32;  ///< pieces of a message
constexpr std::size_t ready_in = 0;
constexpr std::size_t ready_out = 1;
constexpr std::size_t data_in = 2;
constexpr std::size_t data_out = data_in + most_under_way;
constexpr std::size_t places = data_out + most_under_way;

}  // namespace

Bytes AtOnceTimer::Stream::take() {
  const std::uint64_t size = std::min(piece, left);
  next += size;
  left -= size;
  has_begun_all = left == 0;
  return {size};
}

bool AtOnceTimer::are_done(std::size_t first, std::size_t count) const {
  return std::ranges::all_of(std::span{requests_}.subspan(first, count),
                             [](MPI_Request request) { return request == MPI_REQUEST_NULL; });
}

template <class Begin>
void AtOnceTimer::go_on(Stream& stream, std::size_t first, Begin&& begin) {
  for (std::size_t place = first; place < first + most_under_way && !stream.has_begun_all;
       ++place) {
    if (requests_[place] != MPI_REQUEST_NULL) continue;
    std::byte* const start = stream.next;
    requests_[place] = begin(start, stream.take());
  }
}

double AtOnceTimer::time(const RoleAtOnce& role, Bytes size, Bytes piece) {
  double end = std::numeric_limits<double>::quiet_NaN();
  buffers_.begin_repetition();
  requests_.assign(places, MPI_REQUEST_NULL);
  Stream coming;
  Stream going;
  if (role.from) coming = {buffers_.next_receive(size.value), size.value, piece.value, false};
  const auto receive = [&] {
    go_on(coming, data_in, [&](std::byte* start, Bytes part) {
      return transport_.start_receive(start, part, *role.from, data_tag);
    });
  };
  receive();
  if (role.to) {
    going = {buffers_.next_send(size.value), size.value, piece.value, false};
    requests_[ready_in] = transport_.start_receive(nullptr, {}, *role.to, ready_tag);
  }
  transport_.barrier();
  const double start = Clock::now();
  if (role.from) requests_[ready_out] = transport_.start_send(nullptr, {}, *role.from, ready_tag);
  while (!are_done(0, places) || !going.has_begun_all) {
    transport_.wait_any(requests_);
    receive();
    if (role.from && std::isnan(end) && are_done(data_in, most_under_way)) end = Clock::now();
    if (!are_done(ready_in, 1)) continue;
    go_on(going, data_out, [&](const std::byte* from, Bytes part) {
      return transport_.start_send(from, part, *role.to, data_tag);
    });
  }
  return end - start - clock_.cost().value;
}

}  // namespace commgauge::bench
