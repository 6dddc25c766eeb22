#include "commgauge/simulate/machine/topology.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/file_kind.hpp"
#include "commgauge/base/index.hpp"

namespace commgauge::simulate {

namespace {

void require_processors(double count) {
  if (count >= 1 && count <= most_processors) return;
  throw InputError("a topology of " + std::to_string(static_cast<long long>(count)) +
                   " processors (from 1 to " + std::to_string(most_processors) +
                   " are possible): give another number");
}

/// Links of one processor, none of them twice or to itself.
void add_link(std::vector<int>& links, int from, int to) {
  if (to != from && std::ranges::find(links, to) == links.end()) links.push_back(to);
}

Topology grid(const std::vector<int>& extents, bool is_closed) {
  double all = 1;
  for (const int extent : extents) {
    require_processors(extent);
    all *= extent;
  }
  require_processors(all);
  Topology topology;
  topology.links.resize(static_cast<std::size_t>(all));
  for (int p = 0; p < topology.processors(); ++p) {
    int step = topology.processors();
    for (const int extent : extents) {
      step /= extent;
      const int here = p / step % extent;
      const auto add = [&](int place) {
        const int there = is_closed ? (place + extent) % extent : place;
        if (there >= 0 && there < extent) {
          add_link(topology.links[at(p)], p, p + (there - here) * step);
        }
      };
      add(here + 1);
      add(here - 1);
    }
  }
  return topology;
}

/// Nothing where `text` is anything but digits, or too large.
std::optional<int> number_in(std::string_view text) {
  int number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool is_number = error == std::errc{} && stop == end && number >= 0;
  return is_number ? std::optional{number} : std::nullopt;
}

/// The numbers of `4x4x2`. @return none: it isn't that
std::vector<int> numbers_between(std::string_view text, char separator) {
  std::vector<int> numbers;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find(separator);
    const auto number = number_in(text.substr(0, end));
    if (!number) return {};
    numbers.push_back(*number);
    if (end != std::string_view::npos) text.remove_prefix(end + 1);
  }
  return numbers;
}

/// A line of incidence lists.
struct List {
  int processor{};
  std::vector<int> links;
};

/// @throws InputError  without the file and line
List list_in(const std::string& text) {
  const auto read = [](const std::string& word) {
    if (const auto number = number_in(word); number && *number < most_processors) return *number;
    throw InputError("'" + word + "' is no processor (they count from 0, to " +
                     std::to_string(most_processors - 1) +
                     "): write lines like 0: 1 3, the processors that 0 has a link to");
  };
  const std::size_t colon = std::min(text.find(':'), text.size());
  std::string word;
  std::istringstream before(text.substr(0, colon));
  before >> word;
  List list{read(word), {}};
  if (colon == text.size() || before >> word) {
    throw InputError(
        "there is no colon behind its first number (a list has a processor before "
        "it): write lines like 0: 1 3");
  }
  std::istringstream after(text.substr(colon + 1));
  while (after >> word) {
    const int to = read(word);
    if (to == list.processor) {
      throw InputError("processor " + word +
                       " has a link to itself (no message needs one): leave it out");
    }
    if (std::ranges::find(list.links, to) != list.links.end()) {
      throw InputError("it has processor " + word +
                       " twice (there is one link from a processor to another): leave one out");
    }
    list.links.push_back(to);
  }
  return list;
}

void require_all_lists(const std::map<int, List>& lists, const std::string& name) {
  if (lists.empty()) {
    throw InputError(name +
                     ": there are no processors (a topology has at least one): write a line for "
                     "each, like 0: 1 3");
  }
  const auto require = [&](int processor) {
    if (lists.contains(processor)) return;
    throw InputError(name + ": processor " + std::to_string(processor) +
                     " has no line (each needs one, from 0 on): add " + std::to_string(processor) +
                     ": and those that it has a link to");
  };
  for (int p = 0; p <= lists.rbegin()->first; ++p) require(p);
  for (const auto& [processor, list] : lists) std::ranges::for_each(list.links, require);
}

}  // namespace

Topology mesh(const std::vector<int>& extents) { return grid(extents, false); }
Topology torus(const std::vector<int>& extents) { return grid(extents, true); }
Topology ring(int processors) { return torus({processors}); }

Topology hypercube(int processors) {
  require_processors(processors);
  if ((processors & (processors - 1)) != 0) {
    throw InputError("a hypercube of " + std::to_string(processors) +
                     " processors (their number is a power of 2): give 2, 4, 8, ...");
  }
  Topology cube{std::vector<std::vector<int>>(at(processors))};
  for (int p = 0; p < processors; ++p) {
    for (int bit = 1; bit < processors; bit *= 2) cube.links[at(p)].push_back(p ^ bit);
  }
  return cube;
}

Topology tree(int processors, int children) {
  require_processors(processors);
  if (children < 1) {
    throw InputError("a tree with no children (it would be its root alone): give at least 1");
  }
  Topology tree{std::vector<std::vector<int>>(at(processors))};
  for (int p = 1; p < processors; ++p) {
    const int above = (p - 1) / children;
    tree.links[at(p)].push_back(above);
    tree.links[at(above)].push_back(p);
  }
  return tree;
}

Topology fully_connected(int processors) {
  require_processors(processors);
  Topology full{std::vector<std::vector<int>>(at(processors))};
  for (int p = 0; p < processors; ++p) {
    for (int to = 0; to < processors; ++to) add_link(full.links[at(p)], p, to);
  }
  return full;
}

std::optional<Topology> generated(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const std::string name = text.substr(0, colon);
  const std::string_view sizes = std::string_view{text}.substr(colon + 1);
  const auto numbers = [&](char separator, std::size_t most) {
    std::vector<int> found = numbers_between(sizes, separator);
    if (!found.empty() && found.size() <= most) return found;
    throw InputError("'" + text + "' has other sizes than a " + name +
                     " has (there are ring:8, mesh:4x4, torus:4x4x2, hypercube:16, tree:15, "
                     "tree:13,3, full:8): give such");
  };
  constexpr std::size_t most_extents = 12;  // 2^12 processors
  if (name == "ring") return ring(numbers('x', 1).front());
  if (name == "mesh") return mesh(numbers('x', most_extents));
  if (name == "torus") return torus(numbers('x', most_extents));
  if (name == "hypercube") return hypercube(numbers('x', 1).front());
  if (name == "full") return fully_connected(numbers('x', 1).front());
  if (name != "tree") return std::nullopt;
  const std::vector<int> shape = numbers(',', 2);
  return tree(shape.front(), shape.size() > 1 ? shape.back() : 2);
}

Topology topology_from_text(const std::string& text, const std::string& name) {
  refuse_other_kinds(text, name, "a list of processors and their links");
  std::map<int, List> lists;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    line.resize(std::min(line.find('#'), line.size()));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      List list = list_in(line);
      const int processor = list.processor;
      if (lists.emplace(processor, std::move(list)).second) continue;
      throw InputError("processor " + std::to_string(processor) +
                       " has a second line (it has one): write all its links into one");
    } catch (const InputError& error) {
      throw InputError(name + ": line " + std::to_string(number) + ": " + error.what());
    }
  }
  require_all_lists(lists, name);
  Topology topology;
  for (auto& [processor, list] : lists) topology.links.push_back(std::move(list.links));
  return topology;
}

Routes::Routes(const Topology& topology) : processors_{topology.links.size()} {
  require_processors(topology.processors());
  std::vector<std::vector<int>> links_into(processors_);
  for (int p = 0; p < topology.processors(); ++p) {
    for (const int to : topology.links[at(p)]) links_into[at(to)].push_back(p);
  }
  hops_.assign(processors_ * processors_, -1);
  for (int to = 0; to < topology.processors(); ++to) find_ways_to(to, links_into);
  choose_links(topology);
}

/// How far it is from everywhere, going backwards, the near ones first.
void Routes::find_ways_to(int to, const std::vector<std::vector<int>>& links_into) {
  std::vector<int> reached{to};
  hops_[index(to, to)] = 0;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const int here = reached[next];
    for (const int from : links_into[at(here)]) {
      if (hops(from, to) >= 0) continue;
      hops_[index(from, to)] = hops(here, to) + 1;
      reached.push_back(from);
    }
  }
  if (reached.size() == processors_) return;
  int from = 0;
  while (hops(from, to) >= 0) ++from;
  throw InputError("there is no way from processor " + std::to_string(from) + " to processor " +
                   std::to_string(to) +
                   " (messages could not come there; links lead one way): add a link");
}

void Routes::choose_links(const Topology& topology) {
  links_.assign(processors_ * processors_, -1);
  for (int here = 0; here < topology.processors(); ++here) {
    for (const int end : topology.links[at(here)]) {
      const auto link = static_cast<std::int32_t>(ends_.size());
      ends_.push_back(end);
      for (int to = 0; to < topology.processors(); ++to) {
        std::int32_t& chosen = links_[index(here, to)];
        if (chosen < 0 && hops(end, to) < hops(here, to)) chosen = link;
      }
    }
  }
}

namespace {

void check(const LinkParameters& p) {
  if (!(p.start_up.value > 0) || std::isinf(p.start_up.value)) {
    throw InputError(
        "the start-up time is not above zero (what a message does would have an "
        "effect at once): give one, as 50us");
  }
  if (!(p.per_byte.value >= 0) || std::isinf(p.per_byte.value)) {
    throw InputError("the time per byte is not a time: give one, as 10ns, or 0");
  }
  if (!p.block) return;
  if (p.block->value == 0) {
    throw InputError(
        "a block has no bytes (a message would be cut for ever): give a size, as 1KiB");
  }
  if (p.switching == Switching::wormhole) {
    throw InputError(
        "a block in wormhole switching (a message isn't cut there): leave it out, or "
        "switch by store-and-forward");
  }
}

/// What a message over so many links costs.
Curve cost_of(const LinkParameters& p, int hops) {
  Curve cost;
  cost.first = {p.start_up.value, p.per_byte.value};
  if (p.switching == Switching::wormhole) {
    cost.first.fixed *= hops;
    return cost;
  }
  if (p.block) {
    cost.block = static_cast<double>(p.block->value);
    cost.per_block = p.start_up.value;
  }
  cost.scale(hops);
  return cost;
}

PairCosts costs_of_pair(const LinkParameters& parameters, int there, int back) {
  PairCosts costs;
  const Curve way = cost_of(parameters, there);
  costs.arrival = costs.one_way = costs.rendezvous_receiver = way;
  costs.request = way.at(0);
  costs.reply = cost_of(parameters, back).at(0);
  return costs;
}

}  // namespace

Machine machine_of(const Topology& topology, const LinkParameters& parameters) {
  check(parameters);
  const Routes routes(topology);
  Machine machine;
  machine.kind = topology_kind;
  machine.ranks = topology.processors();
  machine.eager_limit = std::numeric_limits<double>::infinity();
  machine.time_ratios.assign(topology.links.size(), same_speed);
  for (int p = 0; p < machine.ranks; ++p) machine.hosts.push_back("processor" + std::to_string(p));
  machine.pairs = PairTable(machine.ranks, [&](int from, int to) {
    return costs_of_pair(parameters, routes.hops(from, to), routes.hops(to, from));
  });
  if (!parameters.has_contention) return machine;
  Network& network = machine.network;
  network.processors = machine.ranks;
  network.links = routes.links();
  network.ends = routes.ends();
  for (int p = 0; p < machine.ranks; ++p) network.places.push_back(p);
  network.keeps = cost_of(parameters, 1);
  network.leads = network.keeps;
  if (parameters.switching == Switching::wormhole) {
    network.leads.first = {parameters.start_up.value, 0};
  }
  return machine;
}

}  // namespace commgauge::simulate
