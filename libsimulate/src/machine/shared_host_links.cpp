#include "commgauge/simulate/machine/shared_host_links.hpp"

#include "commgauge/plan/host_plan.hpp"

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
    links.both.push_back(known(fitted.both[first]));
    any = any || links.out.back() > 0 || links.in.back() > 0 || links.inside.back() > 0 ||
          links.both.back() > 0;
  }
  return any ? links : SharedHostLinks{};
}

}  // namespace commgauge::simulate
