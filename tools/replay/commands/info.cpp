#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <span>

#include "commgauge/base/printable.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/trace/read/reader.hpp"
#include "common/output/report.hpp"
#include "common/output/table.hpp"
#include "replay/commands/commands.hpp"

namespace commgauge::tools {

namespace {

using trace::Event;
namespace event = trace::event;

struct CallSum {
  std::uint64_t count{};
  double seconds{};

  void add(double more) {
    ++count;
    seconds += more;
  }
};

/// What the ranks' events come to.
struct Sums {
  std::map<std::string, CallSum> calls;  ///< by name
  /// By site and name, both of the trace's numbers; without those whose site isn't known.
  std::map<std::pair<std::uint32_t, std::uint32_t>, CallSum> at_sites;
  std::uint64_t messages{};
  std::uint64_t bytes{};
  std::uint64_t partitions{};   ///< that were ready: each is a message
  std::uint64_t partitioned{};  ///< of them [bytes]
  std::uint64_t accesses{};     ///< to other ranks' windows, without locks
  std::uint64_t put{};          ///< that they take there [bytes]
  std::uint64_t got{};          ///< and back
  std::uint64_t collectives{};
  double in_mpi{};      ///< of all ranks [s]
  double asleep{};      ///< in sleep, usleep, nanosleep; likewise
  double in_threads{};  ///< in calls by which threads start, wait for and release each other
  double processor{};   ///< outside of calls [s]
  double length{};      ///< of the longest rank [s]
};

constexpr double nanosecond = 1e-9;

/// Where the time of a call belongs: other calls than MPI's sleep, or are for threads.
double& time_in(Sums& sums, const std::string& call) {
  if (call.starts_with("MPI_")) return sums.in_mpi;
  return call.find("sleep") != std::string::npos ? sums.asleep : sums.in_threads;
}

/// Each partition of a rank is a message, whichever thread makes it ready.
void add_partitions(Sums& sums, const trace::Rank& rank) {
  std::map<std::uint32_t, std::uint64_t> prepared;  // bytes of a partition, by request
  std::vector<const event::Ready*> early;           // of requests that a later thread prepares
  const auto add = [&](const event::Ready& ready) {
    sums.partitions += ready.count;
    sums.partitioned += ready.count * prepared[ready.request];
  };
  for (const Event& event : rank.events) {
    const auto* const send = event.as<event::PrepareSend>();
    if (send != nullptr) prepared[send->request] = send->bytes;
    const auto* const ready = event.as<event::Ready>();
    if (ready == nullptr) continue;
    if (prepared.contains(ready->request)) {
      add(*ready);
    } else {
      early.push_back(ready);
    }
  }
  for (const auto* const ready : early) add(*ready);
}

/// Of a thread.
void add(Sums& sums, const trace::Trace& trace, std::span<const Event> events) {
  std::int64_t entered = 0;
  std::uint32_t site = trace::no_site;
  std::int64_t processor = 0;
  for (const Event& event : events) {
    sums.length = std::max(sums.length, static_cast<double>(event.time) * nanosecond);
    std::visit(trace::Handlers{
                   [&](const event::Enter& call) {
                     entered = event.time;
                     site = call.site;
                     sums.processor += static_cast<double>(call.processor - processor) * nanosecond;
                   },
                   [&](const event::Leave& call) {
                     const double seconds = static_cast<double>(event.time - entered) * nanosecond;
                     sums.calls[trace.names.at(call.name)].add(seconds);
                     if (site != trace::no_site) sums.at_sites[{site, call.name}].add(seconds);
                     time_in(sums, trace.names[call.name]) += seconds;
                     processor = call.processor;
                   },
                   [&](const event::Send& send) {
                     ++sums.messages;
                     sums.bytes += send.bytes;
                   },
                   [&](const event::Access& access) {
                     if (access.effect != trace::Effect::access) return;
                     ++sums.accesses;
                     sums.put += access.bytes;
                     sums.got += access.back;
                   },
                   [&](const event::Collective&) { ++sums.collectives; },
                   [](const auto&) {},
               },
               event.what);
  }
}

/// Messages that nobody received when the program was recorded, and receipts of what nobody sent.
std::int64_t unmatched(const trace::Trace& trace) {
  using Key = std::array<std::int64_t, 4>;  // communicator, from, to, tag
  std::map<Key, std::int64_t> open;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const auto own = static_cast<std::int64_t>(r);
    for (const Event& event : trace.ranks[r].events) {
      const auto close = [&](const auto& receive) {
        const trace::Found& found = receive.found;
        if (found.peer != trace::any) --open[{receive.context, found.peer, own, found.tag}];
      };
      if (const auto* const send = event.as<event::Send>()) {
        ++open[{send->context, own, send->peer, send->tag}];
      }
      if (const auto* const receive = event.as<event::Receive>()) close(*receive);
      if (const auto* const probe = event.as<event::MatchedProbe>()) close(*probe);
    }
  }
  std::int64_t count = 0;
  for (const auto& [key, left] : open) count += std::abs(left);
  return count;
}

/// What is called, then how often and how long.
std::vector<std::string> row(std::vector<std::string> what, const CallSum& call) {
  what.insert(what.end(), {std::to_string(call.count), to_text(Seconds{call.seconds}),
                           to_text(Seconds{call.seconds / static_cast<double>(call.count)})});
  return what;
}

constexpr std::size_t most_sites = 10;

/// Of most time first; empty: the trace doesn't tell.
std::string table_of_sites(const trace::Trace& trace, const Sums& sums) {
  if (sums.at_sites.empty()) return {};
  std::vector<std::pair<std::pair<std::uint32_t, std::uint32_t>, CallSum>> sites{
      sums.at_sites.begin(), sums.at_sites.end()};
  std::ranges::stable_sort(sites, std::ranges::greater{},
                           [](const auto& one) { return one.second.seconds; });
  if (sites.size() > most_sites) sites.resize(most_sites);
  Table table({"called in", "call", "number", "time of all ranks", "each"});
  for (const auto& [which, call] : sites)
    table.add(row({to_text(trace.sites.at(which.first)), trace.names[which.second]}, call));
  return "\n" + table.text();
}

std::string describe(const trace::Trace& trace) {
  Sums sums;
  std::size_t events = 0;
  int threads = 1;
  std::size_t recorded = 0;  // threads
  std::size_t most_recorded = 0;
  for (const trace::Rank& rank : trace.ranks) {
    const std::size_t own = rank.further_threads.size() + 1;
    for (std::size_t i = 0; i < own; ++i) add(sums, trace, events_of(rank, i));
    add_partitions(sums, rank);
    recorded += own;
    most_recorded = std::max(most_recorded, own);
    events += rank.events.size();
    threads = std::max(threads, rank.threads);
  }
  const auto ranks = static_cast<double>(std::max<std::size_t>(trace.ranks.size(), 1));
  std::string text = (trace.program.empty() ? "a program" : one_line(trace.program)) + ", " +
                     counted(std::ssize(trace.ranks), "rank") +
                     (trace.is_virtual ? ", in virtual time" : "") + "\n\n";
  text += "  length          " + to_text(Seconds{sums.length}) + "\n";
  if (!uses_mpi(trace)) text += "  no MPI          there is no call of it: nothing to replay\n";
  text += "  in MPI          " + to_text(Seconds{sums.in_mpi / ranks}) + " a rank, " +
          (most_recorded > 1 ? "by all of its threads"
                             : percent(sums.length > 0 ? sums.in_mpi / ranks / sums.length : 0)) +
          "\n";
  if (sums.in_threads > 0) {
    text += "  among threads   " + to_text(Seconds{sums.in_threads / ranks}) +
            " a rank, where they start, wait for and release each other\n";
  }
  if (sums.asleep > 0) {
    text += "  asleep          " + to_text(Seconds{sums.asleep / ranks}) + " a rank\n";
  }
  if (trace.has_processor_time) {
    text += "  computing       " + to_text(Seconds{sums.processor / ranks}) +
            " a rank, of CPU time between calls\n";
  }
  text += "  messages        " + std::to_string(sums.messages) + ", " + to_text(Bytes{sums.bytes}) +
          ", beside those of collective operations\n";
  if (sums.partitions > 0) {
    text += "  partitions      " + std::to_string(sums.partitions) + ", " +
            to_text(Bytes{sums.partitioned}) + ", each a message\n";
  }
  if (sums.accesses > 0) {
    text += "  accesses        " + std::to_string(sums.accesses) + ", " + to_text(Bytes{sums.put}) +
            " there, " + to_text(Bytes{sums.got}) + " back\n";
  }
  text += "  collectives     " + std::to_string(sums.collectives) + ", by all ranks\n";
  if (const std::size_t sites = trace.sites.size() - 1; sites > 0) {
    text += "  call sites      " + std::to_string(sites) + "\n";
  }
  const auto windows =
      std::ranges::count(trace.communicators, true, &trace::Communicator::is_window);
  text += "  communicators   " + std::to_string(std::ssize(trace.communicators) - windows) + "\n";
  if (windows > 0) text += "  windows         " + std::to_string(windows) + "\n";
  text += "  events          " + std::to_string(events) + "\n";
  if (const std::int64_t left = unmatched(trace); left > 0) {
    text += "  unmatched       " + std::to_string(left) + " messages or receives" + "\n";
  }
  if (most_recorded > 1) {
    text += "  threads         " + std::to_string(recorded) + " recorded, up to " +
            std::to_string(most_recorded) + " of a rank\n";
  } else if (threads > 1) {
    text += "  threads         up to " + std::to_string(threads) + " a process\n";
  }
  for (const trace::Remark& remark : trace.remarks) {
    text += indented("remark          " + remark.text +
                     (remark.count > 1 ? ", " + std::to_string(remark.count) + " times" : ""));
  }
  Table table({"call", "number", "time of all ranks", "each"});
  for (const auto& [name, call] : sums.calls) {
    table.add(row({name}, call));
  }
  return text + "\n" + table.text() + table_of_sites(trace, sums);
}

}  // namespace

void add_info(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("info", "Tell what is in a trace");
  auto archive = std::make_shared<std::string>();
  command->add_option("trace", *archive, "The archive")->required()->type_name("DIR");
  command->footer(
      "Example:\n"
      "  replay info trace");
  command->callback([archive, &job] {
    job.local = [archive] {
      print_result(describe(trace::read(*archive)));
      return ExitCode::done;
    };
  });
}

}  // namespace commgauge::tools
