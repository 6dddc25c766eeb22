#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "read/definitions_reader.hpp"
#include "read/remarks.hpp"

namespace commgauge::trace {

/// An archive's definitions in a trace's terms.
class Catalogue {
 public:
  struct Name {
    std::uint32_t name{};  ///< of Trace::names
    bool is_call{};        ///< of MPI
  };
  /// Where the events of a thread are, and how many, as the definitions say.
  struct Location {
    OTF2_LocationRef number{};
    std::uint64_t events{};
  };
  /// Where the events of a rank are.
  struct Source {
    std::vector<Location> own;              ///< the first thread's; ours have further ones
    std::vector<OTF2_LocationRef> threads;  ///< others of its process, of others' archives
  };

  /// @throws InputError  no ranks, or a communicator of members that aren't there.
  Catalogue(const RawDefinitions& raw, bool is_own, Trace& trace, Remarks& remarks);

  [[nodiscard]] const std::vector<Source>& sources() const { return sources_; }
  [[nodiscard]] std::optional<Name> name(OTF2_RegionRef region);
  /// Which of Trace::sites; none: there is no such one.
  [[nodiscard]] std::optional<std::uint32_t> site(OTF2_CallingContextRef number) const;
  /// Number of the communicator as the rank uses it; none: there is no such one.
  [[nodiscard]] std::optional<std::uint32_t> context(OTF2_CommRef comm, std::int32_t rank);
  /// The same of a window's.
  [[nodiscard]] std::optional<std::uint32_t> context_of_window(OTF2_RmaWinRef window,
                                                               std::int32_t rank);
  [[nodiscard]] std::optional<Attribute> attribute(OTF2_AttributeRef number) const;
  [[nodiscard]] std::optional<Parameter> parameter(OTF2_ParameterRef number) const;
  [[nodiscard]] bool is_processor_time(OTF2_MetricRef metric) const {
    return metric == processor_time_;
  }
  /// [ns] since the trace's beginning
  [[nodiscard]] std::int64_t time(OTF2_TimeStamp ticks) const;

 private:
  void name_regions();
  void list_sites();
  void place_ranks(Remarks& remarks);
  void add_rank(const RawDefinitions::Location& location);
  void add_further_threads();
  std::string host_of(OTF2_LocationGroupRef process) const;
  void list_communicators(Remarks& remarks);
  Communicator communicator(const RawDefinitions::Comm& comm) const;
  std::vector<std::int32_t> members(OTF2_GroupRef group) const;
  void read_properties();

  const RawDefinitions& raw_;
  bool is_own_;
  Trace& trace_;
  std::vector<Source> sources_;
  std::unordered_map<OTF2_RegionRef, Name> names_;
  OTF2_RegionRef last_region_{OTF2_UNDEFINED_REGION};  ///< that was asked for, and its name
  std::optional<Name> last_name_;
  std::set<OTF2_RegionRef> functions_;  ///< of the sites, which are no names
  std::unordered_map<OTF2_CallingContextRef, std::uint32_t> sites_;
  std::unordered_map<OTF2_CommRef, std::uint32_t> contexts_;
  /// MPI_COMM_SELF: one for each rank that uses it.
  std::unordered_map<OTF2_CommRef, std::unordered_map<std::int32_t, std::uint32_t>> own_contexts_;
  OTF2_MetricRef processor_time_{OTF2_UNDEFINED_METRIC};
};

}  // namespace commgauge::trace
