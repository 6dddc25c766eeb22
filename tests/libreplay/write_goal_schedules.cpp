// Writes the schedules of data/goal.
//
//   write-goal-schedules DIRECTORY

#include <cstdio>
#include <filesystem>

#include "commgauge/base/files.hpp"
#include "goal_schedules.hpp"

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fputs("write-goal-schedules DIRECTORY\n", stderr);
    return 1;
  }
  for (const auto& [name, goal] : commgauge::goals::stored_schedules())
    commgauge::write_file(std::filesystem::path{argv[1]} / (name + ".goal"), to_text(goal));
} catch (const commgauge::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
