#include "commgauge/measurements/measurements.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json_lines.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "measurements/launch_json.hpp"

namespace commgauge {
namespace {

using detail::OrderedJson;
using detail::Reader;

constexpr std::string_view schema = "commgauge.measurements/1";
OrderedJson as_json(const std::vector<Observation>& observations) {
  OrderedJson columns = OrderedJson::object();
  const auto add = [&](const char* name, auto get) {
    OrderedJson column = OrderedJson::array();
    for (const Observation& o : observations) column.push_back(get(o));
    columns[name] = std::move(column);
  };
  add("kind", [](const Observation& o) { return std::string{to_text(o.experiment.kind)}; });
  add("root", [](const Observation& o) { return o.experiment.root; });
  add("peers", [](const Observation& o) { return o.experiment.peers; });
  add("reply_order", [](const Observation& o) { return o.experiment.reply_order; });
  add("out_bytes", [](const Observation& o) { return o.experiment.out.value; });
  add("back_bytes", [](const Observation& o) { return o.experiment.back.value; });
  add("check", [](const Observation& o) { return o.experiment.check; });
  add("launch", [](const Observation& o) { return o.launch; });
  add("pass", [](const Observation& o) { return o.pass; });
  add("time_s", [](const Observation& o) { return o.time_s; });
  add("low_s", [](const Observation& o) { return o.low_s; });
  add("high_s", [](const Observation& o) { return o.high_s; });
  add("sd_s", [](const Observation& o) { return o.sd_s; });
  add("level", [](const Observation& o) { return o.level; });
  add("blocks", [](const Observation& o) { return o.blocks; });
  add("block_length", [](const Observation& o) { return o.block_length; });
  add("converged", [](const Observation& o) { return o.converged; });
  const auto any = [&](auto says) {
    return std::any_of(observations.begin(), observations.end(), says);
  };
  if (any([](const Observation& o) { return o.experiment.kind == Kind::flood; })) {
    add("messages", [](const Observation& o) { return o.experiment.messages; });
    add("delay_s", [](const Observation& o) { return o.experiment.delay.value; });
  }
  if (any([](const Observation& o) { return o.experiment.processes != 0; })) {
    add("processes", [](const Observation& o) { return o.experiment.processes; });
  }
  if (any([](const Observation& o) { return o.lost_blocks != 0; })) {
    add("lost_blocks", [](const Observation& o) { return o.lost_blocks; });
    add("repeated_blocks", [](const Observation& o) { return o.repeated_blocks; });
  }
  if (any([](const Observation& o) { return !o.block_means_s.empty(); }))
    add("block_means_s", [](const Observation& o) { return o.block_means_s; });
  return columns;
}

OrderedJson as_json(const Sweep& sweep) {
  OrderedJson sizes = OrderedJson::array();
  OrderedJson times = OrderedJson::array();
  OrderedJson passes = OrderedJson::array();
  for (const SweepPoint& point : sweep.points) {
    sizes.push_back(point.size.value);
    times.push_back(point.times_s);
    passes.push_back(point.passes);
  }
  OrderedJson json{{"kind", sweep.kind},
                   {"root", sweep.root},
                   {"launch", sweep.launch},
                   {"size_bytes", std::move(sizes)},
                   {"times_s", std::move(times)}};
  if (has_passes(sweep)) json["passes"] = std::move(passes);
  return json;
}

Kind read_kind(const Reader& json) {
  const auto kind = parse_kind(json.text());
  if (!kind) json.fail("is " + detail::in_quotes(json.text()) + ", which is no kind of experiment");
  return *kind;
}

/// Distinct ranks of a job of n.
std::vector<int> read_ranks(const Reader& json, int n) {
  std::vector<int> ranks;
  for (std::size_t i = 0; i < json.size(); ++i) ranks.push_back(json[i].rank(n));
  std::vector<int> sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  const auto repeated = std::adjacent_find(sorted.begin(), sorted.end());
  if (repeated != sorted.end()) json.fail("has rank " + std::to_string(*repeated) + " twice");
  return ranks;
}

std::vector<double> read_times(const Reader& json, double (Reader::*read)() const) {
  std::vector<double> times;
  for (std::size_t i = 0; i < json.size(); ++i) times.push_back((json[i].*read)());
  return times;
}

bool has_one_peer(Kind kind) {
  return kind == Kind::round_trip || is_overhead(kind) || kind == Kind::flood;
}

bool takes_replies_in_order(Kind kind) { return has_one_peer(kind) || kind == Kind::one_to_k; }

/// A launch may have fewer ranks than the largest.
void expect_rank_of(const Launch& launch, int rank, const Reader& json) {
  if (static_cast<std::size_t>(rank) < launch.ranks.size()) return;
  json.fail("names rank " + std::to_string(rank) + " (its launch has " +
            std::to_string(launch.ranks.size()) + " ranks)");
}

/// What one column can't tell by itself. `row` is the experiment's index in every column.
void check_together(const Observation& o, const Launch& launch, const Reader& columns,
                    std::size_t row) {
  const auto fail = [&](const char* column, const std::string& reason) {
    columns[column][row].fail(reason);
  };
  const Experiment& e = o.experiment;
  if (e.peers.empty()) fail("peers", "is empty");
  expect_rank_of(launch, e.root, columns["root"][row]);
  for (const int peer : e.peers) expect_rank_of(launch, peer, columns["peers"][row]);
  if (has_one_peer(e.kind) && e.peers.size() != 1) {
    fail("peers", "has more than the one peer of " + std::string{to_text(e.kind)});
  }
  if (std::find(e.peers.begin(), e.peers.end(), e.root) != e.peers.end()) {
    fail("peers", "has the root among the peers");
  }
  const bool may_be_empty = !takes_replies_in_order(e.kind);
  if (!(may_be_empty && e.reply_order.empty()) &&
      !std::is_permutation(e.peers.begin(), e.peers.end(), e.reply_order.begin(),
                           e.reply_order.end())) {
    fail("reply_order", "has other ranks than peers");
  }
  // The clock's cost is taken off overheads.
  if (o.time_s < 0 && !is_overhead(e.kind)) fail("time_s", "is negative");
  if (o.low_s > o.time_s) fail("low_s", "is above time_s");
  if (o.high_s < o.time_s) fail("high_s", "is below time_s");
}

std::vector<Observation> read_observations(const Reader& columns, int n,
                                           const std::vector<Launch>& all) {
  const auto launches = static_cast<int>(all.size());
  std::vector<Observation> rows(columns["kind"].size());
  const auto fill = [&](const char* name, auto set) {
    const Reader column = columns[name];
    column.expect_size(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) set(rows[i], column[i]);
  };
  fill("kind", [](Observation& o, const Reader& r) { o.experiment.kind = read_kind(r); });
  fill("root", [n](Observation& o, const Reader& r) { o.experiment.root = r.rank(n); });
  fill("peers", [n](Observation& o, const Reader& r) { o.experiment.peers = read_ranks(r, n); });
  fill("reply_order",
       [n](Observation& o, const Reader& r) { o.experiment.reply_order = read_ranks(r, n); });
  fill("out_bytes", [](Observation& o, const Reader& r) { o.experiment.out = r.size_bytes(); });
  fill("back_bytes", [](Observation& o, const Reader& r) { o.experiment.back = r.size_bytes(); });
  fill("check", [](Observation& o, const Reader& r) { o.experiment.check = r.flag(); });
  fill("launch",
       [launches](Observation& o, const Reader& r) { o.launch = r.index(launches, "launch"); });
  fill("pass", [](Observation& o, const Reader& r) { o.pass = r.count(most_passes); });
  fill("time_s", [](Observation& o, const Reader& r) { o.time_s = r.number(); });
  fill("low_s", [](Observation& o, const Reader& r) { o.low_s = r.number(); });
  fill("high_s", [](Observation& o, const Reader& r) { o.high_s = r.number(); });
  fill("sd_s", [](Observation& o, const Reader& r) { o.sd_s = r.non_negative(); });
  fill("level", [](Observation& o, const Reader& r) {
    o.level = r.non_negative();
    if (o.level > 1) r.fail("is above 1");
  });
  fill("blocks", [](Observation& o, const Reader& r) { o.blocks = r.count(); });
  fill("block_length", [](Observation& o, const Reader& r) { o.block_length = r.count(); });
  fill("converged", [](Observation& o, const Reader& r) { o.converged = r.flag(); });
  if (columns.has("messages")) {
    fill("messages", [](Observation& o, const Reader& r) {
      o.experiment.messages = r.count();
      if (o.experiment.messages == 0) r.fail("is zero");
    });
    fill("delay_s",
         [](Observation& o, const Reader& r) { o.experiment.delay = Seconds{r.non_negative()}; });
  }
  if (columns.has("processes")) {
    fill("processes", [](Observation& o, const Reader& r) { o.experiment.processes = r.count(); });
  }
  if (columns.has("lost_blocks")) {
    fill("lost_blocks", [](Observation& o, const Reader& r) { o.lost_blocks = r.count(); });
    fill("repeated_blocks", [](Observation& o, const Reader& r) {
      o.repeated_blocks = static_cast<int>(read_part(r, o.lost_blocks, "lost_blocks"));
    });
  }
  if (columns.has("block_means_s")) {
    fill("block_means_s",
         [](Observation& o, const Reader& r) { o.block_means_s = read_times(r, &Reader::number); });
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    check_together(rows[i], all[static_cast<std::size_t>(rows[i].launch)], columns, i);
  }
  return rows;
}

/// A CSV has to hold it, too.
std::string read_sweep_kind(const Reader& json) {
  const std::string& kind = json.text();
  const bool outer_blank = kind.starts_with(' ') || kind.ends_with(' ') || kind.starts_with('#');
  const bool bad = std::any_of(kind.begin(), kind.end(), [](char c) {
    return c == ',' || c == '"' || static_cast<unsigned char>(c) < 0x20;
  });
  if (outer_blank || bad) json.fail("is " + detail::in_quotes(kind) + ", which is no plain word");
  return kind;
}

std::vector<double> read_repetitions(const Reader& json) {
  std::vector<double> times = read_times(json, &Reader::non_negative);
  if (times.empty()) json.fail("is empty");
  const auto zero = std::find(times.begin(), times.end(), 0.0);
  if (zero != times.end()) json[static_cast<std::size_t>(zero - times.begin())].fail("is zero");
  return times;
}

void read_passes(const Reader& json, Sweep& sweep) {
  json.expect_size(sweep.points.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    SweepPoint& point = sweep.points[i];
    json[i].expect_size(point.times_s.size());
    for (std::size_t r = 0; r < json[i].size(); ++r) {
      point.passes.push_back(json[i][r].count(most_passes));
    }
  }
}

Sweep read_sweep(const Reader& json, int n, const std::vector<Launch>& launches) {
  Sweep sweep{read_sweep_kind(json["kind"]),
              json["root"].rank(n),
              json["launch"].index(static_cast<int>(launches.size()), "launch"),
              {}};
  expect_rank_of(launches[static_cast<std::size_t>(sweep.launch)], sweep.root, json["root"]);
  const Reader sizes = json["size_bytes"];
  const Reader times = json["times_s"];
  times.expect_size(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    SweepPoint point{sizes[i].size_bytes(), read_repetitions(times[i])};
    if (i > 0 && point.size <= sweep.points.back().size) {
      sizes[i].fail("is not above the size before it");
    }
    sweep.points.push_back(std::move(point));
  }
  if (json.has("passes")) read_passes(json["passes"], sweep);
  return sweep;
}

}  // namespace

int Measurements::ranks() const {
  return launches.empty() ? 0 : static_cast<int>(launches.front().ranks.size());
}

bool Measurements::complete() const {
  return std::all_of(launches.begin(), launches.end(),
                     [](const Launch& launch) { return launch.complete; });
}

Measurements load_measurements(const std::filesystem::path& file) {
  const std::string name = file == "-" ? "standard input" : file.string();
  return measurements_from_json(read_file(file), name);
}

Measurements measurements_from_json(const std::string& text, const std::string& name) {
  const detail::Json json = detail::parse_json(text, name);
  const Reader root{json, name, ""};
  detail::expect_schema(root, schema);
  const int n = root["n"].number_of_ranks();
  Measurements result;
  const Reader launches = root["launches"];
  if (launches.size() == 0) launches.fail("is empty");
  result.launches = detail::read_launches(launches, n);
  result.observations = read_observations(root["experiments"], n, result.launches);
  if (!root.has("sweeps")) return result;
  const Reader sweeps = root["sweeps"];
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    result.sweeps.push_back(read_sweep(sweeps[i], n, result.launches));
  }
  return result;
}

std::string to_json(const Measurements& measurements) {
  OrderedJson json{{"schema", schema},
                   {"n", measurements.ranks()},
                   {"launches", detail::launches_to_json(measurements.launches)},
                   {"experiments", as_json(measurements.observations)}};
  if (!measurements.sweeps.empty()) {
    OrderedJson& sweeps = json["sweeps"] = OrderedJson::array();
    for (const Sweep& sweep : measurements.sweeps) sweeps.push_back(as_json(sweep));
  }
  return detail::to_lines(json);
}

}  // namespace commgauge
