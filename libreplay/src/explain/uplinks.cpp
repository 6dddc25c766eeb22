#include "explain/uplinks.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "commgauge/base/index.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/base/units.hpp"

namespace commgauge::replay {

namespace {

using simulate::Cause;
using simulate::SharedHostLinks;
using simulate::Why;

/// Of the critical path.
struct AtLink {
  double seconds{};
  std::set<std::uint32_t> messages;
};

bool is_between_hosts(const SharedHostLinks& links, std::int32_t link) {
  return links.is_of_group(link) || links.is_backbone(link);
}

std::string link_name(std::int32_t link, const simulate::Machine& machine) {
  const SharedHostLinks& links = machine.host_links;
  if (links.is_backbone(link)) return "the backbone";
  std::vector<std::string> hosts;
  for (const int rank : links.ranks_of(link)) {
    const std::string& host = machine.hosts[at(rank)];
    if (std::ranges::find(hosts, host) == hosts.end()) hosts.push_back(host);
  }
  return std::string{"the link "} + (SharedHostLinks::is_way_in(link) ? "into " : "out of ") +
         comma_list(hosts);
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", 100 * share);
  return text;
}

/// Whether others may have it come later there.
bool is_a_wait(const Cause& cause) {
  return cause.message != simulate::no_message && cause.leg != Cause::no_leg && cause.delay > 0 &&
         (cause.why == Why::host_link || cause.why == Why::host_link_piece ||
          cause.why == Why::sharing);
}

std::map<std::int32_t, AtLink> times_at_links(const simulate::Causes& causes,
                                              const SharedHostLinks& links,
                                              const LongestPaths& paths) {
  std::map<std::int32_t, AtLink> at_links;
  for (const auto& [to, cause, which] : paths.critical_path()) {
    if (!is_a_wait(cause)) continue;
    const simulate::Causes::Message& message = causes.messages()[cause.message];
    const std::int32_t link = links.route(message.from, message.to).stays[cause.leg].link;
    if (!is_between_hosts(links, link)) continue;
    at_links[link].seconds += cause.delay;
    at_links[link].messages.insert(cause.message);
  }
  return at_links;
}

}  // namespace

std::vector<Diagnostic> waits_at_uplinks(const simulate::Causes& causes,
                                         const simulate::Machine& machine,
                                         const LongestPaths& paths) {
  constexpr double worth_saying = 1e-3;
  std::vector<Diagnostic> said;
  if (!machine.host_links.is_shared()) return said;
  const auto at_links = times_at_links(causes, machine.host_links, paths);
  std::vector<std::pair<double, std::int32_t>> order;
  for (const auto& [link, at] : at_links) {
    if (at.seconds >= worth_saying * paths.time()) order.emplace_back(at.seconds, link);
  }
  std::ranges::stable_sort(order, std::greater{}, &std::pair<double, std::int32_t>::first);
  for (const auto& [seconds, link] : order) {
    const auto count = static_cast<long>(at_links.at(link).messages.size());
    said.push_back({.kind = "uplink",
                    .count = count,
                    .problem = percent(seconds / paths.time()) + " of the time, " +
                               to_text(Seconds{seconds}) + ", goes by at " +
                               link_name(link, machine),
                    .reason = std::to_string(count) + (count == 1 ? " message" : " messages") +
                              " of the critical path, behind or beside others there",
                    .advice = "replay what-if --change uplink=2 tells what twice such links gain"});
  }
  return said;
}

}  // namespace commgauge::replay
