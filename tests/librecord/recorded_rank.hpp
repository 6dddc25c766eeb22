#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "commgauge/trace/write/writer.hpp"
#include "recorder/recorder.hpp"

namespace commgauge::record {

/// Keeps what is written.
class Kept final : public trace::RankWriter {
 public:
  void write(const Event& one) override { events.push_back(one); }
  void write(const Event& one, std::span<const trace::Over> over) override {
    events.push_back(one);
    lists.emplace_back(over.begin(), over.end());
  }
  void write(const Event& one, const trace::Collective& collective) override {
    events.push_back(one);
    collectives.push_back(collective);
  }
  void set_threads(int) override {}
  void set_complete(bool) override {}

  [[nodiscard]] std::vector<std::size_t> kinds() const {
    std::vector<std::size_t> all;
    for (const Event& one : events) all.push_back(one.what.index());
    return all;
  }

  std::vector<Event> events;
  std::vector<std::vector<trace::Over>> lists;
  std::vector<trace::Collective> collectives;
};

template <class Kind>
const std::size_t kind = event::Any{Kind{}}.index();

/// A rank whose recorder writes where a test can look.
class RecordedRank : public testing::Test {
 protected:
  std::filesystem::path folder = testing::TempDir() + "recorder-" + std::to_string(getpid());
  trace::Alone alone;
  trace::Writer archive{folder, {}, {{0, "node"}}, alone};
  Kept kept;
  Recorder recorder{archive, kept, Clocks(false), 0};

  void TearDown() override { std::filesystem::remove_all(folder); }
};

}  // namespace commgauge::record
