#include "replay/outcome/what_if_changes.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "commgauge/base/error.hpp"
#include "commgauge/base/units.hpp"
#include "common/command_line/options.hpp"

namespace commgauge::tools {

namespace {

struct Words {
  std::string name;
  std::string of;  ///< behind a colon: ranks
  std::string value;
};

[[noreturn]] void refuse(const std::string& text, const std::string& why,
                         const std::string& advice) {
  throw InputError("'" + text + "' (" + why + "): " + advice);
}

Words words_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    refuse(text, "it has no value", "write it as latency=0.5");
  }
  Words words{text.substr(0, equals), "", text.substr(equals + 1)};
  if (const std::size_t colon = words.name.find(':'); colon != std::string::npos) {
    words.of = words.name.substr(colon + 1);
    words.name.resize(colon);
  }
  return words;
}

double factor_of(const std::string& text, const std::string& value) {
  double factor{};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), factor);
  const bool is_number = error == std::errc{} && end == value.data() + value.size();
  if (is_number && std::isfinite(factor) && factor > 0) return factor;
  refuse(text, "a factor is a number above zero", "write it as latency=0.5");
}

int whole(const std::string& text, std::uint64_t least) {
  return static_cast<int>(parse_whole(text, least, std::numeric_limits<int>::max()));
}

std::vector<int> ranks_of(const std::string& text) {
  std::istringstream words(text);
  std::vector<int> ranks;
  for (std::string word; std::getline(words, word, ',');) ranks.push_back(whole(word, 0));
  return ranks;
}

void set_hosts(const std::string& text, const std::string& value, MachineOptions& machine) {
  const std::size_t by = value.find('x');
  if (by == std::string::npos) {
    refuse(text, "it needs hosts and the ranks of each", "write it as hosts=8x4");
  }
  machine.larger.hosts_from.clear();
  machine.larger.hosts = whole(value.substr(0, by), 1);
  machine.larger.ranks_per_host = whole(value.substr(by + 1), 1);
}

void multiply(replay::Change& change, const replay::Change& by) {
  change.factors.latency *= by.factors.latency;
  change.factors.per_byte *= by.factors.per_byte;
  change.factors.overheads *= by.factors.overheads;
  change.factors.gaps *= by.factors.gaps;
  change.factors.uplinks *= by.factors.uplinks;
  change.computing *= by.computing;
}

std::optional<replay::Quantity> quantity_of(const std::string& name) {
  using enum replay::Quantity;
  for (const replay::Quantity one : {latency, bandwidth, overheads, gaps, computing, uplink}) {
    if (name == to_text(one)) return one;
  }
  return {};
}

void apply(const std::string& text, ChangedRun& run) {
  const auto [name, of, value] = words_of(text);
  MachineOptions& machine = run.options.machine;
  if (!of.empty() && name != "computing") {
    refuse(text, "ranks are named of computing alone", "leave :" + of + " out");
  }
  if (const auto quantity = quantity_of(name)) {
    multiply(run.change, replay::change_of(*quantity, factor_of(text, value)));
    if (!of.empty()) run.change.ranks = ranks_of(of);
  } else if (name == "eager-limit") {
    run.change.eager_limit = parse_size(value);
  } else if (name == "collectives") {
    (void)schedule::choice_from(value);
    machine.collectives = value;
  } else if (name == "placement") {
    machine.placement = value;
  } else if (name == "hosts") {
    set_hosts(text, value, machine);
  } else {
    refuse(text, "there is no such change",
           "give one of latency, bandwidth, overheads, gaps, computing, uplink, eager-limit, "
           "collectives, placement, hosts");
  }
}

}  // namespace

ChangedRun changed_run(const ReplayOptions& options, const std::vector<std::string>& texts) {
  ChangedRun run{options, {}};
  std::set<std::string> names;
  for (const std::string& text : texts) {
    if (!names.insert(words_of(text).name).second) {
      refuse(text, "that is changed twice", "give it once");
    }
    apply(text, run);
  }
  return run;
}

Range parse_range(const std::string& text) {
  const auto [name, of, value] = words_of(text);
  const std::size_t dots = value.find("..");
  const auto quantity = quantity_of(name);
  if (!quantity || !of.empty() || dots == std::string::npos) {
    refuse(text,
           "a curve is of latency, bandwidth, overheads, gaps, computing or uplink, over a range",
           "write it as latency=0.25..16");
  }
  return {*quantity, factor_of(text, value.substr(0, dots)),
          factor_of(text, value.substr(dots + 2))};
}

}  // namespace commgauge::tools
