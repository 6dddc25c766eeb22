#include "read/catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commgauge/base/error.hpp"

namespace commgauge::trace::catalogue_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr auto cpu = OTF2_LocationType{OTF2_LOCATION_TYPE_CPU_THREAD};

/// Builds definitions whose texts have the numbers in which they come.
struct Made {
  RawDefinitions raw;

  OTF2_StringRef text(const std::string& text) {
    const auto number = static_cast<OTF2_StringRef>(raw.texts.size());
    raw.texts[number] = text;
    return number;
  }
  void region(OTF2_RegionRef number, const std::string& name, OTF2_Paradigm paradigm) {
    raw.regions.push_back({number, text(name), paradigm});
  }
  /// A process with a first thread of the same number, on node 1 of a machine.
  void process(std::uint32_t number, std::uint64_t events) {
    raw.locations.push_back({number, cpu, events, number});
    raw.processes[number] = {OTF2_LOCATION_GROUP_TYPE_PROCESS, 1};
  }
};

/// Two ranks, the locations 5 and 3 of them; both in MPI_COMM_WORLD and reversed in "turned".
Made two_ranks() {
  Made made;
  made.raw.nodes[0] = {made.text("cluster"), made.text("machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE};
  made.raw.nodes[1] = {made.text("node7"), made.text("node"), 0};
  made.process(3, 30);
  made.process(5, 50);
  made.raw.comm_locations = {5, 3};
  made.raw.comm_groups[1] = {1, 0};
  made.raw.comm_groups[2] = {0, 1};
  made.raw.comms = {{.number = 8, .name = made.text("turned"), .group = 1},
                    {.number = 9, .name = made.text("MPI_COMM_WORLD"), .group = 2}};
  return made;
}

struct Read {
  explicit Read(const Made& made, bool is_own = true)
      : raw{made.raw}, catalogue{raw, is_own, trace, remarks} {
    remarks.append_to(trace.remarks);
  }
  RawDefinitions raw;
  Trace trace;
  Remarks remarks;
  Catalogue catalogue;
};

void expect_refused(const Made& made, const std::string& why) {
  EXPECT_THAT([&] { const Read read(made); }, ThrowsMessage<InputError>(HasSubstr(why)));
}

TEST(Catalogue, RanksAreTheMembersOfMpisLocations) {
  const Read read(two_ranks());
  ASSERT_EQ(read.catalogue.sources().size(), 2U);
  EXPECT_EQ(read.catalogue.sources()[0].own.front().number, 5U);
  EXPECT_EQ(read.catalogue.sources()[0].own.front().events, 50U);
  EXPECT_EQ(read.catalogue.sources()[1].own.front().number, 3U);
  EXPECT_EQ(read.trace.ranks[1].host, "node7");
  EXPECT_FALSE(read.trace.has_processor_time);
}

TEST(Catalogue, WithoutMpisLocationsProcessesAreRanksInTheirOrder) {
  Made made = two_ranks();
  made.raw.comm_locations.clear();
  made.raw.locations.push_back({11, cpu, 1, 3});
  const Read read(made, false);
  ASSERT_EQ(read.catalogue.sources().size(), 2U);
  EXPECT_EQ(read.catalogue.sources()[0].own.front().number, 3U);
  EXPECT_THAT(read.catalogue.sources()[0].threads, ElementsAre(11));
  EXPECT_EQ(read.trace.ranks[0].threads, 2);
  ASSERT_EQ(read.trace.remarks.size(), 1U);
  EXPECT_THAT(read.trace.remarks[0].text, HasSubstr("ranks aren't defined"));
}

TEST(Catalogue, OfOursFurtherThreadsAreTheRanksOwnInOrder) {
  Made made = two_ranks();
  for (const std::uint64_t number : {21, 11}) made.raw.locations.push_back({number, cpu, 1, 5});
  made.raw.locations.push_back({12, OTF2_LOCATION_TYPE_METRIC, 1, 5});
  const Read read(made);
  std::vector<std::uint64_t> numbers;
  for (const auto& one : read.catalogue.sources()[0].own) numbers.push_back(one.number);
  EXPECT_THAT(numbers, ElementsAre(5, 11, 21));
  EXPECT_EQ(read.catalogue.sources()[1].own.size(), 1U);
}

TEST(Catalogue, OfOthersTheWorldComesFirstWhereverItStands) {
  Read others(two_ranks(), false);
  EXPECT_EQ(others.trace.communicators[0].name, "MPI_COMM_WORLD");
  EXPECT_EQ(others.catalogue.context(9, 0), 0U);
  EXPECT_EQ(others.catalogue.context(8, 0), 1U);
  EXPECT_THAT(others.trace.communicators[1].members, ElementsAre(1, 0));
  EXPECT_EQ(others.catalogue.context(10, 0), std::nullopt);
  Made without_world = two_ranks();
  without_world.raw.comms.pop_back();
  const Read made_up(without_world, false);
  EXPECT_THAT(made_up.trace.communicators[0].members, ElementsAre(0, 1));
  ASSERT_EQ(made_up.trace.remarks.size(), 1U);
  EXPECT_THAT(made_up.trace.remarks[0].text, HasSubstr("MPI_COMM_WORLD isn't defined"));
}

TEST(Catalogue, EachRankHasAnMpiCommSelfOfItsOwn) {
  Made made = two_ranks();
  made.raw.self_groups = {4};
  made.raw.comms.push_back({.number = 12, .name = made.text("MPI_COMM_SELF"), .group = 4});
  Read read(made);
  const auto of_first = read.catalogue.context(12, 0);
  const auto of_second = read.catalogue.context(12, 1);
  ASSERT_TRUE(of_first && of_second);
  EXPECT_NE(*of_first, *of_second);
  EXPECT_EQ(read.catalogue.context(12, 0), of_first) << "asked again";
  EXPECT_THAT(read.trace.communicators[*of_second].members, ElementsAre(1));
}

TEST(Catalogue, WindowsAndInterCommunicatorsAreTold) {
  Made made = two_ranks();
  made.raw.comm_groups[5] = {0};
  made.raw.comm_groups[6] = {1};
  made.raw.comms.push_back({.number = 20, .name = made.text("between"), .group = 5, .others = 6});
  made.raw.windows[3] = 8;
  Read read(made);
  EXPECT_TRUE(read.trace.communicators[0].is_window);
  EXPECT_FALSE(read.trace.communicators[1].is_window);
  EXPECT_EQ(read.catalogue.context_of_window(3, 0), 0U);
  EXPECT_EQ(read.catalogue.context_of_window(4, 0), std::nullopt);
  EXPECT_THAT(read.trace.communicators[2].members, ElementsAre(0));
  EXPECT_THAT(read.trace.communicators[2].others, ElementsAre(1));
}

TEST(Catalogue, ANameIsOneWhetherMpiHasItOrTheProgram) {
  Made made = two_ranks();
  made.region(1, "MPI_Send", OTF2_PARADIGM_MPI);
  made.region(4, "solve", OTF2_PARADIGM_USER);
  made.region(6, "MPI_Send", OTF2_PARADIGM_USER);
  Read own(made);
  EXPECT_THAT(own.trace.names, ElementsAre("MPI_Send", "solve"));
  EXPECT_EQ(own.catalogue.name(6)->name, own.catalogue.name(1)->name);
  EXPECT_TRUE(own.catalogue.name(1)->is_call);
  EXPECT_FALSE(own.catalogue.name(6)->is_call) << "the program's own region of that name";
  EXPECT_FALSE(own.catalogue.name(2).has_value());
  EXPECT_TRUE(Read(made, false).catalogue.name(6)->is_call) << "others may call it the compiler's";
}

TEST(Catalogue, SitesHaveAFunctionWhichIsNoName) {
  Made made = two_ranks();
  made.region(7, "main", OTF2_PARADIGM_USER);
  made.raw.source_lines[2] = {made.text("ring.c"), 17};
  made.raw.calling_contexts[4] = {7, 2};
  const Read read(made);
  EXPECT_TRUE(read.trace.names.empty());
  const auto site = read.catalogue.site(4);
  ASSERT_TRUE(site);
  EXPECT_EQ(read.trace.sites[*site], (Site{"main", "ring.c", 17}));
  EXPECT_EQ(read.catalogue.site(5), std::nullopt);
  made.raw.source_lines.clear();
  expect_refused(made, "a call site has no function or no place");
}

TEST(Catalogue, TicksBecomeNanoseconds) {
  Made made = two_ranks();
  made.raw.offset = 100;
  EXPECT_EQ(Read(made).catalogue.time(350), 250);
  made.raw.ticks_per_second = 500'000'000;
  EXPECT_EQ(Read(made).catalogue.time(350), 500);
  EXPECT_EQ(Read(made).catalogue.time(50), -100) << "before the beginning";
  made.raw.ticks_per_second = 0;
  expect_refused(made, "its clock has no resolution");
}

TEST(Catalogue, PropertiesSayWhatTheProgramWas) {
  Made made = two_ranks();
  const auto property = [&](const std::string& name, const std::string& value) {
    OTF2_AttributeValue text{};
    text.stringRef = made.text(value);
    made.raw.properties.emplace_back(made.text(name), text);
  };
  property(program_property, "ring 100");
  property(virtual_property, "yes");
  property(std::string{remark_property} + " 0", "17 clocks differ");
  OTF2_AttributeValue number{};
  number.int32 = 4;
  made.raw.location_properties[3].emplace_back(made.text(threads_property), number);
  number.int32 = 0;
  made.raw.location_properties[3].emplace_back(made.text(complete_property), number);
  made.raw.metric_members[2] = made.text(metric_name);
  made.raw.metrics[6] = {2};
  const Read read(made);
  EXPECT_EQ(read.trace.program, "ring 100");
  EXPECT_TRUE(read.trace.is_virtual);
  ASSERT_EQ(read.trace.remarks.size(), 1U);
  EXPECT_EQ(read.trace.remarks[0].text, "clocks differ");
  EXPECT_EQ(read.trace.remarks[0].count, 17U);
  EXPECT_EQ(read.trace.ranks[1].threads, 4);
  EXPECT_FALSE(read.trace.ranks[1].is_complete);
  EXPECT_TRUE(read.trace.ranks[0].is_complete);
  EXPECT_TRUE(read.trace.has_processor_time);
  EXPECT_TRUE(read.catalogue.is_processor_time(6));
  EXPECT_FALSE(read.catalogue.is_processor_time(2));
}

TEST(Catalogue, DamagedDefinitionsAreRefused) {
  expect_refused({}, "it has no ranks");
  Made nowhere = two_ranks();
  nowhere.raw.comm_locations.push_back(17);
  expect_refused(nowhere, "a rank's location isn't defined");
  Made stranger = two_ranks();
  stranger.raw.comm_groups[1].push_back(2);
  expect_refused(stranger, "a communicator has a member that is no rank");
  Made groupless = two_ranks();
  groupless.raw.comm_groups.erase(1);
  expect_refused(groupless, "a communicator's group isn't defined");
}

}  // namespace commgauge::trace::catalogue_test
