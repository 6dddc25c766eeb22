#include "base/say.hpp"

#include <iostream>

#include "commgauge/base/printable.hpp"

namespace commgauge::emulate {

void say(const std::string& text) {
  std::cerr << "emulate: " + one_line(text) + "\n" << std::flush;
}

}  // namespace commgauge::emulate
