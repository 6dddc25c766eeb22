#include "classes/host_times.hpp"

#include <algorithm>
#include <cmath>

#include "commgauge/base/error.hpp"
#include "commgauge/base/places.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/unknown_value.hpp"

namespace commgauge {

namespace {

void find_hosts(const Survey& survey, HostTimes& hosts) {
  std::vector<std::string> names;
  for (const RankPlace& place : survey.ranks) names.push_back(place.host);
  hosts.host_of = numbered(names);
  hosts.ranks = places_of_numbers(hosts.host_of);
  for (const std::vector<int>& ranks : hosts.ranks) {
    hosts.names.push_back(names[at(ranks.front())]);
  }
}

void check(const SurveyedTrip& trip, std::size_t ranks) {
  const auto is_rank = [&](int rank) { return rank >= 0 && at(rank) < ranks; };
  if (!is_rank(trip.from) || !is_rank(trip.to) || trip.from == trip.to) {
    throw InputError("the survey has a round trip of ranks " + std::to_string(trip.from) + " and " +
                     std::to_string(trip.to) + " (the machine has " + std::to_string(ranks) +
                     ", from 0 on): calibrate again");
  }
  if (!(trip.time_s > 0)) {
    throw InputError("the survey has a time that is not above zero: calibrate again");
  }
}

/// Times of one size between a host's first rank and its others, both ways.
void put_within(const SurveyedTrip& trip, std::size_t layer, HostTimes& hosts) {
  const int host = hosts.host_of[at(trip.from)];
  const std::vector<int>& ranks = hosts.ranks[at(host)];
  const int other = trip.from == ranks.front() ? trip.to : trip.from;
  const auto place = static_cast<std::size_t>(std::ranges::find(ranks, other) - ranks.begin());
  double& time = hosts.star[layer][at(host)][place];
  time = std::isnan(time) ? trip.time_s : (time + trip.time_s) / 2;
}

void expect_all_pairs(const HostTimes& hosts) {
  for (int i = 0; i < hosts.hosts(); ++i) {
    for (int j = 0; j < hosts.hosts(); ++j) {
      if (i == j) continue;
      if (!std::isnan(hosts.between[0](i, j)) && !std::isnan(hosts.between[1](i, j))) continue;
      throw InputError("the survey has no round trip from host " + hosts.names[at(i)] + " to " +
                       hosts.names[at(j)] + ": calibrate again");
    }
  }
}

}  // namespace

HostTimes by_hosts(const Survey& survey) {
  HostTimes hosts;
  find_hosts(survey, hosts);
  for (const SurveyedTrip& trip : survey.trips) {
    hosts.largest = std::max(hosts.largest, static_cast<double>(trip.size.value));
  }
  hosts.between.fill(Matrix(hosts.hosts()));
  for (auto& star : hosts.star) {
    for (const std::vector<int>& ranks : hosts.ranks)
      star.emplace_back(ranks.size(), unknown_value);
  }
  for (const SurveyedTrip& trip : survey.trips) {
    check(trip, survey.ranks.size());
    const auto size = static_cast<double>(trip.size.value);
    if (size > 0 && size < hosts.largest) continue;
    const std::size_t layer = size > 0 ? 1 : 0;
    const int from = hosts.host_of[at(trip.from)];
    const int to = hosts.host_of[at(trip.to)];
    if (from == to) {
      put_within(trip, layer, hosts);
    } else {
      hosts.between[layer](from, to) = trip.time_s;
    }
  }
  for (std::size_t layer = 0; layer < 2; ++layer) {
    for (const std::vector<double>& star : hosts.star[layer]) {
      std::vector<double> times;
      std::ranges::copy_if(star, std::back_inserter(times),
                           [](double t) { return !std::isnan(t); });
      hosts.within[layer].push_back(times.empty() ? unknown_value : median(times));
    }
  }
  expect_all_pairs(hosts);
  return hosts;
}

}  // namespace commgauge
