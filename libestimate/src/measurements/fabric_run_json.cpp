#include "measurements/fabric_run_json.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "base/diagnostic_json.hpp"

namespace commgauge::detail {

namespace {

OrderedJson hosts_of(const FabricRun& run, int HostMessage::*end) {
  OrderedJson rounds = OrderedJson::array();
  for (const FabricRound& round : run.rounds) {
    OrderedJson hosts = OrderedJson::array();
    for (const HostMessage& pair : round.pairs) hosts.push_back(pair.*end);
    rounds.push_back(std::move(hosts));
  }
  return rounds;
}

OrderedJson as_json(const FabricRun& run) {
  OrderedJson times = OrderedJson::array();
  for (const FabricRound& round : run.rounds) times.push_back(round.times_s);
  OrderedJson json{{"launch", run.launch},
                   {"hosts", run.hosts},
                   {"size_bytes", run.size.value},
                   {"piece_bytes", run.piece.value},
                   {"start_s", run.start_s},
                   {"seed", run.seed},
                   {"repetitions", run.repetitions},
                   {"lost", run.lost},
                   {"repeated", run.repeated},
                   {"from", hosts_of(run, &HostMessage::from)},
                   {"to", hosts_of(run, &HostMessage::to)},
                   {"times_s", std::move(times)}};
  if (run.left_out) {
    json["left_out"] = run.left_out->text();
    json["diagnostic"] = detail::as_json(*run.left_out);
  }
  return json;
}

std::vector<std::string> read_hosts(const Reader& json) {
  std::vector<std::string> hosts = json.texts();
  std::set<std::string> known;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (!known.insert(hosts[i]).second) json[i].fail("is there twice");
  }
  return hosts;
}

/// @param hosts  which take part; each once
void expect_once(const Reader& json, int host, std::set<int>& hosts) {
  if (!hosts.insert(host).second) json.fail("has host " + std::to_string(host) + " twice");
}

std::vector<HostMessage> read_pairs(const Reader& from, const Reader& to, int hosts) {
  to.expect_size(from.size());
  std::vector<HostMessage> pairs;
  std::set<int> senders;
  std::set<int> receivers;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const HostMessage pair{from[i].index(hosts, "host"), to[i].index(hosts, "host")};
    if (pair.from == pair.to) to[i].fail("is the host that sends");
    expect_once(from, pair.from, senders);
    expect_once(to, pair.to, receivers);
    pairs.push_back(pair);
  }
  return pairs;
}

std::vector<std::vector<double>> read_times(const Reader& json, std::size_t pairs) {
  std::vector<std::vector<double>> times;
  if (json.size() == 0) json.fail("is empty");
  for (std::size_t i = 0; i < json.size(); ++i) {
    json[i].expect_size(pairs);
    std::vector<double>& of_repetition = times.emplace_back();
    for (std::size_t k = 0; k < pairs; ++k) of_repetition.push_back(json[i][k].positive());
  }
  return times;
}

std::vector<FabricRound> read_rounds(const Reader& json, int hosts) {
  const Reader from = json["from"];
  const Reader to = json["to"];
  const Reader times = json["times_s"];
  to.expect_size(from.size());
  times.expect_size(from.size());
  std::vector<FabricRound> rounds;
  for (std::size_t i = 0; i < from.size(); ++i) {
    FabricRound round{read_pairs(from[i], to[i], hosts), {}};
    round.times_s = read_times(times[i], round.pairs.size());
    if (i > 0) times[i].expect_size(rounds.front().times_s.size());
    rounds.push_back(std::move(round));
  }
  return rounds;
}

FabricRun read_run(const Reader& json, int launches) {
  FabricRun run;
  run.launch = json["launch"].index(launches, "launch");
  run.hosts = read_hosts(json["hosts"]);
  run.size = json["size_bytes"].size_bytes();
  run.piece = json.has("piece_bytes") ? json["piece_bytes"].size_bytes() : run.size;
  run.start_s = json["start_s"].non_negative();
  run.seed = json["seed"].unsigned_integer(std::numeric_limits<std::uint64_t>::max());
  run.repetitions = json["repetitions"].count<long>();
  run.lost = read_part(json["lost"], run.repetitions, "repetitions");
  run.repeated = read_part(json["repeated"], run.lost, "lost");
  run.rounds = read_rounds(json, static_cast<int>(run.hosts.size()));
  if (run.size.value == 0 && !run.rounds.empty()) json["size_bytes"].fail("is zero");
  if (run.piece > run.size) json["piece_bytes"].fail("is larger than the message");
  if (json.has("left_out")) {
    run.left_out = read_diagnostic(json["diagnostic"], json["left_out"].text());
  }
  return run;
}

}  // namespace

OrderedJson fabric_to_json(const std::vector<FabricRun>& runs) {
  OrderedJson result = OrderedJson::array();
  for (const FabricRun& run : runs) result.push_back(as_json(run));
  return result;
}

std::vector<FabricRun> read_fabric_runs(const Reader& json, int launches) {
  std::vector<FabricRun> runs;
  for (std::size_t i = 0; i < json.size(); ++i) runs.push_back(read_run(json[i], launches));
  return runs;
}

}  // namespace commgauge::detail
