#include "bindings.hpp"

namespace commgauge::python {

namespace {

/// None for an empty text.
py::object name_or_none(const std::string& name) {
  return name.empty() ? py::object(py::none()) : py::object(py::str(name));
}

py::dict as_dict(const Warning& warning) {
  py::dict one;
  one["kind"] = warning.diagnostic.kind;
  one["count"] = warning.diagnostic.count;
  one["problem"] = warning.diagnostic.problem;
  one["reason"] = warning.diagnostic.reason;
  one["advice"] = warning.diagnostic.advice;
  one["label"] = name_or_none(warning.label);
  one["model"] = name_or_none(warning.model);
  one["more"] = warning.more;
  one["sentence"] = warning.sentence();
  one["text"] = warning.text();
  return one;
}

}  // namespace

py::list as_list(const std::vector<Warning>& warnings) {
  py::list result;
  for (const Warning& warning : warnings) result.append(as_dict(warning));
  return result;
}

py::list as_list(const std::vector<Diagnostic>& diagnostics) {
  py::list result;
  for (const Diagnostic& one : diagnostics) result.append(as_dict({"", "", one}));
  return result;
}

}  // namespace commgauge::python
