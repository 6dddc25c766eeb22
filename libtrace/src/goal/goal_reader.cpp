#include <limits>
#include <string>
#include <string_view>

#include "commgauge/base/error.hpp"
#include "commgauge/base/file_kind.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/trace/goal/goal.hpp"
#include "goal/goal_labels.hpp"
#include "goal/goal_text.hpp"

namespace commgauge::trace {
namespace {

using Kind = GoalOperation::Kind;

constexpr std::uint64_t most_ranks = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t most_operations = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t largest_tag = goal_any - 1;
constexpr std::uint64_t largest_size = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t largest_place = std::numeric_limits<std::uint8_t>::max();

/// The grammar of LogGOPSim's txt2bin, but `cpu` and `nic` may each stand alone.
class Reader {
 public:
  Reader(const std::string& text, const std::string& name) : text_{text, name} {}

  Goal read() {
    if (!text_.skip_to_statement()) text_.fail("expected num_ranks");
    text_.expect("num_ranks", "num_ranks");
    ranks_ = text_.number(most_ranks, "the number of ranks");
    if (ranks_ == 0) text_.fail("there must be a rank");
    while (text_.skip_to_statement()) read_rank();
    if (goal_.ranks.size() < ranks_)
      text_.fail("rank " + std::to_string(goal_.ranks.size()) + " of " + std::to_string(ranks_) +
                 " lacks");
    return std::move(goal_);
  }

 private:
  void read_rank() {
    text_.expect("rank", "rank");
    const char* const place = text_.place();
    const std::uint64_t rank = text_.number(ranks_ - 1, "the rank");
    if (rank != goal_.ranks.size())
      text_.fail_at(place, "rank " + std::to_string(rank) + " stands in a wrong place",
                    "the next one is " + std::to_string(goal_.ranks.size()));
    text_.expect('{', "{");
    read_statements();
    goal_.ranks.push_back(rank_);  // a copy is as small as can be; the space of rank_ is used again
    rank_.operations.clear();
    rank_.dependencies.clear();
    labels_.clear();
  }

  void read_statements() {
    for (;;) {
      if (!text_.skip_to_statement()) text_.fail("expected }");
      if (text_.take('}')) return;
      const char* const place = text_.place();
      const std::string_view word = text_.word();
      if (word.empty()) text_.fail("expected an operation, a label or }");
      if (!read_operation(word)) read_labelled(word, place);
      text_.end_line();
    }
  }

  void read_labelled(std::string_view label, const char* place) {
    if (!text_.take(':')) return read_dependency(label, place);
    if (!labels_.add(label, static_cast<std::uint32_t>(rank_.operations.size())))
      text_.fail_at(place, "label " + std::string{label} + " is there already",
                    "a rank's labels differ");
    if (!read_operation(text_.word()))
      text_.fail_at(place, "expected send, recv or calc", "behind the label");
  }

  bool read_operation(std::string_view word) {
    if (word.size() != 4) return false;
    if (word == "send")
      read_message(Kind::send);
    else if (word == "recv")
      read_message(Kind::receive);
    else if (word == "calc")
      read_computing();
    else
      return false;
    return true;
  }

  GoalOperation& add(Kind kind) {
    if (rank_.operations.size() == most_operations) text_.fail("too many operations of a rank");
    GoalOperation& added = rank_.operations.emplace_back();
    added.kind = kind;
    return added;
  }

  void read_message(Kind kind) {
    const bool is_receive = kind == Kind::receive;
    GoalOperation& message = add(kind);
    message.size = text_.number(largest_size, "a size");
    text_.expect("b", "b");
    text_.expect(is_receive ? "from" : "to", is_receive ? "from" : "to");
    message.peer = number_or_any(ranks_ - 1, is_receive, "a rank");
    if (text_.take("tag")) message.tag = number_or_any(largest_tag, is_receive, "a tag");
    read_cpu(message);
    if (text_.take("nic"))
      message.nic = static_cast<std::uint8_t>(text_.number(largest_place, "a nic"));
  }

  void read_computing() {
    GoalOperation& computing = add(Kind::compute);
    computing.size = text_.number(largest_size, "a time");
    read_cpu(computing);
  }

  void read_cpu(GoalOperation& operation) {
    if (text_.take("cpu"))
      operation.cpu = static_cast<std::uint8_t>(text_.number(largest_place, "a cpu"));
  }

  std::uint32_t number_or_any(std::uint64_t most, bool may_be_any, const char* what) {
    if (may_be_any && text_.take_any()) return goal_any;
    return static_cast<std::uint32_t>(text_.number(most, what));
  }

  void read_dependency(std::string_view label, const char* place) {
    GoalDependency dependency;
    if (text_.take("irequires"))
      dependency.kind = GoalDependency::Kind::requires_start;
    else if (!text_.take("requires"))
      text_.fail("expected :, requires or irequires");
    dependency.operation = find(label, place);
    const std::string_view on = text_.word();
    if (on.empty()) text_.fail("expected a label");
    dependency.on = find(on, place);
    rank_.dependencies.push_back(dependency);
  }

  std::uint32_t find(std::string_view label, const char* place) const {
    const std::uint32_t found = labels_.find(label);
    if (found == detail::GoalLabels::none)
      text_.fail_at(place, "no operation is labelled " + std::string{label},
                    "labels stand before what uses them");
    return found;
  }

  detail::GoalText text_;
  detail::GoalLabels labels_;
  GoalRank rank_;
  Goal goal_;
  std::uint64_t ranks_{};
};

}  // namespace

std::size_t Goal::operations() const {
  std::size_t sum = 0;
  for (const GoalRank& rank : ranks) sum += rank.operations.size();
  return sum;
}

Goal goal_from(const std::string& text, const std::string& name) {
  return Reader(text, name).read();
}

Goal read_goal(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  refuse_other_kinds(text, file.string(), "a GOAL schedule", {"GOAL"});
  return goal_from(text, file.string());
}

}  // namespace commgauge::trace
