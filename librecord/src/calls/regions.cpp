// What a program says of itself: where its regions begin and end.

#include <cstdarg>
#include <string>

#include "calls/region_name.hpp"
#include "job/call.hpp"
#include "mpi/real_calls.hpp"

using namespace commgauge::record;

namespace {

/// The beginning of a region, or its end.
enum class Border { begin, end };

void write_region(Recorder& recorder, Border border, const std::string& text) {
  if (text.empty()) return;
  const std::uint32_t name = session()->writer->name(text);
  border == Border::begin ? recorder.begin_region(name) : recorder.end_region(name);
}

void say_region(Border border, const char* name) {
  Recorder* const recorder = name != nullptr ? entered({}) : nullptr;
  if (recorder == nullptr) return;
  write_region(*recorder, border, name);
  left();
}

}  // namespace

extern "C" {

// Of commgauge.h: those of libcommgauge do nothing, these stand before them.
void commgauge_region_begin(const char* name) { say_region(Border::begin, name); }
void commgauge_region_end(const char* name) { say_region(Border::end, name); }

/// The profilers' convention: (1, "name") begins a region, (-1, "name") ends it.
int MPI_Pcontrol(const int level, ...) {
  Recorder* const recorder = (level == 1 || level == -1) ? entered({}) : nullptr;
  if (recorder == nullptr) return real::Pcontrol(level);
  va_list arguments;
  va_start(arguments, level);
  const std::string region = region_name(va_arg(arguments, const char*));
  va_end(arguments);
  write_region(*recorder, level == 1 ? Border::begin : Border::end, region);
  left();
  return real::Pcontrol(level);
}

}  // extern "C"
