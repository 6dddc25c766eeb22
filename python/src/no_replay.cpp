#include "bindings.hpp"
#include "commgauge/base/error.hpp"

namespace commgauge::python {

void bind_replay(py::module_& module) {
  for (const char* const name :
       {"replay", "explain", "what_if", "ReplayOptions", "Change", "Asked"}) {
    module.def(name, [](const py::args&, const py::kwargs&) {
      throw InputError(
          "traces can't be read (OTF2 was not found when commgauge was built): install "
          "libopen-trace-format2-dev and build it again");
    });
  }
}

}  // namespace commgauge::python
