#include "commgauge/replay/explain/answer.hpp"

namespace commgauge::replay {

std::string to_text(Answer::Kind kind) {
  switch (kind) {
    case Answer::Kind::wait:
      return "wait";
    case Answer::Kind::call_site:
      return "call_site";
    case Answer::Kind::region:
      return "region";
    case Answer::Kind::rank:
      return "rank";
    case Answer::Kind::balance:
      return "balance";
    case Answer::Kind::domino_path:
      return "domino_path";
    case Answer::Kind::all_waits:
      return "all_waits";
    case Answer::Kind::all_balanced:
      return "all_balanced";
    case Answer::Kind::both:
      return "both";
  }
  return "";
}

}  // namespace commgauge::replay
