#include "write/definitions_writer.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <unordered_map>

#include "archive/otf2.hpp"
#include "archive/state.hpp"
#include "write/record_writer.hpp"

namespace commgauge::trace {
namespace {

/// Of the program's messages, and of the group of all ranks.
constexpr OTF2_SystemTreeNodeRef machine = 0;
constexpr OTF2_GroupRef all_ranks = 0;

OTF2_RegionRole role_of(const std::string& call) {
  const auto has = [&](const char* part) { return call.find(part) != std::string::npos; };
  if (has("arrier")) return OTF2_REGION_ROLE_BARRIER;
  for (const auto* part : {"cast", "educe", "ather", "catter", "lltoall", "can"}) {
    if (has(part)) return OTF2_REGION_ROLE_COLL_OTHER;
  }
  for (const auto* part : {"send", "Send", "recv", "Recv", "robe"}) {
    if (has(part)) return OTF2_REGION_ROLE_POINT2POINT;
  }
  return OTF2_REGION_ROLE_FUNCTION;
}

class DefinitionsWriter {
 public:
  DefinitionsWriter(OTF2_GlobalDefWriter* writer, const About& about, const Report& all)
      : writer_{writer}, about_{about}, all_{all} {}

  void write(const std::vector<Remark>& remarks) {
    clock();
    OTF2_GlobalDefWriter_WriteParadigm(writer_, OTF2_PARADIGM_MPI, text("MPI"),
                                       OTF2_PARADIGM_CLASS_PROCESS);
    OTF2_GlobalDefWriter_WriteParadigm(writer_, OTF2_PARADIGM_USER, text("user"),
                                       OTF2_PARADIGM_CLASS_PROCESS);
    words();
    ranks();
    regions();
    sites();
    if (about_.has_processor_time) metric();
    communicators();
    about(remarks);
  }

 private:
  /// Texts are defined when they are first used.
  OTF2_StringRef text(const std::string& text) {
    const auto [found, is_new] = texts_.emplace(text, static_cast<OTF2_StringRef>(texts_.size()));
    if (is_new) OTF2_GlobalDefWriter_WriteString(writer_, found->second, text.c_str());
    return found->second;
  }

  void clock() {
    std::uint64_t end = 0;
    for (const auto& rank : all_.ranks) end = std::max(end, rank.last_time);
    OTF2_GlobalDefWriter_WriteClockProperties(writer_, 1'000'000'000, 0, end + 1,
                                              OTF2_UNDEFINED_TIMESTAMP);
  }

  void words() {
    for (OTF2_AttributeRef i = 0; i < static_cast<OTF2_AttributeRef>(Attribute::number_of); ++i) {
      const auto& word = word_of(static_cast<Attribute>(i));
      OTF2_GlobalDefWriter_WriteAttribute(writer_, i, text(word.name), text(word.description),
                                          word.type);
    }
    for (OTF2_ParameterRef i = 0; i < static_cast<OTF2_ParameterRef>(Parameter::number_of); ++i) {
      OTF2_GlobalDefWriter_WriteParameter(writer_, i, text(word_of(static_cast<Parameter>(i)).name),
                                          OTF2_PARAMETER_TYPE_UINT64);
    }
  }

  void ranks() {
    OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, machine, text("machine"), text("machine"),
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    std::map<std::string, OTF2_SystemTreeNodeRef> hosts;
    for (const auto& rank : all_.ranks) {
      const auto [host, is_new] =
          hosts.emplace(rank.host, static_cast<OTF2_SystemTreeNodeRef>(hosts.size() + 1));
      if (is_new) {
        OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, host->second, text(rank.host),
                                                 text("node"), machine);
      }
      this->rank(rank, host->second);
    }
  }

  void rank(const RankReport& rank, OTF2_SystemTreeNodeRef host) {
    const auto number = static_cast<std::uint32_t>(rank.rank);
    OTF2_GlobalDefWriter_WriteLocationGroup(
        writer_, number, text("MPI Rank " + std::to_string(number)),
        OTF2_LOCATION_GROUP_TYPE_PROCESS, host, OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocation(writer_, number, text("Master thread"),
                                       OTF2_LOCATION_TYPE_CPU_THREAD, rank.events, number);
    for (const auto& thread : rank.further_threads) {
      OTF2_GlobalDefWriter_WriteLocation(writer_, thread.number,
                                         text("Thread " + std::to_string(thread_of(thread.number))),
                                         OTF2_LOCATION_TYPE_CPU_THREAD, thread.events, number);
    }
    OTF2_AttributeValue value{};
    value.int32 = rank.threads;
    if (rank.threads != 1) {
      OTF2_GlobalDefWriter_WriteLocationProperty(writer_, number, text(threads_property),
                                                 OTF2_TYPE_INT32, value);
    }
    value.int32 = 0;
    if (!rank.is_complete) {
      OTF2_GlobalDefWriter_WriteLocationProperty(writer_, number, text(complete_property),
                                                 OTF2_TYPE_INT32, value);
    }
  }

  void regions() {
    numbers_ = region_numbers(all_.used);
    for (std::uint32_t name = 0; name < all_.names.size(); ++name) {
      const auto used = all_.used[name];
      if (used != 2) region(name, false);
      if ((used & 2U) != 0) region(name, true);
    }
  }

  void region(std::uint32_t name, bool is_user) {
    ++regions_;
    const auto& what = all_.names[name];
    OTF2_GlobalDefWriter_WriteRegion(
        writer_, numbers_[region_of(name, is_user)], text(what), text(what), text(""),
        is_user ? OTF2_RegionRole{OTF2_REGION_ROLE_CODE} : role_of(what),
        is_user ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, text("MPI"), 0, 0);
  }

  /// Each as a calling context without others around it. Its function is a region of its own.
  void sites() {
    std::map<std::string, OTF2_RegionRef> functions;
    for (std::uint32_t i = 0; i < all_.sites.size(); ++i) {
      const auto& site = all_.sites[i];
      const auto next = static_cast<OTF2_RegionRef>(regions_ + functions.size());
      const auto [function, is_new] = functions.emplace(site.function, next);
      if (is_new) this->function(function->second, site.function);
      OTF2_GlobalDefWriter_WriteSourceCodeLocation(writer_, i, text(site.file), site.line);
      OTF2_GlobalDefWriter_WriteCallingContext(writer_, i, function->second, i,
                                               OTF2_UNDEFINED_CALLING_CONTEXT);
    }
  }

  void function(OTF2_RegionRef number, const std::string& name) {
    OTF2_GlobalDefWriter_WriteRegion(writer_, number, text(name), text(name), text(""),
                                     OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                     OTF2_REGION_FLAG_NONE, text(""), 0, 0);
  }

  void metric() {
    OTF2_GlobalDefWriter_WriteMetricMember(
        writer_, 0, text(metric_name), text("of the rank's thread"), OTF2_METRIC_TYPE_OTHER,
        OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_INT64, OTF2_BASE_DECIMAL, -9, text("s"));
    const OTF2_MetricMemberRef member = 0;
    OTF2_GlobalDefWriter_WriteMetricClass(writer_, 0, 1, &member, OTF2_METRIC_SYNCHRONOUS_STRICT,
                                          OTF2_RECORDER_KIND_CPU);
  }

  void communicators() {
    std::vector<std::uint64_t> locations(all_.ranks.size());
    std::iota(locations.begin(), locations.end(), std::uint64_t{});
    OTF2_GlobalDefWriter_WriteGroup(writer_, all_ranks, text(""), OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                    static_cast<std::uint32_t>(locations.size()), locations.data());
    const auto windows = window_numbers(all_.communicators);
    for (std::uint32_t i = 0; i < all_.communicators.size(); ++i) {
      const auto& one = all_.communicators[i];
      const auto members = group(one.members);
      if (one.others.empty()) {
        OTF2_GlobalDefWriter_WriteComm(writer_, i, text(one.name), members, OTF2_UNDEFINED_COMM,
                                       OTF2_COMM_FLAG_NONE);
      } else {
        OTF2_GlobalDefWriter_WriteInterComm(writer_, i, text(one.name), members, group(one.others),
                                            OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
      }
      if (one.is_window) {
        OTF2_GlobalDefWriter_WriteRmaWin(writer_, windows[i], text(one.name), i,
                                         OTF2_RMA_WIN_FLAG_NONE);
      }
    }
  }

  OTF2_GroupRef group(const std::vector<std::int32_t>& ranks) {
    const auto [found, is_new] =
        groups_.emplace(ranks, static_cast<OTF2_GroupRef>(groups_.size() + 1));
    if (is_new) {
      const std::vector<std::uint64_t> members{ranks.begin(), ranks.end()};
      OTF2_GlobalDefWriter_WriteGroup(writer_, found->second, text(""), OTF2_GROUP_TYPE_COMM_GROUP,
                                      OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                      static_cast<std::uint32_t>(members.size()), members.data());
    }
    return found->second;
  }

  void about(const std::vector<Remark>& remarks) {
    property(program_property, about_.program);
    if (about_.is_virtual) property(virtual_property, "yes");
    for (std::size_t i = 0; i < remarks.size(); ++i) {
      property(remark_property + (' ' + std::to_string(i)),
               std::to_string(remarks[i].count) + ' ' + remarks[i].text);
    }
  }

  void property(const std::string& name, const std::string& value) {
    OTF2_AttributeValue reference{};
    reference.stringRef = text(value);
    OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(writer_, machine, text(name), OTF2_TYPE_STRING,
                                                     reference);
  }

  OTF2_GlobalDefWriter* writer_;
  const About& about_;
  const Report& all_;
  std::vector<std::uint32_t> numbers_;
  OTF2_RegionRef regions_{};  ///< of names
  std::unordered_map<std::string, OTF2_StringRef> texts_;
  std::map<std::vector<std::int32_t>, OTF2_GroupRef> groups_;
};

using Map = std::unique_ptr<OTF2_IdMap, decltype(&OTF2_IdMap_Free)>;

/// A table only where a number differs.
void write_map(OTF2_DefWriter* writer, OTF2_MappingType type,
               const std::vector<std::uint32_t>& numbers) {
  std::vector<std::uint32_t> same(numbers.size());
  std::iota(same.begin(), same.end(), std::uint32_t{});
  if (numbers == same) return;
  const Map map{OTF2_IdMap_CreateFromUint32Array(numbers.size(), numbers.data(), false),
                &OTF2_IdMap_Free};
  OTF2_DefWriter_WriteMappingTable(writer, type, map.get());
}

}  // namespace

void write_definitions(OTF2_GlobalDefWriter* writer, const About& about, const Report& all,
                       const std::vector<Remark>& remarks) {
  DefinitionsWriter{writer, about, all}.write(remarks);
}

void write_numbers(OTF2_DefWriter* writer, const Unified::Numbers& numbers) {
  write_map(writer, OTF2_MAPPING_REGION, numbers.regions);
  write_map(writer, OTF2_MAPPING_COMM, numbers.communicators);
  write_map(writer, OTF2_MAPPING_RMA_WIN, numbers.windows);
  write_map(writer, OTF2_MAPPING_CALLING_CONTEXT, numbers.sites);
}

}  // namespace commgauge::trace
