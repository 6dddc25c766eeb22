#include "commgauge/base/files.hpp"

#include <string_view>

#include "bindings.hpp"

namespace commgauge::python {

void bind_files(py::module_& module) {
  const py::call_guard<py::gil_scoped_release> without_gil;
  module.def(
      "write_file",
      [](const std::filesystem::path& file, std::string_view content) {
        write_file(file, content);
      },
      py::arg("file"), py::arg("content"), without_gil, "All or nothing; `-` is standard output.");
  module.def("would_replace", &would_replace, py::arg("output"), py::arg("input"), without_gil,
             "Whether writing one would replace the other, through links, too.");
}

}  // namespace commgauge::python
