#include "run/report.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/say.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/base/printable.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/simulate/machine/topology.hpp"
#include "job/call.hpp"
#include "mpi/politely.hpp"
#include "mpi/real_calls.hpp"
#include "mpi/world.hpp"

namespace commgauge::emulate {

void RankReport::add(const threads::Sum& further) {
  threads += further.count;
  shares += further.shares;
  files.read += further.files.read;
  files.written += further.files.written;
  lost += further.lost;
  in_turn += further.in_turn;
}

namespace {

std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));
std::string format(const char* pattern, ...) {
  std::array<char, 512> text{};
  va_list values;
  va_start(values, pattern);
  std::vsnprintf(text.data(), text.size(), pattern, values);
  va_end(values);
  return text.data();
}

using Json = nlohmann::ordered_json;

/// Other programs' text may be no UTF-8. NaN and infinity become null.
std::string text_of(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

bool is_disturbed(const Emulator& e) { return !e.machine().disturbances.empty(); }

double total(const Shares& s) {
  return s.computing + s.sending + s.receiving + s.waiting + s.files + s.sleeping;
}

/// The job as a whole: the time of the rank that ended last, and the sums of everything else.
RankReport whole(const std::vector<RankReport>& ranks) {
  RankReport all;
  all.threads = 0;
  for (const RankReport& rank : ranks) {
    all.time = std::max(all.time, rank.time);
    all.shares += rank.shares;
    all.files.read += rank.files.read;
    all.files.written += rank.files.written;
    all.account.taken += rank.account.taken;
    all.account.emulated += rank.account.emulated;
    all.account.behind += rank.account.behind;
    all.lost += rank.lost;
    all.threads += rank.threads;
  }
  return all;
}

bool has_files(const RankReport& rank) {
  return rank.files.read > 0 || rank.files.written > 0 || rank.shares.files > 0;
}

/// Further columns of the table.
struct Columns {
  bool sleeping{};
  bool files{};
  bool rate{};  ///< of ranks that follow real time
};

/// With blanks behind it, as many as make it so wide on a screen.
std::string padded(std::string text, std::size_t width) {
  const auto is_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  const auto columns = static_cast<std::size_t>(std::ranges::count_if(text, is_character));
  return text + std::string(width - std::min(width, columns), ' ');
}

std::string row(const std::string& who, const std::string& host, const RankReport& rank,
                const Columns& columns) {
  const Shares& s = rank.shares;
  const double percent = total(s) > 0 ? total(s) / 100 : 1;
  std::string text = format("  %-6s ", who.c_str()) + padded(one_line(host), 20) +
                     format(" %12s %10.1f %8.1f %10.1f %8.1f", to_text(Seconds{rank.time}).c_str(),
                            s.computing / percent, s.sending / percent, s.receiving / percent,
                            s.waiting / percent);
  if (columns.sleeping) text += format(" %9.1f", s.sleeping / percent);
  if (columns.files) {
    text += format(" %6.1f %12s %12s", s.files / percent, to_text(Bytes{rank.files.read}).c_str(),
                   to_text(Bytes{rank.files.written}).c_str());
  }
  if (columns.rate) text += format(" %8.2f", rank.account.rate());
  return text + "\n";
}

void warn_of_lateness(const std::vector<RankReport>& ranks) {
  const auto late =
      std::ranges::count_if(ranks, [](const RankReport& rank) { return rank.account.rate() >= 1; });
  if (late == 0) return;
  const auto slowest = std::ranges::max_element(
      ranks, {}, [](const RankReport& rank) { return rank.account.behind; });
  say(
      format("%d of %d ranks have R >= 1 (their calls of MPI took longer here than on the emulated "
             "machine, so times are too long, of one rank by %s): use virtual time, without "
             "--real-time",
             static_cast<int>(late), static_cast<int>(ranks.size()),
             to_text(Seconds{slowest->account.behind}).c_str()));
}

/// What the program takes where its ranks are desynchronised.
std::optional<simulate::Desynchronisation> desynchronisation(const std::vector<RankReport>& ranks) {
  std::vector<simulate::TakenInTurn> taken;
  for (const RankReport& rank : ranks) taken.push_back(rank.in_turn);
  return simulate::desynchronisation(Seconds{whole(ranks).time}, taken);
}

std::string table(const Machine& machine, const std::vector<RankReport>& ranks,
                  bool follows_real_time) {
  const bool has_model = machine.kind != simulate::topology_kind;
  const std::string where =
      has_model ? "the machine of the model (" + machine.kind + ")" : "a topology";
  std::string text = format("emulate: %d ranks on %s%s%s\n", static_cast<int>(ranks.size()),
                            where.c_str(), follows_real_time ? ", in real time" : "",
                            machine.disturbances.empty() ? "" : ", disturbed");
  const RankReport all = whole(ranks);
  const Columns columns{all.shares.sleeping > 0, has_files(all), follows_real_time};
  text += format("  %-6s %-20s %12s %10s %8s %10s %8s", "rank", "host", "time", "computing",
                 "sending", "receiving", "waiting");
  if (columns.sleeping) text += format(" %9s", "sleeping");
  if (columns.files) text += format(" %6s %12s %12s", "files", "read", "written");
  text += columns.rate ? "        R\n" : "\n";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    text += row(std::to_string(i), machine.hosts[i], ranks[i], columns);
  }
  text += row("whole", "", all, columns);
  text += "  shares in percent\n";
  if (const int threads = whole(ranks).threads; threads > static_cast<int>(ranks.size())) {
    text += format("  shares are those of all %d threads\n", threads);
  }
  if (follows_real_time) {
    text += "  R: real time that the calls of MPI took, for one second on the emulated machine\n";
  }
  return text;
}

void add_numbers(Json& json, const Emulator& e, const RankReport& rank) {
  json["time_s"] = rank.time;
  json["computing_s"] = rank.shares.computing;
  json["sending_s"] = rank.shares.sending;
  json["receiving_s"] = rank.shares.receiving;
  json["waiting_s"] = rank.shares.waiting;
  json["files_s"] = rank.shares.files;
  json["sleeping_s"] = rank.shares.sleeping;
  json["read_bytes"] = rank.files.read;
  json["written_bytes"] = rank.files.written;
  if (e.follows_real_time()) {
    json["account_rate"] = rank.account.rate();
    json["behind_s"] = rank.account.behind;
  }
  if (is_disturbed(e)) json["lost_s"] = rank.lost;
  if (rank.threads > 1) json["threads"] = rank.threads;
}

Json as_json(const simulate::Disturbance& d) {
  const bool is_every = d.rank == simulate::Disturbance::every_rank;
  return {{"rank", is_every ? Json() : Json(d.rank)},
          {"from_s", d.from},
          {"until_s", d.until},
          {"speed", d.speed},
          {"period_s", d.period},
          {"length_s", d.length}};
}

std::string report_text(const Emulator& e, const std::vector<RankReport>& ranks) {
  const Machine& machine = e.machine();
  Json json{{"schema", "commgauge.emulation/1"}, {"model", machine.kind}};
  if (const simulate::AssumedPairs pairs = simulate::assumed_pairs(machine); pairs.any()) {
    json["assumed_pairs"] = {{"count", pairs.count},
                             {"of", pairs.all},
                             {"least_s", pairs.least},
                             {"most_s", pairs.most}};
  }
  if (machine.requests_queue) json["requests"] = "queue";
  if (machine.sharing != simulate::Sharing::none) {
    json["sharing"] = machine.sharing == simulate::Sharing::all ? "all" : "rendezvous";
  }
  if (machine.jitter.is_there()) {
    json["jitter"] = {{"mean_s", machine.jitter.mean}, {"seed", machine.jitter.seed}};
    if (machine.jitter.per_byte > 0) json["jitter"]["per_byte_s"] = machine.jitter.per_byte;
  }
  for (const simulate::Disturbance& one : machine.disturbances) {
    json["disturbances"].push_back(as_json(one));
  }
  if (const auto found = desynchronisation(ranks)) {
    Json& told = json["out_of_step"];
    told["operations"] = Json::array();
    for (const schedule::Operation one : found->operations) {
      told["operations"].push_back(to_text(one));
    }
    told["share"] = found->share;
    if (found->at_once > 0) told["at_once"] = found->at_once;
    told["most_s"] = found->most.value;
  }
  add_numbers(json["whole"], e, whole(ranks));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    Json rank{{"rank", i}, {"host", machine.hosts[i]}};
    add_numbers(rank, e, ranks[i]);
    json["ranks"].push_back(std::move(rank));
  }
  return text_of(json, 1) + "\n";
}

/// Chrome's trace events: a process for each rank, times in µs.
std::string events_of(const Emulator& e) {
  const auto text_of_thread = [&](int thread, const std::vector<TraceEvent>& events) {
    std::string text;
    for (const TraceEvent& event : events) {
      text += format(
          ",\n{\"ph\": \"X\", \"name\": \"%s\", \"pid\": %d, \"tid\": %d, \"ts\": %.6f, "
          "\"dur\": %.6f}",
          event.name, e.rank(), thread, event.start * 1e6, (event.end - event.start) * 1e6);
    }
    return text;
  };
  const auto& host = e.machine().hosts[static_cast<std::size_t>(e.rank())];
  std::string text =
      format("{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %d, \"args\": {", e.rank()) +
      "\"name\": " + text_of("rank " + std::to_string(e.rank()) + ", " + host) + "}}";
  text += text_of_thread(0, e.trace());
  threads::for_each_trace([&](int thread, const std::vector<TraceEvent>& events) {
    text += text_of_thread(thread, events);
  });
  return text;
}

constexpr std::size_t piece = 1 << 24;  ///< [bytes] of a message: MPI counts by int

/// All ranks' text, on rank 0.
std::string gather_text(const std::string& own, int rank, int ranks) {
  if (rank != 0) {
    const std::size_t size = own.size();
    real::Send(&size, sizeof size, MPI_BYTE, 0, 0, world());
    for (std::size_t start = 0; start < size; start += piece) {
      real::Send(own.data() + start, static_cast<int>(std::min(piece, size - start)), MPI_BYTE, 0,
                 0, world());
    }
    return {};
  }
  std::string all = own;
  for (int from = 1; from < ranks; ++from) {
    std::size_t size = 0;
    real::Recv(&size, sizeof size, MPI_BYTE, from, 0, world(), MPI_STATUS_IGNORE);
    std::string text(size, '\0');
    for (std::size_t start = 0; start < size;) {
      MPI_Status status;
      real::Recv(text.data() + start, static_cast<int>(std::min(piece, size - start)), MPI_BYTE,
                 from, 0, world(), &status);
      int got = 0;
      PMPI_Get_count(&status, MPI_BYTE, &got);
      start += static_cast<std::size_t>(got);
    }
    all += ",\n" + text;
  }
  return all;
}

/// @pre the first rank. @return whether it was written; if not, it has been said why.
bool write_all(const std::vector<RankReport>& ranks, const std::string& events,
               const ReportFiles& files) {
  const Emulator& e = emulator();
  const bool follows = e.follows_real_time();
  std::cout.flush();
  std::fflush(stdout);
  std::cerr << table(e.machine(), ranks, follows) << std::flush;
  if (follows) warn_of_lateness(ranks);
  if (const auto found = desynchronisation(ranks)) say(diagnostic_of(*found).text());
  try {
    if (!files.report.empty()) write_file(files.report, report_text(e, ranks));
    if (!files.trace.empty()) write_file(files.trace, "[\n" + events + "\n]\n");
    return true;
  } catch (const InputError& error) {
    say(error.what());
    return false;
  }
}

}  // namespace

bool write_reports(const RankReport& own, const ReportFiles& files) {
  const Emulator& e = emulator();
  const int ranks = e.machine().ranks;
  std::vector<RankReport> all(static_cast<std::size_t>(ranks));
  politely::gather(&own, sizeof own, all.data());
  std::string events;
  if (!files.trace.empty()) events = gather_text(events_of(e), e.rank(), ranks);
  int written = e.rank() != 0 || write_all(all, events, files) ? 1 : 0;
  politely::broadcast(&written, sizeof written);
  return written != 0;
}

}  // namespace commgauge::emulate
