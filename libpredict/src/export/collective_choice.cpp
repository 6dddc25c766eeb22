#include "export/collective_choice.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "commgauge/base/error.hpp"
#include "commgauge/base/printable.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/costs/message.hpp"
#include "commgauge/model/contention.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/predict/by_replicates.hpp"
#include "commgauge/predict/collective_plan.hpp"
#include "commgauge/predict/tree.hpp"
#include "export/exporters.hpp"

namespace commgauge {

namespace {

constexpr double same_time = 1e-9;  ///< relative; round-off
constexpr double steps_per_octave = 16;

/// Sizes of the subtrees whose blocks one message holds; 1 among them.
std::set<std::uint64_t> subtrees(int ranks, Operation operation) {
  std::set<std::uint64_t> sizes{1};
  if (operation == Operation::bcast) return sizes;
  for (const Branch& branch : binomial_tree(ranks, 0)) {
    sizes.insert(static_cast<std::uint64_t>(branch.ranks));
  }
  return sizes;
}

struct Times {
  double flat{};
  double tree{};
  /// Nothing where they are the same.
  [[nodiscard]] std::optional<Algorithm> faster() const {
    if (std::abs(flat - tree) <= same_time * tree) return std::nullopt;
    return flat < tree ? Algorithm::flat : Algorithm::binomial;
  }
  [[nodiscard]] double of(Algorithm algorithm) const {
    return algorithm == Algorithm::flat ? flat : tree;
  }
};

Algorithm flat_of(Operation operation, const FlatAlgorithms& flat) {
  if (operation == Operation::scatter) return flat.scatter;
  return operation == Operation::gather ? flat.gather : flat.bcast;
}

class Search {
 public:
  /// @param central  the model without its replicates, as it tells times
  Search(const Model& model, const Model& central, const std::string& name, Operation operation,
         const RuledLibrary& library)
      : model_(model),
        central_(central),
        name_(name),
        operation_(operation),
        library_(library),
        roots_(compared_ranks(model.ranks)) {
    const SizeSpan fitted = fitted_sizes(model, name);
    first_ = fitted.first.value;
    last_ = std::min(fitted.last.value, INT_MAX / size_factor(model, operation));
    if (first_ > last_) {
      throw InputError("the smallest size that the model was fitted for, " +
                       to_text(Bytes{first_}) +
                       ", is beyond what MPI's counts hold for all ranks together: calibrate with "
                       "smaller messages");
    }
  }

  [[nodiscard]] CollectiveChoice choose() {
    CollectiveChoice choice{operation_, ranges(), 0, {}};
    for (const SizeRange& range : choice.ranges) {
      if (!range.algorithm) continue;
      for (const std::uint64_t size : looked_at(range)) {
        choice.worst_excess = std::max(choice.worst_excess, excess(size, *range.algorithm));
      }
    }
    choice.uncertain = uncertain(choice.ranges);
    return choice;
  }

 private:
  [[nodiscard]] Query query(int root, std::uint64_t size, Algorithm algorithm) const {
    return {
        .model = name_,
        .operation = operation_,
        .from = root,
        .size = Bytes{size},
        .algorithm = algorithm == Algorithm::flat ? flat_of(operation_, library_.flat) : algorithm};
  }
  [[nodiscard]] double time(const Query& query, const std::optional<Seconds>& told) const {
    const double value = told ? told->value : predict_time(model_, query).value;  // which refuses
    if (value > 0) return value;
    throw InputError(name_ + " predicts no time above 0 for a " + std::string(to_text(operation_)) +
                     " of " + to_text(query.size) +
                     " (some of its parameters are negative): give another model with --model");
  }
  /// Of all roots, of one machine for all sizes together.
  void ask(const std::set<std::uint64_t>& sizes) {
    std::vector<Query> queries;
    for (const std::uint64_t size : sizes) {
      if (known_.contains(size)) continue;
      for (const int root : roots_) {
        queries.push_back(query(root, size, Algorithm::flat));
        queries.push_back(query(root, size, Algorithm::binomial));
      }
    }
    const auto told = predict_times(central_, queries);
    for (std::size_t k = 0; k < queries.size(); k += 2) {
      known_[queries[k].size.value].push_back(
          {time(queries[k], told[k]), time(queries[k + 1], told[k + 1])});
    }
  }
  /// Of all roots.
  const std::vector<Times>& times_of(std::uint64_t size) {
    if (!known_.contains(size)) ask({size});
    return known_.at(size);
  }
  std::optional<Algorithm> faster(std::uint64_t size) {
    Times sum;
    for (const Times& one : times_of(size)) {
      sum.flat += one.flat;
      sum.tree += one.tree;
    }
    return sum.faster();
  }

  double excess(std::uint64_t size, Algorithm algorithm) {
    double most = 0;
    for (const Times& times : times_of(size)) {
      most = std::max(most, times.of(algorithm) / std::min(times.flat, times.tree) - 1);
    }
    return most;
  }

  /// Of each size, whether it is so for all roots.
  [[nodiscard]] std::vector<bool> are_certain(const std::set<std::uint64_t>& sizes,
                                              Algorithm algorithm) const {
    std::vector<Query> queries;
    for (const std::uint64_t size : sizes) {
      for (const int root : roots_) queries.push_back(query(root, size, Algorithm::flat));
    }
    const std::vector<FasterAlgorithm> found = faster_algorithms(model_, queries);
    std::vector<bool> certain(sizes.size(), true);
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (!found[k].certain || found[k].algorithm != algorithm) certain[k / roots_.size()] = false;
    }
    return certain;
  }

  [[nodiscard]] std::vector<std::pair<Bytes, Bytes>> uncertain(
      const std::vector<SizeRange>& ranges) const {
    std::vector<std::pair<Bytes, Bytes>> found;
    bool continues = false;
    for (const SizeRange& range : ranges) {
      if (!range.algorithm) {
        continues = false;
        continue;
      }
      const std::set<std::uint64_t> sizes = doublings(range);
      const std::vector<bool> certain = are_certain(sizes, *range.algorithm);
      auto is_certain = certain.begin();
      for (const std::uint64_t size : sizes) {
        if (*is_certain++) {
          continues = false;
          continue;
        }
        if (!continues) found.emplace_back(Bytes{size}, Bytes{size});
        found.back().second = Bytes{size};
        continues = true;
      }
    }
    return found;
  }

  /// Within a range both ends, where predicted times jump, on both sides, and a grid between.
  [[nodiscard]] std::set<std::uint64_t> looked_at(const SizeRange& range) const {
    const std::uint64_t first = range.first.value;
    const std::uint64_t last = range.last.value;
    std::set<std::uint64_t> sizes{first, last};
    const auto add = [&](double size) {
      if (size > static_cast<double>(first) && size < static_cast<double>(last)) {
        sizes.insert(static_cast<std::uint64_t>(size));
      }
    };
    for (const std::uint64_t blocks : subtrees(model_.ranks, operation_)) {
      const double largest_eager = std::floor(eager_limit_of(model_) / static_cast<double>(blocks));
      add(largest_eager);
      add(largest_eager + 1);
    }
    for (double size = 1; size < static_cast<double>(last);
         size *= std::exp2(1 / steps_per_octave)) {
      add(size);
    }
    return sizes;
  }

  /// The smallest size above `before`, up to `at`, from which on `algorithm` is faster.
  std::uint64_t change(std::uint64_t before, std::uint64_t at, Algorithm algorithm) {
    while (at - before > 1) {
      const std::uint64_t middle = before + (at - before) / 2;
      (faster(middle) == algorithm ? at : before) = middle;
    }
    return at;
  }

  /// By what the library takes itself; those that are compared have no name.
  [[nodiscard]] std::vector<SizeRange> own_ranges() const {
    const schedule::Collective what =
        collective_of(query(0, first_, Algorithm::flat), model_.ranks);
    std::vector<SizeRange> found;
    for (const auto& [from, name] : library_.own(model_, what)) {
      if (from.value > last_) break;
      const bool is_compared =
          std::ranges::find(library_.compared, name) != library_.compared.end();
      const std::string own = is_compared ? "" : name;
      const std::uint64_t first = std::max(from.value, first_);
      if (from.value <= first_) found.clear();
      if (!found.empty()) found.back().last = Bytes{first - 1};
      if (found.empty() || found.back().own != own) found.push_back({Bytes{first}, {}, {}, own});
    }
    found.back().last = Bytes{last_};
    return found;
  }

  void add_choices(std::vector<SizeRange>& found, const SizeRange& range) {
    const std::set<std::uint64_t> sizes = looked_at(range);
    ask(sizes);
    std::uint64_t start = range.first.value;
    std::uint64_t before = start;
    Algorithm current = faster(start).value_or(Algorithm::flat);
    for (const std::uint64_t size : sizes) {
      const Algorithm now = faster(size).value_or(current);
      if (now != current) {
        const std::uint64_t next = change(before, size, now);
        found.push_back({Bytes{start}, Bytes{next - 1}, current});
        start = next;
        current = now;
      }
      before = size;
    }
    found.push_back({Bytes{start}, range.last, current});
  }

  std::vector<SizeRange> ranges() {
    std::vector<SizeRange> found;
    for (const SizeRange& range : own_ranges()) {
      if (range.own.empty()) {
        add_choices(found, range);
      } else {
        found.push_back(range);
      }
    }
    return found;
  }

  static std::set<std::uint64_t> doublings(const SizeRange& range) {
    std::set<std::uint64_t> sizes{range.first.value, range.last.value};
    for (std::uint64_t size = 1; size < range.last.value; size *= 2) {
      if (size > range.first.value) sizes.insert(size);
    }
    return sizes;
  }

  const Model& model_;
  const Model& central_;
  const std::string& name_;
  Operation operation_;
  const RuledLibrary& library_;
  std::vector<int> roots_;
  std::uint64_t first_{};
  std::uint64_t last_{};
  std::map<std::uint64_t, std::vector<Times>> known_;  ///< by size
};

/// Whether predictions know the links that ranks of a host, or hosts, share: where the model can be
/// a machine.
bool sees_shared_links(const Model& model, const std::string& name) {
  if (!has_host_limits(model) && !model.fabric) return false;
  const Query query{name, Operation::bcast, 0, -1, fitted_sizes(model, name).first};
  const auto told = predict_if_measured(model, query);
  return told && told->on_machine;
}

}  // namespace

std::vector<CollectiveChoice> choose_collectives(const Model& model, const std::string& name,
                                                 const RuledLibrary& library) {
  if (model.ranks < 4) {
    throw InputError(
        "the model has " + std::to_string(model.ranks) +
        " ranks, of which a tree is a star: there is nothing to choose, calibrate 4 or "
        "more");
  }
  const bool sees_links = sees_shared_links(model, name);
  Model central = without_replicates(model);
  if (!sees_links) {
    central.host_links.reset();
    central.fabric.reset();
  }
  std::vector<CollectiveChoice> choices;
  for (const Operation operation : {Operation::scatter, Operation::gather, Operation::bcast}) {
    choices.push_back(Search(model, central, name, operation, library).choose());
    choices.back().sees_shared_links = sees_links;
  }
  return choices;
}

namespace {

std::string sizes_text(Bytes first, Bytes last) {
  const std::string from = to_text(first);
  const std::string to = to_text(last);
  return from == to ? from : from + " to " + to;
}

std::string uncertain_text(const CollectiveChoice& choice) {
  std::vector<std::string> ranges;
  for (const auto& [first, last] : choice.uncertain) ranges.push_back(sizes_text(first, last));
  return std::string(to_text(choice.operation)) + " of " + comma_list(ranges);
}

std::string own_text(const CollectiveChoice& choice) {
  std::vector<std::string> ranges;
  for (const SizeRange& range : choice.ranges) {
    if (range.algorithm) continue;
    ranges.push_back(sizes_text(range.first, range.last) + " (" + range.own + ")");
  }
  return ranges.empty() ? "" : std::string(to_text(choice.operation)) + " of " + comma_list(ranges);
}

/// Nothing where there are rules for all sizes.
std::optional<std::string> without_rules(const std::vector<CollectiveChoice>& choices,
                                         const std::string& library) {
  std::string text;
  for (const CollectiveChoice& choice : choices) {
    const std::string own = own_text(choice);
    if (!own.empty()) text += (text.empty() ? "" : "; ") + own;
  }
  if (text.empty()) return std::nullopt;
  return "sizes at which " + library +
         "'s own choice is neither of the two, which isn't predicted: there is no rule, and it "
         "stays: " +
         text;
}

/// Nothing where there are none, or the times are of a machine that has them.
std::optional<std::string> unseen_links(const std::optional<std::string>& loss,
                                        const std::vector<CollectiveChoice>& choices) {
  return choices.front().sees_shared_links ? std::nullopt : loss;
}

/// Nothing where all choices are certain.
std::optional<std::string> uncertainty(const std::vector<CollectiveChoice>& choices) {
  std::string text;
  for (const CollectiveChoice& choice : choices) {
    if (choice.uncertain.empty()) continue;
    if (!text.empty()) text += "; ";
    text += uncertain_text(choice);
  }
  if (text.empty()) return std::nullopt;
  return "certainty (some root's choice would be another, the two algorithms' intervals meet, "
         "messages "
         "are outside the sizes of the fit, gathers may escalate, or flat ones were measured to "
         "take longer): " +
         text;
}

/// Nothing where no gather is known to escalate.
std::optional<std::string> escalations(const Model& model,
                                       const std::vector<CollectiveChoice>& choices) {
  if (!model.thresholds || !model.thresholds->gather_m1.size) return std::nullopt;
  const Bytes first = *model.thresholds->gather_m1.size;
  const std::optional<Bytes> last = model.thresholds->gather_m2.size;
  const auto is_flat_there = [&](const SizeRange& range) {
    return range.algorithm == Algorithm::flat && range.last > first &&
           (!last || range.first <= *last);
  };
  const auto gather = std::ranges::find(choices, Operation::gather, &CollectiveChoice::operation);
  const bool is_chosen = std::ranges::any_of(gather->ranges, is_flat_there);
  return "that flat gathers above " + to_text(first) +
         (last ? ", up to " + to_text(*last) + "," : "") +
         " escalated when they were measured: the predicted times are of regular ones, and the "
         "file " +
         (is_chosen ? "takes flat ones there" : "takes none there");
}

/// Nothing where all launches ran under the library, or the file doesn't say.
std::optional<std::string> other_library(const Model& model, const std::string& library) {
  const auto other = std::ranges::find_if(model.launches, [&](const Launch& launch) {
    const std::string& measured = launch.mpi_library;
    return !measured.empty() && measured.find(library) == std::string::npos;
  });
  if (other == model.launches.end()) return std::nullopt;
  return "what " + library + "'s messages cost: the model was measured under '" +
         one_line(other->mpi_library) + "', so calibrate under " + library +
         ", or compare before you trust the choices";
}

}  // namespace

std::vector<std::string> losses_of(const Model& model, const std::vector<CollectiveChoice>& choices,
                                   const RuledLibrary& of) {
  const std::string& library = of.name;
  const Bytes first = choices.front().ranges.front().first;
  const Bytes last = choices.front().ranges.back().last;
  const std::uint64_t blocks = *subtrees(model.ranks, Operation::scatter).rbegin();
  const std::string below =
      first.value > 0 ? "blocks below " + to_text(first) + " and " : "blocks ";
  std::vector<std::string> losses{
      "one choice for all roots: the smaller mean of their times",
      "no algorithm of " + library +
          "'s but flat and binomial ones: others are not predicted, and " +
          "not chosen where they would be faster",
      below + "above " + to_text(last) + ", and communicators of other than " +
          std::to_string(model.ranks) + " ranks: they are left to " + library};
  const Bytes fitted{last.value / blocks};
  losses.push_back((fitted < first ? "all blocks" : "blocks above " + to_text(fitted)) +
                   " give trees messages larger than the model was fitted to");
  for (const std::optional<std::string>& loss :
       {without_rules(choices, library), unseen_links(loss_of_host_links(model), choices),
        unseen_links(loss_of_fabric(model), choices), uncertainty(choices),
        escalations(model, choices), other_library(model, library)}) {
    if (loss) losses.push_back(*loss);
  }
  return losses;
}

double worst_excess(const std::vector<CollectiveChoice>& choices) {
  return std::ranges::max(choices, {}, &CollectiveChoice::worst_excess).worst_excess;
}

std::uint64_t size_factor(const Model& model, Operation operation) {
  return operation == Operation::bcast ? 1 : static_cast<std::uint64_t>(model.ranks);
}

bool has_flat(const CollectiveChoice& choice) {
  return std::ranges::any_of(
      choice.ranges, [](const SizeRange& range) { return range.algorithm == Algorithm::flat; });
}

bool has_rules(const CollectiveChoice& choice) {
  return std::ranges::any_of(choice.ranges,
                             [](const SizeRange& range) { return range.algorithm.has_value(); });
}

}  // namespace commgauge
