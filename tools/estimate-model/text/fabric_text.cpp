#include "estimate-model/text/fabric_text.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "commgauge/base/units.hpp"
#include "common/output/table.hpp"

namespace commgauge::tools {

namespace {

constexpr std::size_t most_hosts_of_group = 8;
constexpr std::size_t most_host_rows = 16;

std::string rate_text(double rate) { return to_text(BytesPerSecond{rate}); }

/// Of a time per byte with its interval; a bound where the link held nothing up.
std::string rate_of_link(double value, double low, double high) {
  if (std::isnan(value)) return std::isnan(high) ? "-" : "at least " + rate_text(1 / high);
  const std::string rate = rate_text(1 / value);
  if (std::isnan(low) || std::isnan(high) || low <= 0) return rate;
  return rate + " (" + rate_text(1 / high) + " to " + rate_text(1 / low) + ")";
}

std::string group_name(const std::vector<std::string>& hosts) {
  if (hosts.size() <= most_hosts_of_group) return joined(hosts);
  return hosts.front() + " to " + hosts.back() + ", " + counted(std::ssize(hosts), "host");
}

std::string groups_table(const Fabric& fabric) {
  if (fabric.groups.empty()) return "";
  Table table{{"hosts behind an uplink", "out", "in"}};
  for (std::size_t k = 0; k < fabric.groups.size(); ++k) {
    table.add({group_name(fabric.groups[k].hosts),
               rate_of_link(fabric.value.out[k], fabric.low.out[k], fabric.high.out[k]),
               rate_of_link(fabric.value.in[k], fabric.low.in[k], fabric.high.in[k])});
  }
  return table.text();
}

std::string backbone_text(const Fabric& fabric) {
  if (fabric.backbone_sides.empty()) return "";
  return indented("all messages between " + std::to_string(fabric.backbone_sides.size()) +
                  " sides, both ways together: " +
                  rate_of_link(fabric.value.backbone, fabric.low.backbone, fabric.high.backbone));
}

std::string full_load_text(const Fabric& fabric) {
  const Estimate& load = fabric.full_load;
  const std::string interval =
      std::isnan(load.low) ? "" : " (" + rate_text(load.low) + " to " + rate_text(load.high) + ")";
  return indented("at full load, all hosts in random pairs, each one way: " +
                  rate_text(load.value) + interval + ", " + percent(load.value / fabric.alone) +
                  " of " + rate_text(fabric.alone) + " that the same pairs reach alone");
}

/// What the ranks of a host share, in the columns of the table.
std::vector<std::string> host_row(const Fitted<HostLinks>& fit, std::size_t rank) {
  const auto text = [&](std::vector<double> HostLinks::*way) {
    return rate_of_link((fit.value.*way)[rank], (fit.low.*way)[rank], (fit.high.*way)[rank]);
  };
  return {text(&HostLinks::out), text(&HostLinks::in), text(&HostLinks::both),
          text(&HostLinks::inside)};
}

struct AlikeHosts {
  std::vector<std::string> row;
  std::vector<std::string> names;

  /// The first of many stands for them: they needn't be neighbours.
  [[nodiscard]] std::string text() const {
    if (names.size() <= most_hosts_of_group) return joined(names);
    return names.front() + " and " + std::to_string(names.size() - 1) + " like it";
  }
};

/// Of which something is known, by what is.
std::vector<AlikeHosts> alike_hosts(const Model& model) {
  std::vector<AlikeHosts> alike;
  std::set<std::string> known;
  for (int rank = 0; rank < model.ranks; ++rank) {
    if (!known.insert(model.host(rank)).second) continue;
    std::vector<std::string> row = host_row(*model.host_links, static_cast<std::size_t>(rank));
    if (std::ranges::all_of(row, [](const std::string& cell) { return cell == "-"; })) continue;
    const auto same = std::ranges::find(alike, row, &AlikeHosts::row);
    if (same == alike.end()) {
      alike.push_back({std::move(row), {model.host(rank)}});
    } else {
      same->names.push_back(model.host(rank));
    }
  }
  return alike;
}

}  // namespace

std::string host_links_text(const Model& model) {
  if (!model.host_links) return "";
  const std::vector<AlikeHosts> alike = alike_hosts(model);
  if (alike.empty()) return "";
  Table table{{"host", "link out", "link in", "both ways", "memory"}};
  const std::size_t shown = std::min(alike.size(), most_host_rows);
  for (std::size_t k = 0; k < shown; ++k) {
    std::vector<std::string> cells{alike[k].text()};
    cells.insert(cells.end(), alike[k].row.begin(), alike[k].row.end());
    table.add(cells);
  }
  const std::size_t more = alike.size() - shown;
  const std::string rest =
      more == 0 ? "" : indented(std::to_string(more) + " lines more: the file has them");
  return "\nWhat ranks of a host share (several pairs at once)\n" + table.text() + rest;
}

std::string fabric_text(const Model& model) {
  if (!model.fabric) return "";
  const Fabric& fabric = *model.fabric;
  std::string text = "\nLinks that hosts share (messages of " +
                     to_text(Bytes{static_cast<std::uint64_t>(fabric.message_bytes)}) +
                     " at once, " + counted(fabric.rounds, "round") + ")\n" + groups_table(fabric) +
                     backbone_text(fabric) + full_load_text(fabric) +
                     indented("nine in ten pairs are foretold to within " + percent(fabric.misfit));
  for (const std::string& note : fabric.notes) text += indented(note);
  return text;
}

}  // namespace commgauge::tools
