#include "record/recording.hpp"

#include <unistd.h>

#include "commgauge/base/files.hpp"
#include "common/output/report.hpp"
#include "record/watcher.hpp"
#include "run/recording_variables.hpp"

namespace commgauge::tools {

const PreloadedLibraries recording_libraries{
#ifdef COMMGAUGE_RECORD_LIBRARY
    {COMMGAUGE_RECORD_LIBRARY, "commgauge_record_refuse", "mpich"},
#endif
#ifdef COMMGAUGE_RECORD_LIBRARY_OPENMPI
    {COMMGAUGE_RECORD_LIBRARY_OPENMPI, "commgauge_record_refuse", "openmpi"},
#endif
};

const PreloadedLibrary thread_following_library{COMMGAUGE_RECORD_LIBRARY_THREADS, nullptr, ""};

namespace {

std::string in_one_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace

void set_up_recording(const Recording& recording, const std::vector<std::string>& program) {
  namespace variable = record::variable;
  const int file = hand_over("a mark", "");
  set_variable(variable::output, absolute_path(recording.output).string());
  set_variable(variable::clock, recording.clock);
  set_variable(variable::program, in_one_line(program));
  set_variable(variable::file, std::to_string(file));
  set_variable(variable::process, std::to_string(getpid()));
  set_variable(variable::speaks, is_first_of_launcher() ? "yes" : "");
  if (is_first_of_launcher()) watch_the_end(file, recording.output);
}

}  // namespace commgauge::tools
