#include <algorithm>

#include "commgauge/replay/prediction/prediction.hpp"
#include "commgauge/trace/read/reader.hpp"
#include "replay_options.hpp"

namespace commgauge::python {

namespace {

using replay::Timeline;

/// Columns of one entry for each item of each rank's list.
py::dict stretches_of(const Timeline& timeline) {
  std::size_t count = 0;
  for (const auto& stretches : timeline.ranks) count += stretches.size();
  const auto length = static_cast<py::ssize_t>(count);
  py::array_t<std::int64_t> ranks(length);
  py::array_t<std::uint8_t> doing(length);
  py::array_t<double> starts(length);
  py::array_t<double> ends(length);
  py::ssize_t k = 0;
  for (std::size_t r = 0; r < timeline.ranks.size(); ++r) {
    for (const Timeline::Stretch& stretch : timeline.ranks[r]) {
      ranks.mutable_at(k) = static_cast<std::int64_t>(r);
      doing.mutable_at(k) = static_cast<std::uint8_t>(stretch.what);
      starts.mutable_at(k) = stretch.from;
      ends.mutable_at(k) = stretch.to;
      ++k;
    }
  }
  py::dict result;
  result["rank"] = ranks;
  result["doing"] = doing;
  result["start"] = starts;
  result["end"] = ends;
  return result;
}

py::dict messages_of(const Timeline& timeline) {
  using Message = Timeline::Message;
  const auto& messages = timeline.messages;
  py::dict result;
  result["src"] = column<std::int64_t>(messages, [](const Message& m) { return m.from; });
  result["dst"] = column<std::int64_t>(messages, [](const Message& m) { return m.to; });
  result["sizes"] = column<std::uint64_t>(messages, [](const Message& m) { return m.bytes; });
  result["sent"] = column<double>(messages, [](const Message& m) { return m.sent; });
  result["received"] = column<double>(messages, [](const Message& m) { return m.received; });
  return result;
}

py::list ranks_of(const replay::Predicted& all) {
  py::list ranks;
  for (std::size_t r = 0; r < all.result.ranks.size(); ++r) {
    const replay::RankResult& rank = all.result.ranks[r];
    const simulate::Shares& shares = rank.shares;
    const Estimate& ratio = all.machine.time_ratios[r];
    ranks.append(py::make_tuple(r, all.machine.hosts[r], rank.end, shares.computing, shares.sending,
                                shares.receiving, shares.waiting, shares.sleeping,
                                all.result.utilisation(rank), ratio.value, ratio.low, ratio.high));
  }
  return ranks;
}

py::dict as_dict(const replay::Predicted& all, const trace::Trace& trace, const Model& model,
                 bool has_timeline) {
  py::dict result = run_of(all, trace, model);
  result["extrapolated"] = all.prediction.extrapolated;
  result["computing"] = all.result.computing();
  result["work"] = all.result.work();
  result["utilisation"] = all.result.utilisation();
  result["serial"] =
      all.result.work() * std::ranges::min(all.machine.time_ratios, {}, &Estimate::value).value;
  result["ranks"] = ranks_of(all);
  if (has_timeline) {
    result["stretches"] = stretches_of(all.result.timeline);
    result["messages"] = messages_of(all.result.timeline);
  }
  return result;
}

py::dict replay_as_dict(const std::filesystem::path& archive, const Model& model,
                        const ReplayOptions& how, bool keeps_timeline) {
  replay::PredictionOptions options = prediction_options(how);
  options.replay.keeps_timeline = keeps_timeline;
  trace::Trace trace;
  replay::Predicted all;
  {
    const py::gil_scoped_release released;
    trace = trace::read(archive);
    const auto [larger, assumed] = larger_model(model, how);
    options.assumed = assumed;
    all = replay::predicted(trace, larger, options);
  }
  return as_dict(all, trace, model, keeps_timeline);
}

}  // namespace

void bind_replay(py::module_& module) {
  bind_replay_options(module);
  module.def("replay", &replay_as_dict, py::arg("trace"), py::arg("model"), py::arg("how"),
             py::arg("timeline"));
  bind_explanations(module);
  bind_what_if(module);
}

}  // namespace commgauge::python
