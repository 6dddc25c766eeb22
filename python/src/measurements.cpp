#include "commgauge/measurements/measurements.hpp"

#include "bindings.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/measurements/sweep.hpp"

namespace commgauge::python {

namespace {

/// Of each observation's experiment, as a list.
template <class Get>
py::list list_of(const Measurements& measurements, Get&& get) {
  py::list result;
  for (const Observation& one : measurements.observations) result.append(get(one));
  return result;
}

/// Columns, as in the file.
py::dict experiments(const Measurements& measurements) {
  const auto& all = measurements.observations;
  py::dict result;
  const auto add = [&]<class T>(const char* name, T, auto&& get) {
    result[name] = column<T>(all, get);
  };
  using O = const Observation&;
  result["kind"] = list_of(measurements, [](O o) { return to_text(o.experiment.kind); });
  add("root", int{}, [](O o) { return o.experiment.root; });
  result["peers"] = list_of(measurements, [](O o) { return o.experiment.peers; });
  result["reply_order"] = list_of(measurements, [](O o) { return o.experiment.reply_order; });
  add("out_bytes", std::uint64_t{}, [](O o) { return o.experiment.out.value; });
  add("back_bytes", std::uint64_t{}, [](O o) { return o.experiment.back.value; });
  add("check", bool{}, [](O o) { return o.experiment.check; });
  add("messages", int{}, [](O o) { return o.experiment.messages; });
  add("delay_s", double{}, [](O o) { return o.experiment.delay.value; });
  add("processes", int{}, [](O o) { return o.experiment.processes; });
  add("launch", int{}, [](O o) { return o.launch; });
  add("pass", int{}, [](O o) { return o.pass; });
  add("time_s", double{}, [](O o) { return o.time_s; });
  add("low_s", double{}, [](O o) { return o.low_s; });
  add("high_s", double{}, [](O o) { return o.high_s; });
  add("sd_s", double{}, [](O o) { return o.sd_s; });
  add("level", double{}, [](O o) { return o.level; });
  add("blocks", int{}, [](O o) { return o.blocks; });
  add("block_length", int{}, [](O o) { return o.block_length; });
  add("lost_blocks", int{}, [](O o) { return o.lost_blocks; });
  add("repeated_blocks", int{}, [](O o) { return o.repeated_blocks; });
  add("converged", bool{}, [](O o) { return o.converged; });
  result["block_means_s"] = list_of(measurements, [](O o) { return o.block_means_s; });
  return result;
}

py::list times_of(const Sweep& sweep) {
  py::list result;
  for (const SweepPoint& point : sweep.points) {
    result.append(column<double>(point.times_s, [](double time_s) { return time_s; }));
  }
  return result;
}

py::list passes_of(const Sweep& sweep) {
  py::list result;
  for (const SweepPoint& point : sweep.points) {
    result.append(column<int>(point.passes, [](int pass) { return pass; }));
  }
  return result;
}

}  // namespace

void bind_measurements(py::module_& module) {
  const py::call_guard<py::gil_scoped_release> without_gil;
  py::class_<RankPlace>(module, "RankPlace")
      .def_readonly("host", &RankPlace::host)
      .def_readonly("cores", &RankPlace::cores)
      .def_readonly("kernel_s", &RankPlace::kernel_s);
  py::class_<Contention>(module, "Contention")
      .def_readonly("tested", &Contention::tested)
      .def_readonly("ratio", &Contention::ratio)
      .def_readonly("low", &Contention::low)
      .def_readonly("high", &Contention::high);
  py::class_<Disturbance>(module, "Disturbance")
      .def_readonly("not_watched", &Disturbance::not_watched)
      .def_readonly("blocks", &Disturbance::blocks)
      .def_readonly("lost_blocks", &Disturbance::lost_blocks)
      .def_readonly("rows", &Disturbance::rows)
      .def_readonly("disturbed_rows", &Disturbance::disturbed_rows)
      .def_readonly("remeasured_rows", &Disturbance::remeasured_rows)
      .def_readonly("stolen_share", &Disturbance::stolen_share);
  py::class_<Launch>(module, "Launch")
      .def_readonly("time_utc", &Launch::time_utc)
      .def_readonly("commgauge_version", &Launch::commgauge_version)
      .def_readonly("mpi_library", &Launch::mpi_library)
      .def_readonly("mpi_standard", &Launch::mpi_standard)
      .def_readonly("ranks", &Launch::ranks)
      .def_readonly("environment", &Launch::environment)
      .def_readonly("options", &Launch::options)
      .def_readonly("seed", &Launch::seed)
      .def_readonly("confidence", &Launch::confidence)
      .def_readonly("precision", &Launch::precision)
      .def_readonly("clock_resolution_s", &Launch::clock_resolution_s)
      .def_readonly("clock_cost_s", &Launch::clock_cost_s)
      .def_readonly("wait", &Launch::wait)
      .def_readonly("buffers", &Launch::buffers)
      .def_readonly("schedule", &Launch::schedule)
      .def_readonly("contention", &Launch::contention)
      .def_readonly("eager_limit_bytes", &Launch::eager_limit_bytes)
      .def_readonly("eager_probed_bytes", &Launch::eager_probed_bytes)
      .def_readonly("passes", &Launch::passes)
      .def_readonly("rounds", &Launch::rounds)
      .def_readonly("elapsed_s", &Launch::elapsed_s)
      .def_readonly("timed_s", &Launch::timed_s)
      .def_readonly("disturbance", &Launch::disturbance)
      .def_readonly("complete", &Launch::complete)
      .def_readonly("incomplete_reason", &Launch::incomplete_reason);
  py::class_<Sweep>(module, "Sweep")
      .def_readonly("kind", &Sweep::kind)
      .def_readonly("root", &Sweep::root)
      .def_readonly("launch", &Sweep::launch)
      .def_property_readonly("size_bytes",
                             [](const Sweep& sweep) {
                               return column<std::uint64_t>(sweep.points, [](const auto& point) {
                                 return point.size.value;
                               });
                             })
      .def_property_readonly("median_s",
                             [](const Sweep& sweep) {
                               return column<double>(
                                   sweep.points, [](const auto& point) { return point.time_s(); });
                             })
      .def_property_readonly("times_s", &times_of)
      .def_property_readonly("passes", &passes_of);
  py::class_<Measurements>(module, "Measurements")
      .def_property_readonly("ranks", &Measurements::ranks)
      .def_property_readonly("complete", &Measurements::complete)
      .def_readonly("launches", &Measurements::launches)
      .def_readonly("sweeps", &Measurements::sweeps)
      .def_property_readonly("experiments", &experiments);
  module.def("load_measurements", &load_measurements, py::arg("file"), without_gil);
  module.def(
      "load_sweeps",
      [](const std::filesystem::path& file) { return sweeps_from_csv(read_file(file), file); },
      py::arg("file"), without_gil);
}

}  // namespace commgauge::python
