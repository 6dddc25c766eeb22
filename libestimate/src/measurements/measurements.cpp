#include "commgauge/measurements/measurements.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/diagnostic_json.hpp"
#include "base/json_lines.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "measurements/fabric_run_json.hpp"
#include "measurements/launch_json.hpp"
#include "measurements/survey_json.hpp"

namespace commgauge {
namespace {

using detail::OrderedJson;
using detail::Reader;

constexpr std::string_view measurements_schema = "commgauge.measurements/1";

/// One array for each field.
template <class Row>
class ColumnWriter {
 public:
  explicit ColumnWriter(const std::vector<Row>& rows) : rows_{rows} {}

  void add(const char* name, auto get) {
    OrderedJson column = OrderedJson::array();
    for (const Row& row : rows_) column.push_back(get(row));
    columns_[name] = std::move(column);
  }
  void add_participants() {
    add("kind", [](const Row& row) { return std::string{to_text(row.experiment.kind)}; });
    add("root", [](const Row& row) { return row.experiment.root; });
    add("peers", [](const Row& row) { return row.experiment.peers; });
    add("reply_order", [](const Row& row) { return row.experiment.reply_order; });
    add("out_bytes", [](const Row& row) { return row.experiment.out.value; });
    add("back_bytes", [](const Row& row) { return row.experiment.back.value; });
    add("check", [](const Row& row) { return row.experiment.check; });
  }
  void add_floods() {
    if (!any([](const Row& row) { return sends_several(row.experiment.kind); })) return;
    add("messages", [](const Row& row) { return row.experiment.messages; });
    add("delay_s", [](const Row& row) { return row.experiment.delay.value; });
  }
  [[nodiscard]] bool any(auto says) const { return std::any_of(rows_.begin(), rows_.end(), says); }
  [[nodiscard]] OrderedJson take() { return std::move(columns_); }

 private:
  const std::vector<Row>& rows_;
  OrderedJson columns_ = OrderedJson::object();
};

OrderedJson as_json(const std::vector<Observation>& observations) {
  ColumnWriter columns{observations};
  columns.add_participants();
  columns.add("launch", [](const Observation& o) { return o.launch; });
  columns.add("pass", [](const Observation& o) { return o.pass; });
  columns.add("time_s", [](const Observation& o) { return o.time_s; });
  columns.add("low_s", [](const Observation& o) { return o.low_s; });
  columns.add("high_s", [](const Observation& o) { return o.high_s; });
  columns.add("sd_s", [](const Observation& o) { return o.sd_s; });
  columns.add("level", [](const Observation& o) { return o.level; });
  columns.add("blocks", [](const Observation& o) { return o.blocks; });
  columns.add("block_length", [](const Observation& o) { return o.block_length; });
  columns.add("converged", [](const Observation& o) { return o.converged; });
  columns.add_floods();
  if (columns.any([](const Observation& o) { return o.experiment.processes != 0; })) {
    columns.add("processes", [](const Observation& o) { return o.experiment.processes; });
  }
  if (columns.any([](const Observation& o) { return o.lost_blocks != 0; })) {
    columns.add("lost_blocks", [](const Observation& o) { return o.lost_blocks; });
    columns.add("repeated_blocks", [](const Observation& o) { return o.repeated_blocks; });
  }
  if (columns.any([](const Observation& o) { return !o.block_means_s.empty(); })) {
    columns.add("block_means_s", [](const Observation& o) { return o.block_means_s; });
  }
  return columns.take();
}

OrderedJson as_json(const LaunchPlan& plan) {
  ColumnWriter columns{plan.experiments};
  columns.add("round", [](const PlannedExperiment& e) { return e.round; });
  columns.add("group", [](const PlannedExperiment& e) { return e.group; });
  columns.add_participants();
  columns.add_floods();
  return {{"request", plan.request}, {"experiments", columns.take()}};
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

bool takes_replies_in_order(Kind kind) {
  return has_one_peer(kind) || times_a_meeting(kind) || kind == Kind::one_to_k;
}

/// A launch may have fewer ranks than the largest.
void expect_rank_of(const Launch& launch, int rank, const Reader& json) {
  if (static_cast<std::size_t>(rank) < launch.ranks.size()) return;
  json.fail("names rank " + std::to_string(rank) + " (its launch has " +
            std::to_string(launch.ranks.size()) + " ranks)");
}

/// What one column can't tell by itself. `row` is the experiment's index in every column.
void check_together(const Experiment& e, const Launch& launch, const Reader& columns,
                    std::size_t row) {
  const auto fail = [&](const char* column, const std::string& reason) {
    columns[column][row].fail(reason);
  };
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
}

void check_together(const Observation& o, const Launch& launch, const Reader& columns,
                    std::size_t row) {
  check_together(o.experiment, launch, columns, row);
  const auto fail = [&](const char* column, const std::string& reason) {
    columns[column][row].fail(reason);
  };
  // The clock's cost is taken off overheads.
  if (o.time_s < 0 && !is_overhead(o.experiment.kind)) fail("time_s", "is negative");
  if (o.low_s > o.time_s) fail("low_s", "is above time_s");
  if (o.high_s < o.time_s) fail("high_s", "is below time_s");
}

/// Fills rows from columns of their number.
template <class Row>
class ColumnReader {
 public:
  explicit ColumnReader(const Reader& columns) : columns_{columns}, rows_(columns["kind"].size()) {}

  void fill(const char* name, auto set) {
    const Reader column = columns_[name];
    column.expect_size(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) set(rows_[i], column[i]);
  }
  void fill_participants(int n) {
    fill("kind", [](Row& row, const Reader& r) { row.experiment.kind = read_kind(r); });
    fill("root", [n](Row& row, const Reader& r) { row.experiment.root = r.rank(n); });
    fill("peers", [n](Row& row, const Reader& r) { row.experiment.peers = read_ranks(r, n); });
    fill("reply_order",
         [n](Row& row, const Reader& r) { row.experiment.reply_order = read_ranks(r, n); });
    fill("out_bytes", [](Row& row, const Reader& r) { row.experiment.out = r.size_bytes(); });
    fill("back_bytes", [](Row& row, const Reader& r) { row.experiment.back = r.size_bytes(); });
    fill("check", [](Row& row, const Reader& r) { row.experiment.check = r.flag(); });
  }
  void fill_floods() {
    if (!columns_.has("messages")) return;
    fill("messages", [](Row& row, const Reader& r) {
      row.experiment.messages = r.count();
      if (row.experiment.messages == 0) r.fail("is zero");
    });
    fill("delay_s",
         [](Row& row, const Reader& r) { row.experiment.delay = Seconds{r.non_negative()}; });
  }
  [[nodiscard]] std::vector<Row>& rows() { return rows_; }

 private:
  const Reader& columns_;
  std::vector<Row> rows_;
};

std::vector<Observation> read_observations(const Reader& columns, int n,
                                           const std::vector<Launch>& all) {
  const auto launches = static_cast<int>(all.size());
  ColumnReader<Observation> reader{columns};
  const auto fill = [&](const char* name, auto set) { reader.fill(name, set); };
  reader.fill_participants(n);
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
  reader.fill_floods();
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
  std::vector<Observation>& rows = reader.rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    check_together(rows[i], all[static_cast<std::size_t>(rows[i].launch)], columns, i);
  }
  return std::move(rows);
}

MemoryRun read_memory(const Reader& columns, const Survey& survey, std::vector<Launch> launches) {
  for (Launch& launch : launches) launch.ranks = survey.ranks;
  MemoryRun memory{read_observations(columns, static_cast<int>(survey.ranks.size()), launches), {}};
  if (columns.has("left_out")) {
    memory.left_out = detail::read_diagnostic(columns["diagnostic"], columns["left_out"].text());
  }
  return memory;
}

OrderedJson as_json(const MemoryRun& memory) {
  OrderedJson json = as_json(memory.rows);
  if (memory.left_out) {
    json["left_out"] = memory.left_out->text();
    json["diagnostic"] = detail::as_json(*memory.left_out);
  }
  return json;
}

LaunchPlan read_plan(const Reader& json, int n, const Launch& launch) {
  const Reader columns = json["experiments"];
  ColumnReader<PlannedExperiment> reader{columns};
  reader.fill("round", [](PlannedExperiment& e, const Reader& r) { e.round = r.count(); });
  reader.fill("group", [](PlannedExperiment& e, const Reader& r) { e.group = r.count(); });
  reader.fill_participants(n);
  reader.fill_floods();
  std::vector<PlannedExperiment>& rows = reader.rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    check_together(rows[i].experiment, launch, columns, i);
    if (i == 0 || rows[i].round > rows[i - 1].round) continue;
    const bool goes_on = rows[i].round == rows[i - 1].round && rows[i].group >= rows[i - 1].group;
    if (!goes_on) columns["round"][i].fail("is not in the order of rounds and groups");
  }
  return {detail::read_texts(json["request"]), std::move(rows)};
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

int Measurements::machine_rank(int measured) const {
  const auto at = static_cast<std::size_t>(measured);
  return survey && at < survey->sample.size() ? survey->sample[at] : measured;
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
  detail::expect_schema(root, measurements_schema);
  const int n = root["n"].number_of_ranks();
  Measurements result;
  const Reader launches = root["launches"];
  if (launches.size() == 0) launches.fail("is empty");
  result.launches = detail::read_launches(launches, n);
  result.observations = read_observations(root["experiments"], n, result.launches);
  if (root.has("plan")) {
    if (launches.size() > 1) root["plan"].fail("is there with more than one launch");
    result.plan = read_plan(root["plan"], n, result.launches.front());
  }
  if (root.has("survey")) result.survey = detail::read_survey(root["survey"], n);
  if (root.has("memory")) {
    if (!result.survey) root["memory"].fail("is there without a survey");
    result.memory = read_memory(root["memory"], *result.survey, result.launches);
  }
  if (root.has("fabric")) {
    result.fabric =
        detail::read_fabric_runs(root["fabric"], static_cast<int>(result.launches.size()));
  }
  if (!root.has("sweeps")) return result;
  const Reader sweeps = root["sweeps"];
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    result.sweeps.push_back(read_sweep(sweeps[i], n, result.launches));
  }
  return result;
}

std::string to_json(const Measurements& measurements) {
  OrderedJson json{{"schema", measurements_schema},
                   {"n", measurements.ranks()},
                   {"launches", detail::launches_to_json(measurements.launches)},
                   {"experiments", as_json(measurements.observations)}};
  if (measurements.plan) json["plan"] = as_json(*measurements.plan);
  if (measurements.survey) json["survey"] = detail::survey_to_json(*measurements.survey);
  const MemoryRun& memory = measurements.memory;
  if (!memory.rows.empty() || memory.left_out) json["memory"] = as_json(memory);
  if (!measurements.fabric.empty()) json["fabric"] = detail::fabric_to_json(measurements.fabric);
  if (!measurements.sweeps.empty()) {
    OrderedJson& sweeps = json["sweeps"] = OrderedJson::array();
    for (const Sweep& sweep : measurements.sweeps) sweeps.push_back(as_json(sweep));
  }
  return detail::to_lines(json);
}

}  // namespace commgauge
