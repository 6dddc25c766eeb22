// Messages of several ranks on the links of their hosts.

#include "commgauge/simulate/host_links.hpp"

#include <algorithm>
#include <cmath>

#include "commgauge/plan/host_plan.hpp"
#include "world_state.hpp"

namespace commgauge::simulate {

SharedHostLinks shared_host_links(const HostLinks& fitted, const std::vector<std::string>& hosts) {
  SharedHostLinks links;
  links.places.resize(hosts.size());
  const auto known = [](double value) { return value > 0 ? value : 0; };  // NaN: not known
  bool any = false;
  for (const std::vector<int>& ranks : ranks_of_hosts(hosts)) {
    const auto first = static_cast<std::size_t>(ranks.front());
    for (const int rank : ranks) {
      links.places[static_cast<std::size_t>(rank)] = static_cast<std::int32_t>(links.out.size());
    }
    links.out.push_back(known(fitted.out[first]));
    links.in.push_back(known(fitted.in[first]));
    links.inside.push_back(known(fitted.inside[first]));
    any = any || links.out.back() > 0 || links.in.back() > 0 || links.inside.back() > 0;
  }
  return any ? links : SharedHostLinks{};
}

SharedHostLinks rearranged(const SharedHostLinks& links, const std::vector<int>& like,
                           std::vector<std::int32_t> places) {
  if (!links.is_shared()) return {};
  SharedHostLinks result;
  const auto hosts = static_cast<std::size_t>(std::ranges::max(places)) + 1;
  for (std::vector<double>* const one : {&result.out, &result.in, &result.inside}) {
    one->resize(hosts);
  }
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const auto from = static_cast<std::size_t>(links.places[static_cast<std::size_t>(like[rank])]);
    const auto to = static_cast<std::size_t>(places[rank]);
    result.out[to] = links.out[from];
    result.in[to] = links.in[from];
    result.inside[to] = links.inside[from];
  }
  result.places = std::move(places);
  return result;
}

SharedHostLinks::Way World::host_way(const Message& message) const {
  if (!machine_.host_links.is_shared() || message.envelope.source == message.receiver) return {};
  return machine_.host_links.way(message.envelope.source, message.receiver);
}

/// Whether no message in any queue comes before this one. O(those that do)
bool World::is_first_of_all(const Message& message) const {
  bool is_first = true;
  first_in_queues_.for_each_before(std::nextafter(message.queued, never), [&](int r) {
    const Message& other = *arena_.at<Message>(rank(r).queue);
    if (&other != &message && precedes(other, message)) is_first = false;
  });
  return is_first;
}

/// Lets a message have its hosts' links, each as soon as it is free for as long as that takes, the
/// second no sooner than the first. A message that needn't wait takes as long as alone; one that
/// waited takes no longer than what it needs on the links since then, and no less than alone.
/// @param start  of its data. @param alone  per byte, of what the pair's costs say [s/byte]
/// @param data  the start, where causes are kept
/// @return by how much it is later at its end than without others
World::Delayed World::pass_hosts(const Message& passing, double start, Moment data, double alone) {
  const SharedHostLinks::Way way = host_way(passing);
  Delayed delayed;
  if (!way.is_shared()) return delayed;
  auto* const links = arena_.at<Served>(region_.host_links);
  const auto size = static_cast<double>(passing.size);
  const int sender = passing.envelope.source;
  const double gone = passing.queued - region_.look_back;
  double begin = start;
  Moment began = data;
  for (const bool is_out : {true, false}) {
    const std::int32_t link = is_out ? way.out : way.in;
    if (link < 0) continue;
    const double keeps = size * (is_out ? way.keeps_out : way.keeps_in);
    const Why why = is_out ? Why::host_out : Why::host_in;
    Served& busy = links[link];
    forget(busy, gone);
    Cause before{};
    begin = first_free(busy, begin, keeps, before);
    began = happens(sender, begin, {{began, 0, Why::same, passing.id}, before});
    occupy(busy, begin, begin + keeps, {began, keeps, why, passing.id});
  }
  const double rest = size * (way.per_byte() - alone);
  delayed.by = begin > start ? std::max(0.0, begin - start + rest) : 0;
  delayed.rest = rest;
  delayed.began = delayed.by > 0 || rest <= 0 ? began : beginning;
  return delayed;
}

}  // namespace commgauge::simulate
