#pragma once

#include <string>

#include "commgauge/base/error.hpp"

namespace commgauge {

/// Why `work()` refuses its input; empty where it does not.
template <class Work>
std::string refusal(Work&& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace commgauge
