#include "random_trace.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <sstream>

namespace commgauge::trace {
namespace {

using Kind = Event::Kind;

class Maker {
 public:
  Maker(std::uint32_t seed, int events, int most_threads)
      : random_{seed}, events_{events}, most_threads_{most_threads} {}

  Trace make() {
    const int ranks = number(1, 6);
    trace_.names = {"MPI_Send", "MPI_Waitall", "solve", "", "MPI_Allreduce"};
    if (coin()) sites();
    trace_.has_processor_time = coin();
    trace_.is_virtual = coin();
    trace_.program = coin() ? "./solver \"a b\" \xc3\xa4" : "";
    if (coin()) trace_.remarks = {{"completions are missing", 3}, {"x", 1}};
    communicators(ranks);
    for (int rank = 0; rank < ranks; ++rank) trace_.ranks.push_back(this->rank(rank));
    return trace_;
  }

 private:
  int number(int least, int most) {
    return std::uniform_int_distribution<int>{least, most}(random_);
  }
  bool coin() { return number(0, 1) == 1; }
  std::uint64_t size() {
    return coin() ? static_cast<std::uint64_t>(number(0, 100))
                  : std::uniform_int_distribution<std::uint64_t>{0, 1ULL << 40U}(random_);
  }

  void sites() {
    for (const Site& site : {Site{"solve", "/src/solve.c", 120}, Site{"solve", "/src/solve.c", 121},
                             Site{"", "/bin/solver+0x11a9", 0}, Site{"MPI_Send", "", 0}}) {
      trace_.sites.push_back(site);
    }
  }

  void communicators(int ranks) {
    std::vector<std::int32_t> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(rank);
    trace_.communicators.push_back({"MPI_COMM_WORLD", all, {}});
    trace_.communicators.push_back({"", all, {}});
    std::shuffle(all.begin(), all.end(), random_);
    trace_.communicators.push_back({"shuffled", all, {}});
    window_ = static_cast<std::uint32_t>(trace_.communicators.size());
    trace_.communicators.push_back({"", all, {}, true});
    if (ranks < 3) return;
    const auto half = all.begin() + ranks / 2;
    trace_.communicators.push_back({"half", {all.begin(), half}, {}});
    trace_.communicators.push_back({"between", {all.begin(), half}, {half, all.end()}});
  }

  Rank rank(int number) {
    Rank made;
    own_ = number;
    rank_ = &made;
    open_.clear();
    messages_.clear();
    accesses_.clear();
    prepared_.clear();
    threads_ = {{}};
    running_ = {0};
    current_ = 0;
    order_.clear();
    owner_.clear();
    used_up_.clear();
    least_ = 0;
    time_ = 0;
    made.host = "node" + std::to_string(number / 2);
    made.threads = coin() ? 1 : 3;
    made.is_complete = coin();
    for (int i = 0; i < events_; ++i) {
      if (most_threads_ > 1) switch_threads();
      event();
    }
    forget_open();
    for (const auto& thread : threads_) {
      if (&thread != threads_.data()) {
        made.further_threads.push_back(static_cast<std::uint32_t>(made.events.size()));
      }
      made.events.insert(made.events.end(), thread.begin(), thread.end());
    }
    return made;
  }

  void switch_threads() {
    if (number(0, 9) == 0 && static_cast<int>(threads_.size()) < most_threads_) {
      const auto next = static_cast<std::uint32_t>(threads_.size());
      add(Kind::thread_start).list = 10 * next;
      threads_.emplace_back();
      running_.push_back(next);
      current_ = next;
      add(Kind::thread_begin).list = 10 * next;
    } else if (current_ != 0 && number(0, 19) == 0) {
      add(Kind::thread_end);
      std::erase(running_, current_);
      current_ = 0;
    } else if (coin()) {
      current_ =
          running_[static_cast<std::size_t>(number(0, static_cast<int>(running_.size()) - 1))];
    }
    if (number(0, 4) == 0) add(Kind::release).list = static_cast<std::uint32_t>(number(0, 3));
    if (number(0, 4) > 0) return;
    auto& event = add(Kind::acquire);
    event.list = static_cast<std::uint32_t>(number(0, 3));
    event.count = static_cast<std::uint32_t>(number(0, 1'000'000));
  }

  /// What another thread than the one that started it ends has a number that isn't used again.
  void end(std::uint32_t request) {
    if (owner_[request] != current_) used_up_.insert(request);
  }

  /// Nobody knows what a receive got for which nobody waited.
  void forget_open() {
    for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
      auto* const event = &threads_[at->first][at->second];
      const auto found = std::ranges::find(open_, event->request);
      const bool is_of_open = event->kind == Kind::ready || event->kind == Kind::arrived;
      if (is_of_open || event->kind == Kind::free || event->request == no_request ||
          found == open_.end()) {
        continue;
      }
      open_.erase(found);
      if (event->kind == Kind::access || event->kind == Kind::start) continue;
      event->found_peer = event->found_tag = any;
      event->found_bytes = 0;
    }
  }

  Event& add(Kind kind) {
    auto& event = threads_[current_].emplace_back();
    order_.emplace_back(current_, threads_[current_].size() - 1);
    event.kind = kind;
    event.time = time_ += coin() ? 0 : number(0, 2'000'000'000);
    return event;
  }

  void event() {
    switch (number(0, 15)) {
      case 0:
      case 1:
      case 2:
        return border();
      case 3:
      case 4:
        return message(Kind::send);
      case 5:
      case 6:
        return message(Kind::receive);
      case 7:
        return wait();
      case 8:
        return collective();
      case 9:
        return probe();
      case 10:
        return matched_receive();
      case 11:
        add(Kind::meet).context = context();
        return;
      case 12:
        return access();
      case 13:
        return flush();
      case 14:
        return partitions();
      default:
        return small();
    }
  }

  void border() {
    static const Kind kinds[]{Kind::enter, Kind::leave, Kind::region_begin, Kind::region_end};
    auto& event = add(kinds[number(0, 3)]);
    event.name = static_cast<std::uint32_t>(number(0, 4));
    if (trace_.has_processor_time) event.processor = time_ / 3 - 5;
    if (event.kind == Kind::enter) {
      event.list = static_cast<std::uint32_t>(number(0, static_cast<int>(trace_.sites.size()) - 1));
    }
  }

  /// One that the rank is in.
  std::uint32_t context() {
    while (true) {
      const auto context = number(0, static_cast<int>(trace_.communicators.size()) - 1);
      const auto& one = trace_.communicators[static_cast<std::size_t>(context)];
      for (const auto& side : {one.members, one.others}) {
        if (std::ranges::find(side, own_) != side.end()) return static_cast<std::uint32_t>(context);
      }
    }
  }

  std::int32_t peer(std::uint32_t context) {
    const auto& one = trace_.communicators[context];
    const bool is_first = std::ranges::find(one.members, own_) != one.members.end();
    const auto& side = !one.others.empty() && is_first ? one.others : one.members;
    return side[static_cast<std::size_t>(number(0, static_cast<int>(side.size()) - 1))];
  }

  /// A new request, or none.
  std::uint32_t request(bool is_needed = false) {
    if (!is_needed && coin()) return no_request;
    while (used_up_.contains(least_)) ++least_;
    std::uint32_t next = least_;
    while (std::ranges::find(open_, next) != open_.end() ||
           std::ranges::find(messages_, next) != messages_.end() ||
           std::ranges::find(prepared_, next) != prepared_.end() || used_up_.contains(next)) {
      ++next;
    }
    owner_[next] = current_;
    return next;
  }

  void found(Event& event) {
    const bool is_over = event.request == no_request || coin();
    if (!is_over) return;
    const int known = number(0, 3);
    if (known != 1) event.found_peer = event.peer == any ? peer(event.context) : event.peer;
    if (known != 2) event.found_tag = event.tag == any ? number(0, 9) : event.tag;
    event.found_bytes = size();
  }

  void message(Kind kind) {
    auto& event = add(kind);
    event.context = context();
    event.peer = peer(event.context);
    event.tag = number(0, 1000);
    event.bytes = size();
    event.request = request();
    if (kind == Kind::send) {
      event.mode = static_cast<Mode>(number(0, 2));
    } else {
      if (coin()) event.peer = any;
      if (coin()) event.tag = any;
      found(event);
    }
    if (event.request != no_request) open_.push_back(event.request);
  }

  void wait() {
    auto& event = add(coin() ? Kind::wait : Kind::poll);
    if (event.kind == Kind::poll) event.attempts = size();
    std::shuffle(open_.begin(), open_.end(), random_);
    const auto left = static_cast<std::size_t>(number(0, static_cast<int>(open_.size())));
    event.list = static_cast<std::uint32_t>(rank_->requests.size());
    event.count = static_cast<std::uint32_t>(open_.size() - left);
    rank_->requests.insert(rank_->requests.end(), open_.begin() + static_cast<long>(left),
                           open_.end());
    std::for_each(open_.begin() + static_cast<long>(left), open_.end(),
                  [&](auto one) { end(one); });
    open_.resize(left);
    std::erase_if(accesses_, [&](auto one) { return std::ranges::count(open_, one) == 0; });
  }

  void access() {
    auto& event = add(Kind::access);
    event.context = window_;
    event.peer = peer(window_);
    event.request = request(true);
    event.effect = static_cast<Effect>(number(0, 3));
    if (event.effect == Effect::access) {
      event.bytes = coin() ? 0 : size();
      event.found_bytes = event.bytes > 0 && coin() ? 0 : size();
    }
    open_.push_back(event.request);
    accesses_.push_back(event.request);
  }

  void flush() {
    if (accesses_.empty()) return;
    auto& event = add(Kind::flush);
    event.list = static_cast<std::uint32_t>(rank_->requests.size());
    event.count = static_cast<std::uint32_t>(number(1, static_cast<int>(accesses_.size())));
    for (std::uint32_t i = 0; i < event.count; ++i) {
      rank_->requests.push_back(accesses_.back());
      end(accesses_.back());
      std::erase(open_, accesses_.back());
      accesses_.pop_back();
    }
  }

  /// What one of a message in partitions does next, or a new one is prepared.
  void partitions() {
    std::erase_if(prepared_, [&](auto one) { return used_up_.contains(one); });
    constexpr std::size_t many = 30;
    const bool is_full = prepared_.size() >= many;
    if (prepared_.empty() || (!is_full && number(0, 3) == 0)) return prepare();
    const auto which = number(0, static_cast<int>(prepared_.size()) - 1);
    const auto request = prepared_[static_cast<std::size_t>(which)];
    const bool is_open = std::ranges::find(open_, request) != open_.end();
    auto& event = add(!is_open ? Kind::start : coin() ? Kind::ready : Kind::arrived);
    event.request = request;
    if (event.kind == Kind::start) {
      owner_[request] = current_;
      return open_.push_back(request);
    }
    event.tag = number(0, 1000);
    if (event.kind == Kind::ready) event.count = static_cast<std::uint32_t>(number(0, 3));
    if (event.kind == Kind::arrived && coin()) event.attempts = size();
  }

  void prepare() {
    auto& event = add(coin() ? Kind::prepare_send : Kind::prepare_receive);
    event.context = context();
    event.peer = number(0, 9) == 0 ? nobody : peer(event.context);
    event.tag = number(0, 1000);
    event.count = static_cast<std::uint32_t>(number(0, 1000));
    event.bytes = size();
    event.request = request(true);
    prepared_.push_back(event.request);
  }

  void probe() {
    auto& event = add(coin() ? Kind::probe : Kind::matched_probe);
    event.context = context();
    event.peer = coin() ? any : peer(event.context);
    event.tag = coin() ? any : number(0, 9);
    event.found_peer = event.peer == any ? peer(event.context) : event.peer;
    event.found_tag = event.tag == any ? 7 : event.tag;
    event.bytes = size();
    event.attempts = coin() ? 0 : size();
    if (event.kind == Kind::probe) return;
    event.request = request(true);
    messages_.push_back(event.request);
    message_ = event;
  }

  void matched_receive() {
    if (messages_.empty()) return;
    const auto message = messages_.back();
    end(message);
    messages_.pop_back();
    if (most_threads_ > 1) used_up_.insert(messages_.begin(), messages_.end());
    messages_.clear();
    auto& event = add(Kind::matched_receive);
    event.list = message;
    event.request = request();
    event.bytes = size();
    event.found_peer = message_.found_peer;
    event.found_tag = message_.found_tag;
    event.found_bytes = size();
    if (event.request != no_request) open_.push_back(event.request);
  }

  std::vector<std::uint64_t> sizes(std::size_t count) {
    std::vector<std::uint64_t> list(count);
    for (auto& one : list) one = size();
    return list;
  }

  void collective() {
    auto& event = add(Kind::collective);
    event.context = context();
    event.request = request();
    if (event.request != no_request) open_.push_back(event.request);
    event.list = static_cast<std::uint32_t>(rank_->collectives.size());
    auto& one = rank_->collectives.emplace_back();
    auto& what = one.what;
    const auto& operations = schedule::all_operations();
    what.operation =
        operations[static_cast<std::size_t>(number(0, static_cast<int>(operations.size()) - 1))];
    const auto members = trace_.communicators[event.context].members.size();
    what.ranks = coin() ? static_cast<int>(members) : number(1, 50);
    what.root = number(0, static_cast<int>(members) - 1);
    what.counts = coin() ? sizes(1) : sizes(static_cast<std::size_t>(number(2, 5)));
    if (coin()) what.counts_in = sizes(static_cast<std::size_t>(number(1, 4)));
    what.unit = {coin() ? 1 : size()};
    what.extent = {coin() ? 1 : size()};
    what.element = {coin() ? 1 : size()};
    what.is_commutative = coin();
    what.is_built_in = coin();
    what.is_in_place = coin();
    one.is_own = coin();
    one.is_neighbourhood = coin();
    if (!one.is_neighbourhood) return;
    for (int i = number(0, 3); i > 0; --i) one.to.push_back({own_, number(0, 9), size()});
    for (int i = number(0, 3); i > 0; --i) one.from.push_back({own_, number(-9, 9), size()});
  }

  void small() {
    switch (number(0, 3)) {
      case 0:
        add(Kind::polls_in_vain).attempts = size();
        return;
      case 1:
        add(Kind::clock_reads).attempts = size();
        return;
      case 2:
        add(Kind::sleep).bytes = size();
        return;
      default:
        add(Kind::free).request =
            static_cast<std::uint32_t>(number(0, 9) + (most_threads_ > 1 ? 1'000'000 : 0));
    }
  }

  std::mt19937 random_;
  int events_;
  int most_threads_;
  Trace trace_;
  Rank* rank_{};
  int own_{};
  std::int64_t time_{};
  std::vector<std::vector<Event>> threads_;
  std::vector<std::uint32_t> running_;
  std::uint32_t current_{};
  std::vector<std::pair<std::uint32_t, std::size_t>> order_;  ///< thread and event
  std::map<std::uint32_t, std::uint32_t> owner_;              ///< of a request: its thread
  std::set<std::uint32_t> used_up_;
  std::uint32_t least_{};  ///< that isn't used up
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> messages_;
  std::vector<std::uint32_t> accesses_;  ///< that are open
  std::vector<std::uint32_t> prepared_;  ///< of messages in partitions
  std::uint32_t window_{};
  Event message_;
};

std::string text_of(const Site& site) {
  return site.function + '|' + site.file + '|' + std::to_string(site.line);
}

/// What a line says of an event: fields that its kind gives a meaning.
class Line {
 public:
  Line(const Event& event, const Trace& trace, const Rank& rank)
      : event_{event}, trace_{trace}, rank_{rank} {}

  std::string text() {
    out_ << static_cast<int>(event_.kind) << " at " << event_.time;
    switch (event_.kind) {
      case Kind::enter:
      case Kind::leave:
      case Kind::region_begin:
      case Kind::region_end:
        out_ << ' ' << trace_.names.at(event_.name) << ' ' << event_.processor;
        if (event_.kind == Kind::enter) out_ << ' ' << text_of(trace_.sites.at(event_.list));
        break;
      case Kind::send:
        out_ << ' ' << static_cast<int>(event_.mode);
        message();
        break;
      case Kind::receive:
        message();
        found();
        break;
      case Kind::probe:
      case Kind::matched_probe:
        message();
        found();
        out_ << ' ' << event_.attempts;
        break;
      case Kind::matched_receive:
        out_ << ' ' << event_.list << ' ' << event_.request << ' ' << event_.bytes;
        found();
        break;
      case Kind::access:
        out_ << ' ' << static_cast<int>(event_.effect);
        message();
        out_ << " back " << event_.found_bytes;
        break;
      case Kind::wait:
      case Kind::poll:
      case Kind::flush:
        out_ << ' ' << event_.attempts << ':';
        for (std::uint32_t i = 0; i < event_.count; ++i) {
          out_ << ' ' << rank_.requests.at(event_.list + i);
        }
        break;
      case Kind::collective:
        out_ << ' ' << event_.request << ' ' << event_.context;
        collective(rank_.collectives.at(event_.list));
        break;
      case Kind::meet:
        out_ << ' ' << event_.context;
        break;
      case Kind::prepare_send:
      case Kind::prepare_receive:
        message();
        out_ << " in " << event_.count;
        break;
      case Kind::ready:
      case Kind::arrived:
        out_ << ' ' << event_.request << ' ' << event_.tag;
        if (event_.kind == Kind::ready) out_ << ' ' << event_.count;
        out_ << ' ' << event_.attempts;
        break;
      case Kind::polls_in_vain:
      case Kind::clock_reads:
        out_ << ' ' << event_.attempts;
        break;
      case Kind::sleep:
        out_ << ' ' << event_.bytes;
        break;
      case Kind::free:
      case Kind::cancel:
      case Kind::start:
        out_ << ' ' << event_.request;
        break;
      case Kind::thread_end:
        break;
      case Kind::thread_begin:
      case Kind::thread_start:
      case Kind::release:
        out_ << ' ' << event_.list;
        break;
      case Kind::acquire:
        out_ << ' ' << event_.list << ' ' << event_.count;
        break;
    }
    return out_.str();
  }

 private:
  void message() {
    out_ << " peer " << event_.peer << " tag " << event_.tag << " in " << event_.context << " of "
         << event_.bytes << " request " << event_.request;
  }
  void found() {
    out_ << " found " << event_.found_peer << ' ' << event_.found_tag << ' ' << event_.found_bytes;
  }
  void collective(const Collective& one) {
    const auto& what = one.what;
    out_ << ' ' << to_word(what.operation) << " ranks " << what.ranks << " root " << what.root
         << " counts";
    for (const auto count : what.counts) out_ << ' ' << count;
    out_ << " in";
    for (const auto count : what.counts_in) out_ << ' ' << count;
    out_ << " unit " << what.unit.value << ' ' << what.extent.value << ' ' << what.element.value
         << ' ' << what.is_commutative << what.is_built_in << what.is_in_place
         << one.is_neighbourhood << one.is_own;
    for (const auto& to : one.to) out_ << " to " << to.peer << ' ' << to.tag << ' ' << to.bytes;
    for (const auto& to : one.from) out_ << " from " << to.peer << ' ' << to.tag << ' ' << to.bytes;
  }

  const Event& event_;
  const Trace& trace_;
  const Rank& rank_;
  std::ostringstream out_;
};

std::string text_of(const std::vector<std::int32_t>& ranks) {
  std::string text;
  for (const auto rank : ranks) text += ' ' + std::to_string(rank);
  return text;
}

}  // namespace

Trace random_trace(std::uint32_t seed, int events_of_a_rank, int most_threads) {
  return Maker{seed, events_of_a_rank, most_threads}.make();
}

std::vector<std::string> lines_of(const Trace& trace) {
  std::vector<std::string> lines{trace.program, trace.is_virtual ? "virtual" : "real",
                                 trace.has_processor_time ? "processor" : "wall"};
  for (const auto& name : trace.names) lines.push_back(name);
  for (const auto& site : trace.sites) lines.push_back(text_of(site));
  for (const auto& one : trace.communicators) {
    lines.push_back(one.name + text_of(one.members) + " |" + text_of(one.others));
  }
  for (const auto& one : trace.remarks) {
    if (one.text.starts_with("messages arrive before")) continue;
    lines.push_back(std::to_string(one.count) + ' ' + one.text);
  }
  for (const auto& rank : trace.ranks) {
    lines.push_back(rank.host + ' ' + std::to_string(rank.threads) +
                    (rank.is_complete ? "" : " not complete"));
    for (const auto& event : rank.events) lines.push_back(Line{event, trace, rank}.text());
    for (const auto thread : rank.further_threads) {
      lines.push_back("thread at " + std::to_string(thread));
    }
  }
  return lines;
}

std::string difference(const Trace& a, const Trace& b) {
  const auto lines = lines_of(a);
  const auto others = lines_of(b);
  const auto [one, other] = std::ranges::mismatch(lines, others);
  if (one == lines.end() && other == others.end()) return {};
  return (one == lines.end() ? "(end)" : *one) + "\n" + (other == others.end() ? "(end)" : *other);
}

Folder::Folder() {
  auto name = (std::filesystem::temp_directory_path() / "commgauge-trace-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) std::abort();
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace commgauge::trace
