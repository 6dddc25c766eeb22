#include "bindings.hpp"
#include "commgauge/base/error.hpp"

namespace commgauge::python {

void bind_replay(py::module_& module) {
  module.def("replay", [](const py::args&) {
    throw InputError(
        "traces can't be read (OTF2 was not found when commgauge was built): install "
        "libopen-trace-format2-dev and build it again");
  });
}

}  // namespace commgauge::python
