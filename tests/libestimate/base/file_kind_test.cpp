#include "commgauge/base/file_kind.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "refusal.hpp"

namespace commgauge::file_kind_test {

using ::testing::HasSubstr;

std::string name_of(const std::optional<FileKind>& kind) {
  return kind ? std::string{kind->name} : "";
}

TEST(KindOf, KnowsOursByTheirSchema) {
  for (const char* name : {"measurements", "model", "thresholds", "emulation", "replay",
                           "explanation", "what-if", "speed", "speed-ratio"}) {
    const std::string schema = std::string{"commgauge."} + name;
    EXPECT_EQ(name_of(kind_of_schema(schema + "/7")), schema);
    EXPECT_EQ(name_of(kind_of("\n{\n \"schema\": \"" + schema + "/1\",", "x")), schema);
  }
  EXPECT_FALSE(kind_of_schema("commgauge.something/1"));
  EXPECT_FALSE(kind_of_schema("GOAL"));
  EXPECT_FALSE(kind_of("{\"schema\": 3}", ""));
  EXPECT_FALSE(kind_of("{\"model\": \"commgauge.model/1\"}", ""));
  EXPECT_FALSE(kind_of("", ""));
}

TEST(KindOf, KnowsOursThatAreNoFilesToBeReadAgain) {
  EXPECT_EQ(name_of(kind_of("{\"traceEvents\":[", "")), "trace events");
  EXPECT_EQ(name_of(kind_of("[\n{\"ph\": \"M\", \"name\"", "")), "trace events");
  EXPECT_EQ(name_of(kind_of("<!DOCTYPE html>\n<html", "")), "page");
  EXPECT_EQ(name_of(kind_of("num_ranks 2\nrank 0 {", "")), "GOAL");
  EXPECT_EQ(name_of(kind_of(std::string{"\x03"} + "BOTF2", "")), "OTF2");
  EXPECT_EQ(name_of(kind_of("kind,size_bytes,time_s\nscatter,1,1", "")), "sweeps");
  EXPECT_FALSE(kind_of("model,operation,from,to,size_bytes,time_s", ""));
}

TEST(KindOf, KnowsOthersTracesByTheirBeginning) {
  EXPECT_EQ(name_of(kind_of("#Paraver (26/11/26 at 12:00):1000_ns", "")), "Paraver");
  EXPECT_EQ(name_of(kind_of("%EventDef PajeDefine", "")), "Paje");
  EXPECT_EQ(name_of(kind_of("CLOG-02.44", "")), "CLOG2");
  EXPECT_EQ(name_of(kind_of(std::string{"\0\012SLOG 2.0.6", 12}, "")), "SLOG2");
  EXPECT_EQ(name_of(kind_of("<?xml version=\"1.0\"?>\n<cube version=\"4.4\">", "")), "CUBE");
  EXPECT_EQ(name_of(kind_of("HPCRUN-profile____", "")), "HPCToolkit");
  EXPECT_EQ(name_of(kind_of("SQLite format 3", "")), "SQLite");
  EXPECT_EQ(name_of(kind_of("0 init\n0 send 1 0 8\n", "")), "TI");
  EXPECT_EQ(name_of(kind_of("p0 compute 1e9\n", "")), "TI");
  EXPECT_FALSE(kind_of("0 1 2\n", ""));
  EXPECT_FALSE(kind_of("0: 1 3\n", ""));
}

TEST(KindOf, KnowsOthersTracesByTheirNames) {
  const auto named = [](const char* name) { return name_of(kind_of("?", name)); };
  EXPECT_EQ(named("/a/b.PRV"), "Paraver");
  EXPECT_EQ(named("x.prv.gz"), "Paraver");
  EXPECT_EQ(named("tautrace.0.0.0.trc"), "TAU");
  EXPECT_EQ(named("profile.0.0.0"), "TAU profile");
  EXPECT_EQ(named("scorep/profile.cubex"), "CUBE");
  EXPECT_EQ(named("a.hpcrun"), "HPCToolkit");
  EXPECT_EQ(named("report1.nsys-rep"), "Nsight");
  EXPECT_EQ(named("trace.otf"), "OTF");
  EXPECT_EQ(named("dumpi-2026.11.26-0000.bin"), "dumpi");
  EXPECT_EQ(named("trace.otf2"), "");
  EXPECT_EQ(named("a.bin"), "");
}

TEST(RefuseOtherKinds, SaysWhatItIsWhatBelongsThereAndWhatToDo) {
  const std::string measurements = "{\"schema\": \"commgauge.measurements/1\"}";
  EXPECT_EQ(refusal([&] { refuse_other_kinds(measurements, "m.json", "a GOAL schedule"); }),
            "m.json is a file of measurements (a GOAL schedule belongs here): estimate-model fit "
            "m.json -o model.json makes a model of it");
  EXPECT_THAT(refusal([] { refuse_other_kinds("%EventDef 0", "a\nb", "CSV of sweeps"); }),
              HasSubstr("a?b is a Paje trace (CSV of sweeps belongs here): "));
  EXPECT_NO_THROW(refuse_other_kinds("num_ranks 1", "x", "a GOAL schedule", {"GOAL"}));
  EXPECT_NO_THROW(refuse_other_kinds("0,1.5", "rates.trc", "CSV of time ratios"))
      << "whatever it is called";
}

}  // namespace commgauge::file_kind_test
