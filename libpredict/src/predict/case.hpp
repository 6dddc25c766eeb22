#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/costs/message.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/predict/query.hpp"
#include "predict/prediction_rules.hpp"

namespace commgauge {

/// What a formula needs to know of a query.
struct Case {
  Operation operation;
  Side side;
  int root;  ///< sender of a p2p
  int ranks;
  bool is_star;                   ///< messages of one size between the root and everyone else
  bool at_once;                   ///< all of a star's are started before any is waited for
  std::vector<Message> messages;  ///< each after those that it waits for, a rank's in its order
  [[nodiscard]] bool scatters() const { return operation != Operation::gather; }
  [[nodiscard]] bool has_rendezvous() const {
    return std::ranges::any_of(messages, &Message::rendezvous);
  }
  /// Whether a message keeps both its ranks from other messages until it is over.
  [[nodiscard]] bool in_turn(const Message& m) const { return m.rendezvous() && !at_once; }
  [[nodiscard]] bool overlaps() const {
    return std::ranges::none_of(messages, [&](const Message& m) { return in_turn(m); });
  }
};

/// @throws InputError  as predict().
[[nodiscard]] Case case_of(const Model& model, const Query& query);

/// @throws InputError  as predict(), of what stands in the query by itself: ranks, order,
/// algorithm.
void check_ranks(const Model& model, const Query& query);
/// The same, and that nobody asks for one side, of an exchange or ring.
void check_meeting(const Model& model, const Query& query);
/// @param tells  of the query's model.
/// @throws InputError  the model doesn't tell that side's time of such a message.
void check_side(const Query& query, SenderTime tells, bool rendezvous);

/// Calls use(k, case) for each message. @throws InputError  as predict(), and which message.
template <class Use>
void for_each_message(const Model& model, const std::string& name, Side side,
                      std::span<const PairMessage> messages, Use&& use) {
  Query query;
  query.model = name;
  query.side = side;
  Case what{Operation::p2p, side, {}, model.ranks, false, false, {Message{}}};
  const double limit = eager_limit_of(model);
  const SenderTime tells = facts_of(name).tells.sender;
  std::size_t k = 0;
  try {
    for (; k < messages.size(); ++k) {
      const auto& [from, to, size] = messages[k];
      query.from = what.root = from;
      query.to = to;
      check_ranks(model, query);
      what.messages.front() = {from, to, static_cast<double>(size.value), limit};
      check_side(query, tells, what.messages.front().rendezvous());
      use(k, what);
    }
  } catch (const InputError& error) {
    throw InputError("a message from " + std::to_string(messages[k].from) + " to " +
                     std::to_string(messages[k].to) + ": " + error.what());
  }
}

}  // namespace commgauge
