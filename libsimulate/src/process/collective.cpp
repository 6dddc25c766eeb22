#include "commgauge/simulate/process/collective.hpp"

#include <algorithm>
#include <utility>

namespace commgauge::simulate {

bool Over::await_ready() const { return std::ranges::all_of(requests, &Request::done); }

void Over::await_suspend(std::coroutine_handle<> self) const {
  current_activity->resume = self;
  for (const auto& request : requests) {
    if (!request->done) current_activity->awaited.push_back(request.get());
  }
}

Task perform(schedule::Schedule what, Performer& performer, std::optional<InTurn> in_turn) {
  Requests started;
  bool is_exchange = false;
  for (std::size_t k = 0; k < what.steps.size(); ++k) {
    const schedule::Step& step = what.steps[k];
    if (in_turn && (k == 0 || what.steps[k - 1].round != step.round)) {
      is_exchange = is_in_turn(what, k);
    }
    if (step.is_message()) {
      started.push_back(performer.start(step));
      if (is_exchange) started.back()->in_turn = in_turn;
    } else {
      performer.work(step);
    }
    const bool ends = k + 1 == what.steps.size() || what.steps[k + 1].round != step.round;
    if (!ends || started.empty()) continue;
    co_await Over{started};
    for (const auto& request : started) performer.check(*request);
    started.clear();
  }
}

MessagesOnly::MessagesOnly(Group group, Bytes unit) : group_{std::move(group)}, unit_{unit} {}

std::unique_ptr<Request> MessagesOnly::start(const schedule::Step& step) {
  auto request = std::make_unique<Request>();
  request->kind =
      step.kind == schedule::Step::Kind::send ? Request::Kind::send : Request::Kind::receive;
  request->peer = group_.rank(step.peer);
  request->tag = group_.tag;
  request->context = group_.context;
  request->capacity = step.here.count * unit_.value;
  current_activity->carried_on_by->start(*request);
  return request;
}

}  // namespace commgauge::simulate
