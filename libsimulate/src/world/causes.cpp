#include "commgauge/simulate/world/causes.hpp"

#include <algorithm>

#include "commgauge/base/error.hpp"
#include "commgauge/simulate/machine/machine.hpp"
#include "world/carriers.hpp"

namespace commgauge::simulate {

namespace {

bool says_nothing(const Cause& cause) {
  return cause.after == beginning && !(cause.delay > 0) && cause.why != Why::computing_nothing;
}

/// Whether what it causes is the same moment.
bool is_the_same(const Cause& cause) {
  return cause.delay == 0 && cause.why != Why::waiting && cause.why != Why::waiting_to_send &&
         cause.why != Why::meeting && cause.why != Why::thread &&
         cause.why != Why::computing_nothing;
}

double shared_cost_of(const Cause& cause, const Network& network, double size) {
  const double bytes = cause.is_empty ? 0 : size;
  return cause.why == Why::link_keeping ? network.keeps.at(bytes) : network.leads.at(bytes);
}

bool is_of_hosts(Why why) { return why >= Why::host_link && why <= Why::host_rest; }

double cost_of_data(Why why, const PairCosts& costs, double size) {
  const double received = costs.rendezvous_receiver.at(size);
  switch (why) {
    case Why::data:
      return received;
    case Why::data_sending:
      return costs.rendezvous_sender.at(size);
    case Why::data_sending_after:
      return costs.rendezvous_sender.at(size) - received;
    case Why::delivering:
      return received - costs.receive_overhead.at(size);
    case Why::travelling_before:
      return costs.receive_overhead.at(size) + costs.link.at(size) - received;
    case Why::port_sending:
      return costs.rendezvous_send_port.at(size);
    case Why::port_receiving:
      return costs.rendezvous_receive_port.at(size);
    case Why::handshake:
      return costs.request - costs.request_arrival(size) + costs.reply;
    case Why::reply:
      return costs.reply;
    case Why::flight:
      return costs.request_arrival(size);
    case Why::link:
      return costs.link.at(0);
    default:
      return 0;
  }
}

/// What chance adds, on any machine.
double lateness_of(Why why, const Causes::Message& message) {
  if (why == Why::flight) return message.late;
  return why == Why::handshake || why == Why::reply ? message.answer_late : 0;
}

double cost_of_eager(Why why, const PairCosts& costs, double size) {
  switch (why) {
    case Why::sending:
      return costs.send_overhead.at(size);
    case Why::receiving:
      return costs.receive_overhead.at(size);
    case Why::gap_sending:
      return costs.gap.at(size);
    case Why::gap_receiving:
      return costs.gap.at(size) - costs.receive_overhead.at(size);
    case Why::flight:
      return costs.arrival.at(size);
    case Why::delivery:
      return costs.one_way.at(size) - costs.receive_overhead.at(size) - costs.arrival.at(size);
    case Why::link:
      return costs.link.at(size);
    case Why::port_sending:
      return std::max(costs.send_overhead.at(size), costs.gap.at(size));
    case Why::port_receiving:
      return costs.port.at(size);
    default:
      return 0;
  }
}

}  // namespace

double Causes::cost_of(const Cause& cause, const Machine& machine) const {
  if (cause.message == no_message) return 0;
  const Message& message = messages_[cause.message];
  const auto size = static_cast<double>(message.bytes);
  if (cause.why == Why::link_keeping || cause.why == Why::link_leading) {
    return shared_cost_of(cause, machine.network, size);
  }
  const bool is_in_turn_beside_shared =
      cause.why == Why::link && machine.sharing != Sharing::none && !message.is_rendezvous;
  if (cause.why == Why::sharing || is_in_turn_beside_shared) {
    const double alone =
        bytes_alone(machine, message.from, message.to, size, message.is_rendezvous);
    return is_in_turn_beside_shared ? alone : message.shared * alone;
  }
  const PairCosts& costs = machine.pair(message.from, message.to);
  if (is_of_hosts(cause.why)) return cost_at_hosts(cause, machine);
  if (cause.why == Why::handshake_behind || cause.why == Why::reply_behind) {
    const Why put = cause.why == Why::reply_behind ? Why::reply : Why::handshake;
    return cost_of_data(put, costs, size) -
           machine.pair(message.to, message.from).request_arrival(size) + message.answer_late;
  }
  return lateness_of(cause.why, message) + (message.is_rendezvous
                                                ? cost_of_data(cause.why, costs, size)
                                                : cost_of_eager(cause.why, costs, size));
}

/// 0 where the machine has no such links.
double Causes::cost_at_hosts(const Cause& cause, const Machine& machine) const {
  if (!machine.host_links.is_shared()) return 0;
  const Message& message = messages_[cause.message];
  const PairCosts& costs = machine.pair(message.from, message.to);
  const auto size = static_cast<double>(message.bytes);
  if (cause.why == Why::host_flight) return costs.arrival.at(size) - of_bytes(costs.one_way, size);
  if (cause.why == Why::host_rest) return -of_bytes(costs.rendezvous_receiver, size);
  const SharedHostLinks::Route route = machine.host_links.route(message.from, message.to);
  const double stay = size * route.stays[cause.leg].keeps;
  return cause.why == Why::host_link ? stay : last_pieces_[message.last_pieces][cause.leg] * stay;
}

Causes::Causes(int ranks)
    : times_{0},
      where_{{0, 0}},
      first_{0, 0},
      last_pieces_(1),
      places_(static_cast<std::size_t>(ranks)),
      ends_(static_cast<std::size_t>(ranks)) {}

void Causes::reserve(std::size_t moments) {
  constexpr std::size_t each = 2;  // rarely fewer causes, on the mean
  times_.reserve(moments);
  where_.reserve(moments);
  first_.reserve(moments + 1);
  causes_.reserve(each * moments);
}

Moment Causes::happens(int rank, double time, std::span<const Cause> causes) {
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

void Causes::set_last_piece(std::uint32_t message, std::size_t leg, double share) {
  std::uint32_t& pieces = messages_[message].last_pieces;
  if (pieces == 0) {
    pieces = static_cast<std::uint32_t>(last_pieces_.size());
    last_pieces_.emplace_back();
  }
  last_pieces_[pieces][leg] = share;
}

std::uint32_t Causes::add_message(const Message& message) {
  messages_.push_back(message);
  messages_.back().sent_by = places_[static_cast<std::size_t>(message.from)];
  return static_cast<std::uint32_t>(messages_.size() - 1);
}

}  // namespace commgauge::simulate
