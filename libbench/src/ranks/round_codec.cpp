#include "ranks/round_codec.hpp"

#include <bit>
#include <cstddef>

namespace commgauge::bench {

namespace {

void put(std::vector<std::int64_t>& out, const std::vector<int>& ranks) {
  out.push_back(static_cast<std::int64_t>(ranks.size()));
  out.insert(out.end(), ranks.begin(), ranks.end());
}

void put(std::vector<std::int64_t>& out, const Experiment& e) {
  out.insert(out.end(),
             {static_cast<std::int64_t>(e.kind), e.root, static_cast<std::int64_t>(e.out.value),
              static_cast<std::int64_t>(e.back.value), e.check ? 1 : 0, e.messages,
              std::bit_cast<std::int64_t>(e.delay.value), e.processes});
  put(out, e.peers);
  put(out, e.reply_order);
}

class RoundReader {
 public:
  explicit RoundReader(std::span<const std::int64_t> numbers) : numbers_{numbers} {}

  [[nodiscard]] std::int64_t next() { return numbers_[position_++]; }
  [[nodiscard]] std::size_t count() { return static_cast<std::size_t>(next()); }
  [[nodiscard]] std::vector<int> ranks() {
    std::vector<int> result(count());
    for (int& rank : result) rank = static_cast<int>(next());
    return result;
  }
  [[nodiscard]] Experiment experiment() {
    Experiment e;
    e.kind = static_cast<Kind>(next());
    e.root = static_cast<int>(next());
    e.out = Bytes{static_cast<std::uint64_t>(next())};
    e.back = Bytes{static_cast<std::uint64_t>(next())};
    e.check = next() != 0;
    e.messages = static_cast<int>(next());
    e.delay = Seconds{std::bit_cast<double>(next())};
    e.processes = static_cast<int>(next());
    e.peers = ranks();
    e.reply_order = ranks();
    return e;
  }

 private:
  std::span<const std::int64_t> numbers_;
  std::size_t position_{};
};

}  // namespace

std::vector<std::int64_t> encode(const std::vector<Round>& rounds) {
  std::vector<std::int64_t> out{static_cast<std::int64_t>(rounds.size())};
  for (const Round& round : rounds) {
    out.push_back(static_cast<std::int64_t>(round.size()));
    for (const Group& group : round) {
      put(out, group.ranks);
      out.push_back(static_cast<std::int64_t>(group.experiments.size()));
      for (const Experiment& experiment : group.experiments) put(out, experiment);
    }
  }
  return out;
}

std::vector<Round> decode(std::span<const std::int64_t> numbers) {
  RoundReader reader(numbers);
  std::vector<Round> rounds(reader.count());
  for (Round& round : rounds) {
    round.resize(reader.count());
    for (Group& group : round) {
      group.ranks = reader.ranks();
      group.experiments.resize(reader.count());
      for (Experiment& experiment : group.experiments) experiment = reader.experiment();
    }
  }
  return rounds;
}

}  // namespace commgauge::bench
