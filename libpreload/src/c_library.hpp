#pragma once

#include <dlfcn.h>

namespace commgauge::preload {

/// The C library's own function, which one of a preloaded library with the same name takes the
/// place of.
template <class Function>
[[nodiscard]] Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// What syscall() does, past a function that takes its place.
template <class... Arguments>
long system_call(long number, Arguments... arguments) {
  static auto* const real = next<long(long, ...)>("syscall");
  return real(number, arguments...);
}

}  // namespace commgauge::preload
