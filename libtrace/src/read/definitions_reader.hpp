#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "archive/otf2.hpp"
#include "commgauge/trace/events/trace.hpp"

namespace commgauge::trace {

/// An archive's global definitions as they stand there, by their numbers.
struct RawDefinitions {
  struct Location {
    OTF2_LocationRef number{};
    OTF2_LocationType type{};
    std::uint64_t events{};
    OTF2_LocationGroupRef process{};
  };
  struct Region {
    OTF2_RegionRef number{};
    OTF2_StringRef name{};
    OTF2_Paradigm paradigm{};
  };
  struct Comm {
    OTF2_CommRef number{};
    OTF2_StringRef name{};
    OTF2_GroupRef group{};
    OTF2_GroupRef others{OTF2_UNDEFINED_GROUP};
  };
  struct Process {
    OTF2_LocationGroupType type{};
    OTF2_SystemTreeNodeRef node{};
  };
  struct Node {
    OTF2_StringRef name{};
    OTF2_StringRef kind{};
    OTF2_SystemTreeNodeRef parent{};
  };
  using Group = std::vector<std::uint64_t>;
  using Property = std::pair<OTF2_StringRef, OTF2_AttributeValue>;

  struct SourceLine {
    OTF2_StringRef file{};
    std::uint32_t line{};
  };
  struct CallingContext {
    OTF2_RegionRef function{};
    OTF2_SourceCodeLocationRef place{};
  };

  std::unordered_map<OTF2_StringRef, std::string> texts;
  std::vector<Location> locations;
  std::vector<Region> regions;
  std::map<OTF2_SourceCodeLocationRef, SourceLine> source_lines;
  std::map<OTF2_CallingContextRef, CallingContext> calling_contexts;
  std::vector<Comm> comms;
  std::map<OTF2_RmaWinRef, OTF2_CommRef> windows;
  std::map<OTF2_LocationGroupRef, Process> processes;
  std::map<OTF2_SystemTreeNodeRef, Node> nodes;
  std::map<OTF2_GroupRef, Group> comm_groups;
  std::set<OTF2_GroupRef> self_groups;
  std::set<OTF2_GroupRef> other_groups;  ///< of what isn't MPI, as Score-P has one of all threads
  Group comm_locations;                  ///< of MPI: the location of each rank
  std::map<OTF2_LocationRef, std::vector<Property>> location_properties;
  std::vector<Property> properties;  ///< of the machine, with texts
  std::unordered_map<OTF2_AttributeRef, Attribute> attributes;
  std::unordered_map<OTF2_ParameterRef, Parameter> parameters;
  std::map<OTF2_MetricMemberRef, OTF2_StringRef> metric_members;
  std::map<OTF2_MetricRef, std::vector<OTF2_MetricMemberRef>> metrics;
  std::uint64_t ticks_per_second{1'000'000'000};
  std::uint64_t offset{};
  std::uint64_t records_left{};  ///< that may be read yet

  [[nodiscard]] const std::string& text(OTF2_StringRef number) const;
};

/// @throws InputError  OTF2 can't read them.
[[nodiscard]] RawDefinitions read_definitions(OTF2_Reader* reader, std::uint64_t most_records);

}  // namespace commgauge::trace
