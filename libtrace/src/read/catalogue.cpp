#include "read/catalogue.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>

#include "commgauge/base/error.hpp"

namespace commgauge::trace {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw InputError("the archive's definitions cannot be used (" + why +
                   "): record the program again");
}

bool is_call(const std::string& name, OTF2_Paradigm paradigm) {
  return paradigm == OTF2_PARADIGM_MPI || name.starts_with("MPI_") || name.starts_with("PMPI_");
}

template <typename Map>
auto find(const Map& map, const typename Map::key_type& key)
    -> std::optional<typename Map::mapped_type> {
  const auto found = map.find(key);
  if (found == map.end()) return std::nullopt;
  return found->second;
}

}  // namespace

Catalogue::Catalogue(const RawDefinitions& raw, bool is_own, Trace& trace, Remarks& remarks)
    : raw_{raw}, is_own_{is_own}, trace_{trace} {
  if (raw.ticks_per_second == 0) refuse("its clock has no resolution");
  if (is_own) list_sites();
  name_regions();
  place_ranks(remarks);
  list_communicators(remarks);
  for (const auto& [number, members] : raw.metrics) {
    if (!members.empty() && raw.metric_members.contains(members.front()) &&
        raw.text(raw.metric_members.at(members.front())) == metric_name) {
      processor_time_ = number;
    }
  }
  trace.has_processor_time = processor_time_ != OTF2_UNDEFINED_METRIC;
  read_properties();
}

/// Calling contexts, which others use otherwise: of their samples.
void Catalogue::list_sites() {
  std::map<OTF2_RegionRef, OTF2_StringRef> names;
  for (const auto& region : raw_.regions) names[region.number] = region.name;
  for (const auto& [number, context] : raw_.calling_contexts) {
    const auto name = find(names, context.function);
    const auto place = find(raw_.source_lines, context.place);
    if (!name || !place) refuse("a call site has no function or no place");
    functions_.insert(context.function);
    sites_[number] = static_cast<std::uint32_t>(trace_.sites.size());
    trace_.sites.push_back({raw_.text(*name), raw_.text(place->file), place->line});
  }
}

void Catalogue::name_regions() {
  std::unordered_map<std::string, std::uint32_t> known;
  for (const auto& region : raw_.regions) {
    if (functions_.contains(region.number)) continue;
    const auto& text = raw_.text(region.name);
    const auto [name, is_new] =
        known.emplace(text, static_cast<std::uint32_t>(trace_.names.size()));
    if (is_new) trace_.names.push_back(text);
    const bool is_of_mpi =
        is_own_ ? region.paradigm == OTF2_PARADIGM_MPI : is_call(text, region.paradigm);
    names_[region.number] = {name->second, is_of_mpi};
  }
}

/// Ranks are the members of MPI's group of all locations; without one, processes in their order.
void Catalogue::place_ranks(Remarks& remarks) {
  if (raw_.comm_locations.empty()) {
    std::set<OTF2_LocationGroupRef> seen;
    for (const auto& location : raw_.locations) {
      const bool is_first = seen.insert(location.process).second;
      if (is_first && location.type == OTF2_LOCATION_TYPE_CPU_THREAD) add_rank(location);
    }
    if (!sources_.empty()) remarks.add("ranks aren't defined: processes are numbered in order");
  }
  std::unordered_map<OTF2_LocationRef, const RawDefinitions::Location*> by_number;
  for (const auto& location : raw_.locations) by_number[location.number] = &location;
  for (const auto number : raw_.comm_locations) {
    const auto found = by_number.find(number);
    if (found == by_number.end()) refuse("a rank's location isn't defined");
    add_rank(*found->second);
  }
  if (sources_.empty()) refuse("it has no ranks");
  if (is_own_ && raw_.locations.size() > sources_.size()) add_further_threads();
}

/// Of each rank in the order of their locations' numbers.
void Catalogue::add_further_threads() {
  std::map<OTF2_LocationRef, Source*> first;
  for (auto& source : sources_) first[source.own.front().number] = &source;
  std::map<OTF2_LocationGroupRef, Source*> of_process;
  for (const auto& one : raw_.locations) {
    if (const auto source = find(first, one.number)) of_process[one.process] = *source;
  }
  for (const auto& one : raw_.locations) {
    const auto source = find(of_process, one.process);
    if (!source || first.contains(one.number) || one.type != OTF2_LOCATION_TYPE_CPU_THREAD) {
      continue;
    }
    (*source)->own.push_back({one.number, one.events});
  }
  for (auto& source : sources_) {
    std::sort(source.own.begin() + 1, source.own.end(),
              [](const auto& a, const auto& b) { return a.number < b.number; });
  }
}

void Catalogue::add_rank(const RawDefinitions::Location& location) {
  auto& source = sources_.emplace_back();
  source.own.push_back({location.number, location.events});
  auto& rank = trace_.ranks.emplace_back();
  for (const auto& other : raw_.locations) {
    if (is_own_) break;
    if (other.process != location.process || other.number == location.number ||
        other.type != OTF2_LOCATION_TYPE_CPU_THREAD) {
      continue;
    }
    source.threads.push_back(other.number);
    ++rank.threads;
  }
  rank.host = host_of(location.process);
  const auto properties = raw_.location_properties.find(location.number);
  if (properties == raw_.location_properties.end()) return;
  for (const auto& [name, value] : properties->second) {
    if (raw_.text(name) == threads_property) rank.threads = value.int32;
    if (raw_.text(name) == complete_property) rank.is_complete = value.int32 != 0;
  }
}

/// The name of the node that the process is on: the nearest "node", else what it is in.
std::string Catalogue::host_of(OTF2_LocationGroupRef process) const {
  const auto found = find(raw_.processes, process);
  if (!found) return {};
  auto number = found->node;
  for (std::size_t depth = 0; depth <= raw_.nodes.size(); ++depth) {
    const auto node = find(raw_.nodes, number);
    if (!node) break;
    if (raw_.text(node->kind) == "node") return raw_.text(node->name);
    number = node->parent;
  }
  const auto node = find(raw_.nodes, found->node);
  return node ? raw_.text(node->name) : "";
}

std::vector<std::int32_t> Catalogue::members(OTF2_GroupRef group) const {
  const auto found = raw_.comm_groups.find(group);
  if (found == raw_.comm_groups.end()) refuse("a communicator's group isn't defined");
  std::vector<std::int32_t> ranks;
  for (const auto member : found->second) {
    if (member >= sources_.size()) refuse("a communicator has a member that is no rank");
    ranks.push_back(static_cast<std::int32_t>(member));
  }
  return ranks;
}

Communicator Catalogue::communicator(const RawDefinitions::Comm& comm) const {
  Communicator one{.name = raw_.text(comm.name), .members = members(comm.group), .others = {}};
  if (comm.others != OTF2_UNDEFINED_GROUP) one.others = members(comm.others);
  return one;
}

/// MPI_COMM_WORLD comes first, wherever it stands.
void Catalogue::list_communicators(Remarks& remarks) {
  std::vector<std::int32_t> everybody(sources_.size());
  std::iota(everybody.begin(), everybody.end(), 0);
  std::vector<std::pair<OTF2_CommRef, Communicator>> all;
  for (const auto& comm : raw_.comms) {
    if (raw_.other_groups.contains(comm.group)) continue;
    if (!raw_.self_groups.contains(comm.group)) {
      all.emplace_back(comm.number, communicator(comm));
    } else {
      own_contexts_[comm.number] = {};
    }
  }
  if (!is_own_) {
    auto world = std::ranges::find_if(
        all, [&](const auto& one) { return one.second.name == "MPI_COMM_WORLD"; });
    if (world == all.end()) {
      world = std::ranges::find_if(
          all, [&](const auto& one) { return one.second.members == everybody; });
    }
    if (world != all.end()) {
      std::rotate(all.begin(), world, world + 1);
    } else {
      trace_.communicators.push_back({"MPI_COMM_WORLD", everybody, {}});
      remarks.add("MPI_COMM_WORLD isn't defined: it has all ranks");
    }
  }
  for (auto& [number, one] : all) {
    contexts_[number] = static_cast<std::uint32_t>(trace_.communicators.size());
    trace_.communicators.push_back(std::move(one));
  }
  for (const auto& [window, comm] : raw_.windows) {
    if (const auto context = find(contexts_, comm); context && is_own_) {
      trace_.communicators[*context].is_window = true;
    }
  }
}

void Catalogue::read_properties() {
  for (const auto& [name, value] : raw_.properties) {
    const auto& text = raw_.text(value.stringRef);
    const auto& what = raw_.text(name);
    if (what == program_property) trace_.program = text;
    if (what == virtual_property) trace_.is_virtual = true;
    if (!what.starts_with(remark_property)) continue;
    const auto space = std::min(text.find(' '), text.size());
    trace_.remarks.push_back(
        {text.substr(std::min(space + 1, text.size())), std::strtoull(text.c_str(), nullptr, 10)});
  }
}

std::optional<Catalogue::Name> Catalogue::name(OTF2_RegionRef region) {
  if (region != last_region_) {
    last_region_ = region;
    last_name_ = find(names_, region);
  }
  return last_name_;
}

std::optional<std::uint32_t> Catalogue::site(OTF2_CallingContextRef number) const {
  return find(sites_, number);
}

std::optional<std::uint32_t> Catalogue::context(OTF2_CommRef comm, std::int32_t rank) {
  if (const auto found = find(contexts_, comm)) return found;
  const auto own = own_contexts_.find(comm);
  if (own == own_contexts_.end()) return std::nullopt;
  const auto [context, is_new] =
      own->second.emplace(rank, static_cast<std::uint32_t>(trace_.communicators.size()));
  if (is_new) trace_.communicators.push_back({"MPI_COMM_SELF", {rank}, {}});
  return context->second;
}

std::optional<std::uint32_t> Catalogue::context_of_window(OTF2_RmaWinRef window,
                                                          std::int32_t rank) {
  const auto comm = find(raw_.windows, window);
  return comm ? context(*comm, rank) : std::nullopt;
}

std::optional<Attribute> Catalogue::attribute(OTF2_AttributeRef number) const {
  return find(raw_.attributes, number);
}

std::optional<Parameter> Catalogue::parameter(OTF2_ParameterRef number) const {
  return find(raw_.parameters, number);
}

std::int64_t Catalogue::time(OTF2_TimeStamp ticks) const {
  const auto since = static_cast<std::int64_t>(ticks - raw_.offset);
  if (raw_.ticks_per_second == 1'000'000'000) return since;
  return static_cast<std::int64_t>(static_cast<long double>(since) * 1e9L /
                                   static_cast<long double>(raw_.ticks_per_second));
}

}  // namespace commgauge::trace
