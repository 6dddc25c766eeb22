#include "write/unify.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "write/pack.hpp"

namespace commgauge::trace {
namespace {

using Ranks = std::vector<std::int32_t>;

/// As runs of consecutive ranks: MPI_COMM_WORLD is one of them.
void add(Pack& pack, const Ranks& ranks) {
  std::vector<std::pair<std::int32_t, std::uint64_t>> runs;
  for (const auto rank : ranks) {
    const auto next = runs.empty() ? 0 : runs.back().first + static_cast<int>(runs.back().second);
    if (runs.empty() || rank != next) {
      runs.emplace_back(rank, 1);
    } else {
      ++runs.back().second;
    }
  }
  pack.add(runs, [&](const auto& run) {
    pack.add(static_cast<std::uint64_t>(run.first));
    pack.add(run.second);
  });
}

Ranks ranks(Unpack& pack) {
  Ranks all;
  pack.list([&] {
    auto rank = static_cast<std::int32_t>(pack.number());
    for (auto left = pack.number(); left > 0; --left) all.push_back(rank++);
  });
  return all;
}

/// Communicators of the same members and origin are told apart by the order in which each process
/// has them.
class Communicators {
 public:
  explicit Communicators(std::vector<Communicator>& all) : all_{all} {}

  std::vector<std::uint32_t> add(const Report& own) {
    std::map<Key, std::size_t> seen;
    std::vector<std::uint32_t> numbers;
    for (std::size_t i = 0; i < own.communicators.size(); ++i) {
      const Communicator& one = own.communicators[i];
      Origin origin = own.origins[i];
      if (origin.parent != Origin::none) origin.parent = numbers.at(origin.parent);
      const Key key{one.members, one.others, one.is_window, std::move(origin)};
      numbers.push_back(number(one, key, seen[key]++));
    }
    return numbers;
  }

 private:
  using Key = std::tuple<Ranks, Ranks, bool, Origin>;

  std::uint32_t number(const Communicator& one, const Key& key, std::size_t which) {
    auto& same = known_[key];
    if (which == same.size()) {
      same.push_back(static_cast<std::uint32_t>(all_.size()));
      all_.push_back(one);
    }
    auto& name = all_[same[which]].name;
    if (name.empty()) name = one.name;
    return same[which];
  }

  std::vector<Communicator>& all_;
  std::map<Key, std::vector<std::uint32_t>> known_;
};

class Names {
 public:
  explicit Names(Report& whole) : whole_{whole} {}

  std::vector<std::uint32_t> add(const Report& own) {
    std::vector<std::uint32_t> numbers;
    for (std::size_t i = 0; i < own.names.size(); ++i) {
      const auto [found, is_new] =
          known_.emplace(own.names[i], static_cast<std::uint32_t>(known_.size()));
      if (is_new) {
        whole_.names.push_back(own.names[i]);
        whole_.used.push_back(0);
      }
      whole_.used[found->second] |= own.used[i];
      numbers.push_back(found->second);
    }
    return numbers;
  }

 private:
  Report& whole_;
  std::unordered_map<std::string, std::uint32_t> known_;
};

/// Places that resolve to the same are one.
class Sites {
 public:
  Sites(std::vector<Site>& all, const std::function<Site(const Site&)>& resolve)
      : all_{all}, resolve_{resolve} {}

  std::vector<std::uint32_t> add(const std::vector<Site>& own) {
    std::vector<std::uint32_t> numbers;
    for (const auto& site : own) {
      const auto [found, is_new] = numbers_.emplace(site, 0);
      if (is_new) found->second = number(resolve_(site));
      numbers.push_back(found->second);
    }
    return numbers;
  }

 private:
  std::uint32_t number(const Site& site) {
    const auto [found, is_new] = resolved_.emplace(site, static_cast<std::uint32_t>(all_.size()));
    if (is_new) all_.push_back(site);
    return found->second;
  }

  std::vector<Site>& all_;
  const std::function<Site(const Site&)>& resolve_;
  std::map<Site, std::uint32_t> numbers_;
  std::map<Site, std::uint32_t> resolved_;
};

}  // namespace

bool has_further_threads(const Report& report) {
  return std::ranges::any_of(report.ranks,
                             [](const auto& one) { return !one.further_threads.empty(); });
}

std::string to_bytes(const Report& report) {
  Pack pack;
  pack.add(report.names, [&](const auto& name) { pack.add(std::string_view{name}); });
  pack.add(report.used, [&](auto used) { pack.add(std::uint64_t{used}); });
  pack.add(report.sites, [&](const auto& one) {
    pack.add(std::string_view{one.function});
    pack.add(std::string_view{one.file});
    pack.add(std::uint64_t{one.line});
  });
  pack.add(report.communicators, [&](const auto& one) {
    pack.add(std::string_view{one.name});
    add(pack, one.members);
    add(pack, one.others);
    pack.add(std::uint64_t{one.is_window});
  });
  pack.add(report.origins, [&](const auto& one) {
    pack.add(std::uint64_t{one.parent});
    pack.add(std::string_view{one.tag});
  });
  pack.add(report.ranks, [&](const auto& one) {
    pack.add(static_cast<std::uint64_t>(one.rank));
    pack.add(std::string_view{one.host});
    pack.add(one.events);
    pack.add(one.further_threads, [&](const auto& thread) {
      pack.add(thread.number);
      pack.add(thread.events);
    });
    pack.add(one.last_time);
    pack.add(static_cast<std::uint64_t>(one.threads));
    pack.add(std::uint64_t{one.is_complete});
    pack.add(std::string_view{one.problem});
  });
  return pack.bytes();
}

Report to_report(const std::string& bytes) {
  Unpack pack{bytes};
  Report report;
  pack.list([&] { report.names.push_back(pack.text()); });
  pack.list([&] { report.used.push_back(static_cast<std::uint8_t>(pack.number())); });
  pack.list([&] {
    auto& one = report.sites.emplace_back();
    one.function = pack.text();
    one.file = pack.text();
    one.line = static_cast<std::uint32_t>(pack.number());
  });
  pack.list([&] {
    auto& one = report.communicators.emplace_back();
    one.name = pack.text();
    one.members = ranks(pack);
    one.others = ranks(pack);
    one.is_window = pack.number() != 0;
  });
  pack.list([&] {
    auto& one = report.origins.emplace_back();
    one.parent = static_cast<std::uint32_t>(pack.number());
    one.tag = pack.text();
  });
  pack.list([&] {
    auto& one = report.ranks.emplace_back();
    one.rank = static_cast<std::int32_t>(pack.number());
    one.host = pack.text();
    one.events = pack.number();
    pack.list([&] {
      auto& thread = one.further_threads.emplace_back();
      thread.number = pack.number();
      thread.events = pack.number();
    });
    one.last_time = pack.number();
    one.threads = static_cast<int>(pack.number());
    one.is_complete = pack.number() != 0;
    one.problem = pack.text();
  });
  return report;
}

std::vector<std::uint32_t> region_numbers(const std::vector<std::uint8_t>& used) {
  std::vector<std::uint32_t> numbers;
  std::uint32_t next = 0;
  for (const auto one : used) {
    const bool is_call = one != 2;
    numbers.push_back(next);
    numbers.push_back(next + (is_call ? 1 : 0));
    next += one == 3 ? 2 : 1;
  }
  return numbers;
}

Unified unify(const std::vector<Report>& reports, const std::function<Site(const Site&)>& resolve) {
  Unified all;
  Sites sites{all.whole.sites, resolve};
  Communicators communicators{all.whole.communicators};
  Names names{all.whole};
  std::vector<std::vector<std::uint32_t>> names_of;
  for (const auto& one : reports) {
    names_of.push_back(names.add(one));
    all.numbers.push_back({{}, communicators.add(one), {}, sites.add(one.sites)});
    all.whole.ranks.insert(all.whole.ranks.end(), one.ranks.begin(), one.ranks.end());
  }
  std::ranges::sort(all.whole.ranks, {}, &RankReport::rank);
  const auto numbers = region_numbers(all.whole.used);
  const auto windows = window_numbers(all.whole.communicators);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    for (const auto name : names_of[i]) {
      all.numbers[i].regions.push_back(numbers[region_of(name, false)]);
      all.numbers[i].regions.push_back(numbers[region_of(name, true)]);
    }
    if (windows.empty()) continue;
    for (const auto context : all.numbers[i].communicators) {
      all.numbers[i].windows.push_back(windows[context]);
    }
  }
  return all;
}

std::vector<std::uint32_t> window_numbers(const std::vector<Communicator>& all) {
  std::vector<std::uint32_t> numbers;
  std::uint32_t next = 0;
  for (const auto& one : all) {
    numbers.push_back(next);
    next += one.is_window ? 1 : 0;
  }
  if (next == 0) return {};
  return numbers;
}

std::string to_bytes(const Unified::Numbers& numbers) {
  Pack pack;
  pack.add(numbers.regions, [&](auto one) { pack.add(std::uint64_t{one}); });
  pack.add(numbers.communicators, [&](auto one) { pack.add(std::uint64_t{one}); });
  pack.add(numbers.windows, [&](auto one) { pack.add(std::uint64_t{one}); });
  pack.add(numbers.sites, [&](auto one) { pack.add(std::uint64_t{one}); });
  return pack.bytes();
}

Unified::Numbers to_numbers(const std::string& bytes) {
  Unpack pack{bytes};
  Unified::Numbers numbers;
  pack.list([&] { numbers.regions.push_back(static_cast<std::uint32_t>(pack.number())); });
  pack.list([&] { numbers.communicators.push_back(static_cast<std::uint32_t>(pack.number())); });
  pack.list([&] { numbers.windows.push_back(static_cast<std::uint32_t>(pack.number())); });
  pack.list([&] { numbers.sites.push_back(static_cast<std::uint32_t>(pack.number())); });
  return numbers;
}

}  // namespace commgauge::trace
