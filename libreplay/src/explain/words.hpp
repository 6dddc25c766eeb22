#pragma once

#include <string>

#include "commgauge/replay/explain/answer.hpp"
#include "commgauge/replay/explain/balance.hpp"
#include "commgauge/replay/explain/domino_path.hpp"
#include "commgauge/replay/explain/whereabouts.hpp"
#include "paths/waits.hpp"

/// Titles and advice, for people.
namespace commgauge::replay {

/// The waits of a group, together.
struct WaitSums {
  double waited{};          ///< on the critical path [s]
  double late{};            ///< of that, until partners had sent or come [s]
  double asleep{};          ///< of that, while partners slept [s]
  double for_threads{};     ///< of that, for others of their rank [s]
  int partner{every_rank};  ///< for whom nearly all of them waited, if for one
  std::size_t waiting{};    ///< how many ranks
};

[[nodiscard]] std::string title_of(const Wait& wait, const Whereabouts& where, double time);
[[nodiscard]] std::string advice_for(const Wait& wait, const Whereabouts& where);
/// Of all waits of a call, a region or a rank.
[[nodiscard]] std::string title_of(Answer::Kind kind, const Whereabouts& where);
[[nodiscard]] std::string advice_for(Answer::Kind kind, const Whereabouts& where,
                                     const WaitSums& sums);
[[nodiscard]] std::string title_of(const Balance& balance);
[[nodiscard]] std::string advice_for(const Balance& balance);
[[nodiscard]] std::string title_of(const DominoPath& path);
[[nodiscard]] std::string advice_for(const DominoPath& path);

}  // namespace commgauge::replay
