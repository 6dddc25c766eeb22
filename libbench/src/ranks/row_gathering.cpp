#include "ranks/row_gathering.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>

#include "ranks/round_codec.hpp"

namespace commgauge::bench {

void put_in_order(std::vector<Observation>& rows) {
  std::ranges::stable_sort(
      rows, {}, [](const Observation& row) { return std::tuple(row.pass, row.experiment); });
}

std::vector<Observation> gather_rows(const Communicator& comm,
                                     const std::vector<Observation>& mine) {
  // The experiment travels as the numbers of a one-experiment round, the rest beside it.
  std::vector<Round> experiments;
  std::vector<double> values;
  for (const Observation& row : mine) {
    experiments.push_back({{{}, {row.experiment}}});
    values.insert(
        values.end(),
        {static_cast<double>(row.pass), row.time_s, row.low_s, row.high_s, row.sd_s, row.level,
         static_cast<double>(row.blocks), static_cast<double>(row.block_length),
         row.converged ? 1.0 : 0.0, static_cast<double>(row.lost_blocks),
         static_cast<double>(row.repeated_blocks), static_cast<double>(row.block_means_s.size())});
    values.insert(values.end(), row.block_means_s.begin(), row.block_means_s.end());
  }
  const auto gather = [&]<class T>(const std::vector<T>& part, MPI_Datatype type) {
    const int count = static_cast<int>(part.size());
    std::vector<int> counts(static_cast<std::size_t>(comm.size()));
    check(MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm.get()), "MPI_Gather");
    std::vector<int> starts(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
    std::vector<T> whole(comm.rank() == 0 ? static_cast<std::size_t>(starts.back() + counts.back())
                                          : 0);
    check(MPI_Gatherv(part.data(), count, type, whole.data(), counts.data(), starts.data(), type, 0,
                      comm.get()),
          "MPI_Gatherv");
    std::vector<std::span<const T>> parts;
    for (std::size_t i = 0; comm.rank() == 0 && i < counts.size(); ++i) {
      parts.push_back(std::span<const T>(whole).subspan(static_cast<std::size_t>(starts[i]),
                                                        static_cast<std::size_t>(counts[i])));
    }
    return std::pair{std::move(whole), std::move(parts)};
  };
  const auto [all_numbers, numbers] = gather(encode(experiments), MPI_INT64_T);
  const auto [all_values, value_parts] = gather(values, MPI_DOUBLE);

  std::vector<Observation> rows;
  for (std::size_t rank = 0; rank < numbers.size(); ++rank) {
    const double* v = value_parts[rank].data();
    for (Round& round : decode(numbers[rank])) {
      Observation row;
      row.experiment = std::move(round.front().experiments.front());
      row.pass = static_cast<int>(v[0]);
      row.time_s = v[1];
      row.low_s = v[2];
      row.high_s = v[3];
      row.sd_s = v[4];
      row.level = v[5];
      row.blocks = static_cast<int>(v[6]);
      row.block_length = static_cast<int>(v[7]);
      row.converged = v[8] != 0;
      row.lost_blocks = static_cast<int>(v[9]);
      row.repeated_blocks = static_cast<int>(v[10]);
      const auto kept = static_cast<std::size_t>(v[11]);
      row.block_means_s.assign(v + 12, v + 12 + kept);
      v += 12 + kept;
      rows.push_back(std::move(row));
    }
  }
  put_in_order(rows);
  return rows;
}

}  // namespace commgauge::bench
