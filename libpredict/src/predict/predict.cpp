#include "commgauge/predict/predict.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/predict/draws.hpp"
#include "commgauge/simulate/machine/wanted_machine.hpp"
#include "predict/case.hpp"
#include "predict/formulas.hpp"
#include "predict/on_machine.hpp"

namespace commgauge {

namespace {

using simulate::ScheduledCollective;

/// Nothing is sent at once of empty blocks, and they overlap in turn, too.
ScheduledCollective scheduled(const Query& query, int ranks) {
  const bool is_empty = query.algorithm == Algorithm::at_once && query.size.value == 0;
  return {collective_of(query, ranks), is_empty ? Algorithm::flat : query.algorithm};
}

/// On which no message waits behind data: chance decides which one would.
simulate::Machine in_step(simulate::Machine machine) {
  machine.requests_queue = false;
  return machine;
}

/// Over what chance makes of it. @param machine  on which no message is late
PredictedCollective over_draws(const Prediction& on_time, const simulate::Machine& machine,
                               const MessageJitter& lateness, double confidence,
                               std::optional<int> processes, const ScheduledCollective& one) {
  const Draws draws = drawn(machine, lateness, confidence, [&](const auto& late) {
    return on_machine::time(late, processes, one).value;
  });
  return {with_draws(on_time, on_time.time.value, draws), draws.times};
}

/// A collective, with the draws of what chance makes of it.
struct Drawn {
  PredictedCollective prediction;
  ReplicateTimes replicates;
};

/// By how much it may take longer than what is told [s]: out of step, unless draws tell what a
/// meeting does then; and where several pairs take longer at once, which an exchange alone isn't.
double longer(const simulate::Machine& machine, const ScheduledCollective& one,
              const Prediction& told, bool has_draws) {
  const bool is_exchange = one.what.operation == Operation::exchange;
  if (has_draws && is_exchange) return 0;
  if (has_draws && is_meeting(one.what.operation)) {
    return told.time.value * (simulate::at_once(machine) - 1);
  }
  const auto found =
      simulate::desynchronisation(is_exchange ? simulate::of_one_pair(machine) : machine, one);
  return found ? found->longer() : 0;
}

/// Of each, with what chance makes of it, and up to what it takes out of step.
std::vector<Drawn> drawn_collectives(const Model& model, const simulate::Machine& machine,
                                     std::optional<int> processes,
                                     std::span<const ScheduledCollective> all,
                                     const on_machine::Replicates& replicated = {}) {
  const auto lateness = simulate::chance_of(model, machine);
  std::vector<Drawn> told;
  for (auto& [on_time, replicates] : on_machine::predict(
           model, lateness ? in_step(machine) : machine, processes, all, replicated)) {
    const ScheduledCollective& one = all[told.size()];
    PredictedCollective prediction =
        lateness ? over_draws(on_time, machine, *lateness, model.confidence, processes, one)
                 : PredictedCollective{on_time, {}};
    const double later = prediction.time.value - on_time.time.value;
    for (double& time : replicates.times_s) time += later;
    replicates.chance_s = std::abs(later);
    // Without an interval `high` stays NaN.
    prediction.high.value += longer(machine, one, on_time, lateness.has_value());
    told.push_back({std::move(prediction), std::move(replicates)});
  }
  return told;
}

/// Those that an exchange or ring is made of.
std::vector<Query> messages_of(const Query& meeting, int ranks) {
  std::vector<int> members{meeting.from};
  std::ranges::copy(collective_of(meeting, ranks).order, std::back_inserter(members));
  std::vector<Query> messages;
  for (std::size_t k = 0; k < members.size(); ++k) {
    messages.push_back({meeting.model, Operation::p2p, members[k],
                        members[(k + 1) % members.size()], meeting.size});
    messages.back().processes = meeting.processes;
  }
  return messages;
}

bool is_measured(const Model& model, const Query& meeting) {
  return std::ranges::all_of(messages_of(meeting, model.ranks), [&](const Query& message) {
    return formulas::time(model, message).has_value();
  });
}

/// Of each of the queries that are meetings, by its place. None of those with a pair that was not
/// measured.
using Meetings = std::map<std::size_t, Drawn>;

/// Of queries of one number of processes.
void add_meetings(const Model& model, const simulate::Machine& machine,
                  std::span<const Query> queries, const std::vector<std::size_t>& places,
                  Meetings& meetings) {
  std::vector<ScheduledCollective> all;
  for (const std::size_t k : places) all.push_back(scheduled(queries[k], model.ranks));
  const auto has_all = [&](const Model& one, std::size_t k) {
    return is_measured(one, queries[places[k]]);
  };
  std::vector<Drawn> drawn = drawn_collectives(model, machine, queries[places.front()].processes,
                                               all, {.is_measured = has_all, .may_be_moved = true});
  for (std::size_t k = 0; k < places.size(); ++k) {
    const std::vector<Query> messages = messages_of(queries[places[k]], model.ranks);
    drawn[k].prediction.extrapolated = std::ranges::any_of(
        messages, [&](const Query& one) { return formulas::is_extrapolated(model, one); });
    meetings.emplace(places[k], std::move(drawn[k]));
  }
}

Meetings meetings_among(const Model& model, std::span<const Query> queries) {
  std::map<std::optional<int>, std::vector<std::size_t>> places;  // by processes
  for (std::size_t k = 0; k < queries.size(); ++k) {
    if (!is_meeting(queries[k].operation)) continue;
    check_meeting(model, queries[k]);
    if (is_measured(model, queries[k])) places[queries[k].processes].push_back(k);
  }
  Meetings meetings;
  if (places.empty()) return meetings;
  const auto machine = on_machine::machine_if_possible(model, queries.front().model);
  if (!machine) return meetings;
  for (const auto& [processes, of_them] : places) {
    add_meetings(model, *machine, queries, of_them, meetings);
  }
  return meetings;
}

/// What the machine tells, by the query's place.
using Told = std::map<std::size_t, PredictedByReplicates>;

/// Of queries of one number of processes.
void add_told(const Model& model, const simulate::Machine& machine, std::span<const Query> queries,
              const std::vector<std::size_t>& places, Told& told) {
  std::vector<ScheduledCollective> collectives;
  for (const std::size_t k : places) collectives.push_back(scheduled(queries[k], model.ranks));
  const std::optional<int> processes = queries[places.front()].processes;
  const auto is_measured = [&](const Model& one, std::size_t k) {
    return formulas::time(one, queries[places[k]]).has_value();
  };
  auto all = on_machine::predict(model, machine, processes, collectives, {is_measured});
  for (std::size_t k = 0; k < places.size(); ++k) told.emplace(places[k], std::move(all[k]));
}

/// Of those that a formula answers, too, so that both refuse the same; and of meetings.
Told told_by_machine(const Model& model, std::span<const Query> queries) {
  Told told;
  for (auto& [k, drawn] : meetings_among(model, queries)) {
    told.emplace(k, PredictedByReplicates{drawn.prediction, std::move(drawn.replicates)});
  }
  std::map<std::optional<int>, std::vector<std::size_t>> places;  // by processes
  for (std::size_t k = 0; k < queries.size(); ++k) {
    if (is_meeting(queries[k].operation)) continue;
    if (formulas::are_the_machines(model, queries[k])) continue;
    if (formulas::time(model, queries[k])) places[queries[k].processes].push_back(k);
  }
  if (places.empty()) return told;
  const auto machine = on_machine::own_machine(model, queries.front().model);
  if (!machine) return told;
  for (const auto& [processes, of_them] : places) add_told(model, *machine, queries, of_them, told);
  return told;
}

/// A tree has messages of several pairs at once, each of which is told as if alone. Without an
/// interval `high` stays NaN.
void widen(Prediction& prediction, const Model& model, const Query& query) {
  const bool is_tree = query.operation != Operation::p2p && query.algorithm == Algorithm::binomial;
  if (is_tree) prediction.high.value += prediction.time.value * (simulate::at_once(model) - 1);
}

/// By a formula, or as the machine tells it.
std::optional<Prediction> prediction_of(const Model& model, const Query& query,
                                        const PredictedByReplicates* told) {
  if (is_meeting(query.operation)) {
    return told != nullptr ? std::optional{told->prediction} : std::nullopt;
  }
  auto prediction =
      told != nullptr ? std::optional{told->prediction} : formulas::predict(model, query);
  if (!prediction) return std::nullopt;
  if (told != nullptr) prediction->extrapolated = formulas::is_extrapolated(model, query);
  widen(*prediction, model, query);
  return prediction;
}

/// Whether the model was fitted for all sizes of the messages that have data.
bool is_inside(const Model& model, const std::string& name, const schedule::Collective& what,
               schedule::Algorithm algorithm) {
  const SizeSpan sizes = fitted_sizes(model, name);
  for (int rank = 0; rank < what.ranks; ++rank) {
    for (const schedule::Step& step : schedule_of(what, algorithm, rank).steps) {
      const Bytes size{step.here.count * what.unit.value};
      if (step.is_message() && size.value > 0 && (size < sizes.first || sizes.last < size)) {
        return false;
      }
    }
  }
  return true;
}

/// @throws InputError  always: why there is no answer.
void refuse(const Model& model, const Query& query) {
  if (is_meeting(query.operation)) (void)simulate::machine_of(model, query.model);
  formulas::refuse_unmeasured(model, query);
}

const PredictedByReplicates* find(const Told& told, std::size_t place) {
  const auto found = told.find(place);
  return found == told.end() ? nullptr : &found->second;
}

}  // namespace

std::vector<std::optional<PredictedByReplicates>> predict_with_replicates(
    const Model& model, std::span<const Query> queries) {
  const Told told = told_by_machine(model, queries);
  std::vector<std::optional<PredictedByReplicates>> all;
  for (std::size_t k = 0; k < queries.size(); ++k) {
    const PredictedByReplicates* const known = find(told, k);
    const auto prediction = prediction_of(model, queries[k], known);
    all.emplace_back();
    if (!prediction) continue;
    all.back() = {*prediction,
                  known != nullptr ? known->replicates : formulas::replicates(model, queries[k])};
  }
  return all;
}

std::vector<std::optional<Prediction>> predict_if_measured(const Model& model,
                                                           std::span<const Query> queries) {
  const Told told = told_by_machine(model, queries);
  std::vector<std::optional<Prediction>> all;
  for (std::size_t k = 0; k < queries.size(); ++k) {
    all.push_back(prediction_of(model, queries[k], find(told, k)));
  }
  return all;
}

std::optional<Prediction> predict_if_measured(const Model& model, const Query& query) {
  return predict_if_measured(model, std::span{&query, 1}).front();
}

std::vector<Prediction> predict(const Model& model, std::span<const Query> queries) {
  const auto found = predict_if_measured(model, queries);
  std::vector<Prediction> all;
  for (std::size_t k = 0; k < queries.size(); ++k) {
    if (!found[k]) refuse(model, queries[k]);
    all.push_back(*found[k]);
  }
  return all;
}

Prediction predict(const Model& model, const Query& query) {
  return predict(model, std::span{&query, 1}).front();
}

std::vector<std::optional<Seconds>> predict_times(const Model& model,
                                                  std::span<const Query> queries) {
  std::vector<std::optional<Seconds>> times;
  std::optional<simulate::Machine> machine;
  bool is_made = false;
  for (const Query& query : queries) {
    if (is_meeting(query.operation)) {
      const auto found = predict_if_measured(model, query);
      times.push_back(found ? std::optional{found->time} : std::nullopt);
      continue;
    }
    times.push_back(formulas::time(model, query));
    if (!times.back() || formulas::are_the_machines(model, query)) continue;
    if (!std::exchange(is_made, true)) machine = on_machine::own_machine(model, query.model);
    if (!machine) continue;
    times.back() = on_machine::time(*machine, query.processes, scheduled(query, model.ranks));
  }
  return times;
}

std::optional<Seconds> predict_time_if_measured(const Model& model, const Query& query) {
  return predict_times(model, std::span{&query, 1}).front();
}

Seconds predict_time(const Model& model, const Query& query) {
  const auto time = predict_time_if_measured(model, query);
  if (!time) refuse(model, query);
  return *time;
}

std::vector<PredictedCollective> predict_collectives(const Model& model, const std::string& name,
                                                     std::span<const ScheduledCollective> all) {
  const simulate::Machine machine = simulate::machine_of(model, name);
  std::vector<PredictedCollective> predictions;
  for (Drawn& drawn : drawn_collectives(model, machine, {}, all)) {
    const ScheduledCollective& one = all[predictions.size()];
    drawn.prediction.extrapolated = !is_inside(model, name, one.what, one.algorithm);
    predictions.push_back(std::move(drawn.prediction));
  }
  return predictions;
}

std::vector<PredictedCollective> predict_meetings(const Model& model,
                                                  std::span<const Query> queries) {
  Meetings meetings = meetings_among(model, queries);
  std::vector<PredictedCollective> predictions;
  for (std::size_t k = 0; k < queries.size(); ++k) {
    const auto found = meetings.find(k);
    if (found == meetings.end()) refuse(model, queries[k]);
    predictions.push_back(std::move(found->second.prediction));
  }
  return predictions;
}

PredictedCollective predict_collective(const Model& model, const std::string& name,
                                       const ScheduledCollective& one) {
  return predict_collectives(model, name, {&one, 1}).front();
}

std::vector<Prediction> predict_messages(const Model& model, const std::string& name, Side side,
                                         std::span<const PairMessage> messages,
                                         std::optional<int> processes) {
  return formulas::messages(model, name, side, messages, processes);
}

std::vector<MessageTime> predict_message_times(const Model& model, const std::string& name,
                                               Side side, std::span<const PairMessage> messages,
                                               std::optional<int> processes) {
  return formulas::message_times(model, name, side, messages, processes);
}

std::vector<int> serving_order(const Model& model, const Query& query) {
  return formulas::serving_order(model, query);
}

std::string why_no_interval(const Model& model, const std::string& name) {
  return formulas::why_no_interval(model, name);
}

void check_processes(const Model& model, int processes) {
  formulas::check_processes(model, processes);
}

}  // namespace commgauge
