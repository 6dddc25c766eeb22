#include "bindings.hpp"
#include "commgauge/base/error.hpp"

namespace commgauge::python {

namespace {

/// Types live as long as the interpreter.
struct ErrorTypes {
  PyObject* error;
  PyObject* input_error;
  PyObject* fit_error;
};
ErrorTypes types;

PyObject* add_type(py::module_& module, const char* name, const char* text, PyObject* base) {
  const std::string full_name = std::string{"commgauge."} + name;
  PyObject* type = PyErr_NewExceptionWithDoc(full_name.c_str(), text, base, nullptr);
  if (type == nullptr) throw py::error_already_set();
  module.attr(name) = py::handle(type);
  return type;
}

/// A file's name or content may be no UTF-8.
void raise(PyObject* type, const char* message) {
  const auto text = py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
      message, static_cast<py::ssize_t>(std::char_traits<char>::length(message)), "replace"));
  if (text) PyErr_SetObject(type, text.ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(std::move(thrown));
  } catch (const InputError& error) {
    raise(types.input_error, error.what());
  } catch (const FitError& error) {
    raise(types.fit_error, error.what());
  } catch (const Error& error) {
    raise(types.error, error.what());
  }
}

}  // namespace

void bind_errors(py::module_& module) {
  types.error = add_type(module, "Error",
                         "Base of commgauge's errors. Messages read: problem (why it is one): what "
                         "to do.",
                         PyExc_ValueError);
  types.input_error =
      add_type(module, "InputError", "Bad input: a file, an argument.", types.error);
  types.fit_error =
      add_type(module, "FitError", "The data can't determine what was asked for.", types.error);
  py::register_local_exception_translator(translate);
}

}  // namespace commgauge::python
