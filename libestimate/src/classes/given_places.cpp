#include "commgauge/classes/given_places.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/file_kind.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/base/whole_number.hpp"
#include "commgauge/classes/find_classes.hpp"
#include "commgauge/measurements/measurements.hpp"

namespace commgauge {

namespace {

constexpr int most_ranks = 1 << 20;

std::optional<int> number_in(std::string_view text) {
  const std::optional<int> number = whole_number(text);
  return number && *number < most_ranks ? number : std::nullopt;
}

/// "3" or "0-15": first and last.
std::optional<std::pair<int, int>> ranks_in(const std::string& text) {
  const std::size_t dash = text.find('-');
  const auto first = number_in(std::string_view(text).substr(0, dash));
  const auto last =
      dash == std::string::npos ? first : number_in(std::string_view(text).substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return std::pair(*first, *last);
}

std::vector<GivenPlace> places_of(const Survey& survey) {
  const MachineClasses classes = find_classes(survey);
  std::vector<GivenPlace> places;
  for (std::size_t rank = 0; rank < survey.ranks.size(); ++rank) {
    const auto kind = static_cast<std::size_t>(classes.pairs->of(static_cast<int>(rank)).kind);
    places.push_back({survey.ranks[rank].host, classes.kinds[kind].name});
  }
  return places;
}

}  // namespace

std::vector<GivenPlace> places_from_text(const std::string& text, const std::string& name) {
  refuse_other_kinds(text, name, "a list of ranks and their hosts");
  std::map<int, GivenPlace> known;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const auto fail = [&](const std::string& problem) {
      throw InputError(name + ", line " + std::to_string(number) + ": " + problem +
                       ": give ranks, host and kind, such as 0-15 n1 big");
    };
    line.erase(std::ranges::find(line, '#'), line.end());
    std::istringstream words(line);
    std::string ranks;
    GivenPlace place;
    std::string more;
    if (!(words >> ranks)) continue;
    if (!(words >> place.host >> place.kind) || words >> more) fail("it hasn't three words");
    const auto range = ranks_in(ranks);
    if (!range) fail("'" + ranks + "' is no rank and no range of ranks");
    for (int rank = range->first; rank <= range->second; ++rank) {
      if (!known.emplace(rank, place).second)
        fail("rank " + std::to_string(rank) + " is there twice");
    }
  }
  std::vector<GivenPlace> places;
  for (const auto& [rank, place] : known) {
    if (rank != static_cast<int>(places.size())) {
      throw InputError(name + " has no line for rank " + std::to_string(places.size()) +
                       " (every rank is somewhere): give it one");
    }
    places.push_back(place);
  }
  if (places.empty()) {
    throw InputError(name + " has no line: give ranks, host and kind, such as 0-15 n1 big");
  }
  return places;
}

std::vector<GivenPlace> load_places(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  if (!text.starts_with('{')) return places_from_text(text, file.string());
  const Measurements measurements = measurements_from_json(text, file.string());
  return measurements.survey ? places_of(*measurements.survey) : std::vector<GivenPlace>{};
}

}  // namespace commgauge
