#include "read/definitions_reader.hpp"

#include <memory>

#include "commgauge/base/error.hpp"

namespace commgauge::trace {
namespace {

RawDefinitions& of(void* user) { return *static_cast<RawDefinitions*>(user); }

/// Damage can make OTF2 read on and on: there are no more records than bytes.
template <auto call>
struct Counted;
template <typename... Parts, OTF2_CallbackCode (*call)(void*, Parts...)>
struct Counted<call> {
  static OTF2_CallbackCode callback(void* user, Parts... parts) {
    if (of(user).records_left-- == 0) return OTF2_CALLBACK_INTERRUPT;
    return call(user, parts...);
  }
};

template <typename Word>
void find_word(std::unordered_map<std::uint32_t, Word>& words, std::uint32_t number,
               const std::string& name) {
  for (std::uint8_t i = 0; i < static_cast<std::uint8_t>(Word::number_of); ++i) {
    if (name == word_of(static_cast<Word>(i)).name) words[number] = static_cast<Word>(i);
  }
}

OTF2_CallbackCode string(void* user, OTF2_StringRef self, const char* text) {
  of(user).texts[self] = text;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode clock(void* user, std::uint64_t ticks, std::uint64_t offset, std::uint64_t,
                        std::uint64_t) {
  of(user).ticks_per_second = ticks;
  of(user).offset = offset;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode location(void* user, OTF2_LocationRef self, OTF2_StringRef,
                           OTF2_LocationType type, std::uint64_t events,
                           OTF2_LocationGroupRef process) {
  of(user).locations.push_back({self, type, events, process});
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode location_group(void* user, OTF2_LocationGroupRef self, OTF2_StringRef,
                                 OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
                                 OTF2_LocationGroupRef) {
  of(user).processes[self] = {type, parent};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode node(void* user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                       OTF2_StringRef kind, OTF2_SystemTreeNodeRef parent) {
  of(user).nodes[self] = {name, kind, parent};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode region(void* user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef,
                         OTF2_StringRef, OTF2_RegionRole, OTF2_Paradigm paradigm, OTF2_RegionFlag,
                         OTF2_StringRef, std::uint32_t, std::uint32_t) {
  of(user).regions.push_back({self, name, paradigm});
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode source_line(void* user, OTF2_SourceCodeLocationRef self, OTF2_StringRef file,
                              std::uint32_t line) {
  of(user).source_lines[self] = {file, line};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode calling_context(void* user, OTF2_CallingContextRef self, OTF2_RegionRef function,
                                  OTF2_SourceCodeLocationRef place, OTF2_CallingContextRef) {
  of(user).calling_contexts[self] = {function, place};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode communicator_group(void* user, OTF2_GroupRef self, OTF2_StringRef,
                                     OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag,
                                     std::uint32_t size, const std::uint64_t* members) {
  if (paradigm != OTF2_PARADIGM_MPI) {
    of(user).other_groups.insert(self);
    return OTF2_CALLBACK_SUCCESS;
  }
  const RawDefinitions::Group all{members, members + size};
  if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) of(user).comm_locations = all;
  if (type == OTF2_GROUP_TYPE_COMM_GROUP) of(user).comm_groups[self] = all;
  if (type == OTF2_GROUP_TYPE_COMM_SELF) of(user).self_groups.insert(self);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode comm(void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                       OTF2_CommRef, OTF2_CommFlag) {
  of(user).comms.push_back({self, name, group});
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode inter_comm(void* user, OTF2_CommRef self, OTF2_StringRef name,
                             OTF2_GroupRef group, OTF2_GroupRef others, OTF2_CommRef,
                             OTF2_CommFlag) {
  of(user).comms.push_back({self, name, group, others});
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode window(void* user, OTF2_RmaWinRef self, OTF2_StringRef, OTF2_CommRef comm,
                         OTF2_RmaWinFlag) {
  of(user).windows[self] = comm;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode attribute(void* user, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef,
                            OTF2_Type) {
  find_word(of(user).attributes, self, of(user).text(name));
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode parameter(void* user, OTF2_ParameterRef self, OTF2_StringRef name,
                            OTF2_ParameterType) {
  find_word(of(user).parameters, self, of(user).text(name));
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode metric_member(void* user, OTF2_MetricMemberRef self, OTF2_StringRef name,
                                OTF2_StringRef, OTF2_MetricType, OTF2_MetricMode, OTF2_Type,
                                OTF2_Base, std::int64_t, OTF2_StringRef) {
  of(user).metric_members[self] = name;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode metric_class(void* user, OTF2_MetricRef self, std::uint8_t size,
                               const OTF2_MetricMemberRef* members, OTF2_MetricOccurrence,
                               OTF2_RecorderKind) {
  of(user).metrics[self] = {members, members + size};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode node_property(void* user, OTF2_SystemTreeNodeRef, OTF2_StringRef name,
                                OTF2_Type type, OTF2_AttributeValue value) {
  if (type == OTF2_TYPE_STRING) of(user).properties.emplace_back(name, value);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode location_property(void* user, OTF2_LocationRef location, OTF2_StringRef name,
                                    OTF2_Type type, OTF2_AttributeValue value) {
  if (type == OTF2_TYPE_INT32) of(user).location_properties[location].emplace_back(name, value);
  return OTF2_CALLBACK_SUCCESS;
}

}  // namespace

const std::string& RawDefinitions::text(OTF2_StringRef number) const {
  static const std::string none;
  const auto found = texts.find(number);
  return found == texts.end() ? none : found->second;
}

RawDefinitions read_definitions(OTF2_Reader* reader, std::uint64_t most_records) {
  RawDefinitions raw;
  raw.records_left = most_records;
  const std::unique_ptr<OTF2_GlobalDefReaderCallbacks,
                        decltype(&OTF2_GlobalDefReaderCallbacks_Delete)>
      callbacks{OTF2_GlobalDefReaderCallbacks_New(), &OTF2_GlobalDefReaderCallbacks_Delete};
  auto* const calls = callbacks.get();
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(calls, Counted<string>::callback);
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(calls, Counted<clock>::callback);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(calls, Counted<location>::callback);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(calls, Counted<location_group>::callback);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(calls, Counted<node>::callback);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(calls, Counted<region>::callback);
  OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(calls,
                                                              Counted<source_line>::callback);
  OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(calls,
                                                          Counted<calling_context>::callback);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(calls, Counted<communicator_group>::callback);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(calls, Counted<comm>::callback);
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(calls, Counted<inter_comm>::callback);
  OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(calls, Counted<window>::callback);
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(calls, Counted<attribute>::callback);
  OTF2_GlobalDefReaderCallbacks_SetParameterCallback(calls, Counted<parameter>::callback);
  OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(calls, Counted<metric_member>::callback);
  OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(calls, Counted<metric_class>::callback);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodePropertyCallback(calls,
                                                                  Counted<node_property>::callback);
  OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(calls,
                                                            Counted<location_property>::callback);
  auto* definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, calls, &raw);
  std::uint64_t read = 0;
  const auto code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  if (code != OTF2_SUCCESS) {
    throw InputError(std::string{"the archive's definitions are damaged ("} +
                     OTF2_Error_GetDescription(code) + "): copy it again, or record it again");
  }
  return raw;
}

}  // namespace commgauge::trace
