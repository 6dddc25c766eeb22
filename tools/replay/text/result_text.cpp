#include "replay/text/result_text.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "commgauge/base/printable.hpp"
#include "commgauge/base/units.hpp"
#include "common/output/table.hpp"

namespace commgauge::tools {

namespace {

using replay::RankResult;
using replay::Traffic;

constexpr std::size_t most_columns = 16;  // of the matrix
constexpr std::size_t most_pairs = 10;

std::string interval_text(const Outcome& all) {
  if (all.is_exact) return "exact for these parameters";
  const Prediction& p = all.prediction;
  if (!p.has_interval()) return "";
  return to_text(p.low) + " to " + to_text(p.high) + " (" + all.interval_meaning + ")";
}

std::string percent_of(double part, double whole) {
  return whole > 0 ? number(100 * part / whole) : "-";
}

/// How much faster the ranks are than one of them that does all of their computing.
std::string serial_text(const Outcome& all) {
  const auto fastest = std::ranges::min_element(all.machine.time_ratios, {}, &Estimate::value);
  const double serial = all.result.work() * fastest->value;
  if (!(serial > 0) || !(all.result.time > 0)) return "";
  return "  serial time     " + to_text(Seconds{serial}) + " if rank " +
         std::to_string(fastest - all.machine.time_ratios.begin()) +
         " computed all of it: a speedup of " + number(serial / all.result.time) +
         " (a program for one rank would do it in another way)\n";
}

/// How much of the ranks' time is computing.
std::string utilisation_text(const replay::Result& result) {
  if (!(result.time > 0)) return "";
  const auto [least, most] = std::ranges::minmax_element(
      result.ranks, {}, [&](const RankResult& rank) { return result.utilisation(rank); });
  const auto named = [&](auto rank) {
    return "rank " + std::to_string(rank - result.ranks.begin()) + ": " +
           percent(result.utilisation(*rank));
  };
  return "  utilisation     " + percent(result.utilisation()) +
         " of the ranks' time is computing (least " + named(least) + ", most " + named(most) +
         ")\n";
}

std::string pairs_text(std::vector<Traffic> traffic, double bytes) {
  const std::size_t shown = std::min(most_pairs, traffic.size());
  std::ranges::partial_sort(traffic, traffic.begin() + static_cast<std::ptrdiff_t>(shown),
                            [](const Traffic& a, const Traffic& b) {
                              return a.bytes != b.bytes ? a.bytes > b.bytes
                                                        : a.messages > b.messages;
                            });
  Table table({"from", "to", "messages", "bytes", "% of all"});
  for (std::size_t i = 0; i < shown; ++i) {
    const Traffic& pair = traffic[i];
    table.add({std::to_string(pair.from), std::to_string(pair.to), std::to_string(pair.messages),
               to_text(Bytes{pair.bytes}), percent_of(static_cast<double>(pair.bytes), bytes)});
  }
  return table.text();
}

/// A row for each sender.
std::string square_text(const std::vector<Traffic>& traffic, std::size_t ranks) {
  std::vector<std::vector<std::string>> cells(ranks, std::vector<std::string>(ranks, "-"));
  for (const Traffic& pair : traffic) {
    cells[static_cast<std::size_t>(pair.from)][static_cast<std::size_t>(pair.to)] =
        to_text(Bytes{pair.bytes});
  }
  std::vector<std::string> header{"from \\ to"};
  for (std::size_t to = 0; to < ranks; ++to) header.push_back(std::to_string(to));
  Table table(header);
  for (std::size_t from = 0; from < ranks; ++from) {
    cells[from].insert(cells[from].begin(), std::to_string(from));
    table.add(cells[from]);
  }
  return table.text();
}

}  // namespace

std::string machine_text(const Outcome& all) {
  return all.topology ? "on the topology " + to_text(*all.topology)
                      : "on the machine of the model (" + all.machine.kind + ")";
}

std::string time_text(const Outcome& all) {
  const std::string& program = all.trace.program;
  return one_line((program.empty() ? "the program" : program) + ", " +
                  counted(std::ssize(all.result.ranks), "rank") + ", " + machine_text(all)) +
         "\n\n  predicted time  " + to_text(all.prediction.time) + "   " + interval_text(all) +
         "\n";
}

std::string result_text(const Outcome& all) {
  const replay::Result& result = all.result;
  std::string text = time_text(all);
  text += utilisation_text(result) + serial_text(all) + "\n";
  const bool sleeps = std::ranges::any_of(
      result.ranks, [](const RankResult& rank) { return rank.shares.sleeping > 0; });
  std::vector<std::string> header{"rank",    "host",      "ends at", "computing",
                                  "sending", "receiving", "waiting"};
  if (sleeps) header.emplace_back("sleeping");
  Table table(header);
  for (std::size_t r = 0; r < result.ranks.size(); ++r) {
    const RankResult& rank = result.ranks[r];
    const simulate::Shares& shares = rank.shares;
    std::vector<std::string> row{std::to_string(r), all.machine.hosts[r],
                                 to_text(Seconds{rank.end})};
    for (const double share :
         {shares.computing, shares.sending, shares.receiving, shares.waiting, shares.sleeping}) {
      if (row.size() < header.size()) row.push_back(percent_of(share, result.whole(rank)));
    }
    table.add(row);
  }
  const bool has_threads = std::ranges::any_of(
      result.ranks, [](const RankResult& rank) { return rank.further_threads > 0; });
  return text + table.text() + "  shares in percent of the whole time" +
         (has_threads ? " and that of the ranks' further threads" : "") + "\n";
}

std::string matrix_text(const Outcome& all) {
  const std::vector<Traffic>& traffic = all.result.traffic;
  if (traffic.empty()) return "  no messages\n";
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  for (const Traffic& pair : traffic) {
    messages += pair.messages;
    bytes += pair.bytes;
  }
  std::string text = "  " + std::to_string(messages) + " messages, " + to_text(Bytes{bytes}) +
                     ", those of collective operations included; of " +
                     counted(std::ssize(traffic), "pair");
  text += traffic.size() > most_pairs ? " those with the most bytes\n" : "\n";
  text += pairs_text(traffic, static_cast<double>(bytes));
  const std::size_t ranks = all.result.ranks.size();
  if (ranks > most_columns) return text;
  return text + "\n  bytes, a row for each sender\n" + square_text(traffic, ranks);
}

}  // namespace commgauge::tools
