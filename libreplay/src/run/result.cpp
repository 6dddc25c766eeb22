#include "commgauge/replay/run/result.hpp"

namespace commgauge::replay {

double Result::work() const {
  double sum = 0;
  for (const RankResult& rank : ranks) sum += rank.work;
  return sum;
}

double Result::computing() const {
  double sum = 0;
  for (const RankResult& rank : ranks) sum += rank.shares.computing;
  return sum;
}

double Result::utilisation() const {
  double all = 0;
  for (const RankResult& rank : ranks) all += whole(rank);
  return all > 0 ? computing() / all : 0;
}

double Result::utilisation(const RankResult& rank) const {
  return time > 0 ? rank.shares.computing / whole(rank) : 0;
}

}  // namespace commgauge::replay
