#pragma once

#include <memory>
#include <set>
#include <string>

#include "commgauge/trace/write/together.hpp"
#include "commgauge/trace/write/writer.hpp"
#include "recorder/recorder.hpp"

namespace commgauge::record {

/// What there is between MPI_Init and MPI_Finalize. It is never destroyed but by MPI_Finalize: a
/// process that ends otherwise leaves an unfinished archive.
struct Session {
  std::unique_ptr<trace::Together> together;
  std::unique_ptr<trace::Writer> writer;
  std::unique_ptr<Recorder> recorder;  ///< of the thread that started MPI
  int rank{};
  int size{};
  // Of threads that have ended:
  std::set<std::string> left_out{};
  std::string problem{};
};
/// nullptr: nothing is recorded.
inline constinit Session* current_session = nullptr;
[[nodiscard]] inline Session* session() { return current_session; }

/// A number for a name, the same for the same.
[[nodiscard]] Name name_of(const char* text);

}  // namespace commgauge::record
