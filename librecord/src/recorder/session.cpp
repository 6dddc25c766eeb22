#include "recorder/session.hpp"

#include "recorder/thread_lock.hpp"

namespace commgauge::record {

Name name_of(const char* text) {
  const threads::Held naming;
  return {text, session() != nullptr ? session()->writer->name(text) : 0};
}

}  // namespace commgauge::record
