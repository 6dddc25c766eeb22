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
  std::uint32_t count(int most) { return static_cast<std::uint32_t>(number(0, most)); }
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
      add_event();
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
      add(event::ThreadStart{10 * next});
      threads_.emplace_back();
      running_.push_back(next);
      current_ = next;
      add(event::ThreadBegin{10 * next});
    } else if (current_ != 0 && number(0, 19) == 0) {
      add(event::ThreadEnd{});
      std::erase(running_, current_);
      current_ = 0;
    } else if (coin()) {
      current_ =
          running_[static_cast<std::size_t>(number(0, static_cast<int>(running_.size()) - 1))];
    }
    if (number(0, 4) == 0) add(event::Release{count(3)});
    if (number(0, 4) > 0) return;
    auto& acquire = add(event::Acquire{});
    acquire.object = count(3);
    acquire.count = count(1'000'000);
  }

  /// What another thread than the one that started it ends has a number that isn't used again.
  void end(std::uint32_t request) {
    if (owner_[request] != current_) used_up_.insert(request);
  }

  /// Nobody knows what a receive got for which nobody waited.
  void forget_open() {
    for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
      auto& one = threads_[at->first][at->second];
      const auto found = std::ranges::find(open_, request_in(one));
      if (one.is<event::Ready, event::Arrived, event::Free>() || found == open_.end()) continue;
      open_.erase(found);
      if (auto* const receive = one.as<event::Receive>()) receive->found = {};
      if (auto* const receive = one.as<event::MatchedReceive>()) receive->found = {};
    }
  }

  template <class Kind>
  Kind& add(const Kind& what) {
    time_ += coin() ? 0 : number(0, 2'000'000'000);
    order_.emplace_back(current_, threads_[current_].size());
    return std::get<Kind>(threads_[current_].emplace_back(what, time_).what);
  }

  void add_event() {
    switch (number(0, 15)) {
      case 0:
      case 1:
      case 2:
        return border();
      case 3:
      case 4:
        return send();
      case 5:
      case 6:
        return receive();
      case 7:
        return wait();
      case 8:
        return collective();
      case 9:
        return probe();
      case 10:
        return matched_receive();
      case 11:
        add(event::Meet{context()});
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
    switch (number(0, 3)) {
      case 0:
        fill(add(event::Enter{})).site = count(static_cast<int>(trace_.sites.size()) - 1);
        return;
      case 1:
        fill(add(event::Leave{}));
        return;
      case 2:
        fill(add(event::RegionBegin{}));
        return;
      default:
        fill(add(event::RegionEnd{}));
    }
  }
  template <class Kind>
  Kind& fill(Kind& border) {
    border.name = count(4);
    if (trace_.has_processor_time) border.processor = time_ / 3 - 5;
    return border;
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

  Found found(const event::Receive& receive) {
    Found found;
    const bool is_over = receive.request == no_request || coin();
    if (!is_over) return found;
    const int known = number(0, 3);
    if (known != 1) found.peer = receive.peer == any ? peer(receive.context) : receive.peer;
    if (known != 2) found.tag = receive.tag == any ? number(0, 9) : receive.tag;
    found.bytes = size();
    return found;
  }

  template <class Kind>
  Kind& message(Kind& started) {
    started.context = context();
    started.peer = peer(started.context);
    started.tag = number(0, 1000);
    started.bytes = size();
    started.request = request();
    if (started.request != no_request) open_.push_back(started.request);
    return started;
  }
  void send() { message(add(event::Send{})).mode = static_cast<Mode>(number(0, 2)); }
  void receive() {
    auto& receive = message(add(event::Receive{}));
    if (coin()) receive.peer = any;
    if (coin()) receive.tag = any;
    receive.found = found(receive);
  }

  void wait() {
    if (coin()) {
      end_some(add(event::Wait{}));
    } else {
      auto& poll = add(event::Poll{});
      poll.attempts = size();
      end_some(poll);
    }
  }
  void end_some(auto& wait) {
    std::shuffle(open_.begin(), open_.end(), random_);
    const auto left = static_cast<std::size_t>(number(0, static_cast<int>(open_.size())));
    wait.list = static_cast<std::uint32_t>(rank_->requests.size());
    wait.count = static_cast<std::uint32_t>(open_.size() - left);
    rank_->requests.insert(rank_->requests.end(), open_.begin() + static_cast<long>(left),
                           open_.end());
    std::for_each(open_.begin() + static_cast<long>(left), open_.end(),
                  [&](auto one) { end(one); });
    open_.resize(left);
    std::erase_if(accesses_, [&](auto one) { return std::ranges::count(open_, one) == 0; });
  }

  void access() {
    auto& access = add(event::Access{});
    access.context = window_;
    access.peer = peer(window_);
    access.request = request(true);
    access.effect = static_cast<Effect>(number(0, 3));
    if (access.effect == Effect::access) {
      access.bytes = coin() ? 0 : size();
      access.back = access.bytes > 0 && coin() ? 0 : size();
    }
    open_.push_back(access.request);
    accesses_.push_back(access.request);
  }

  void flush() {
    if (accesses_.empty()) return;
    auto& flush = add(event::Flush{});
    flush.list = static_cast<std::uint32_t>(rank_->requests.size());
    flush.count = static_cast<std::uint32_t>(number(1, static_cast<int>(accesses_.size())));
    for (std::uint32_t i = 0; i < flush.count; ++i) {
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
    if (!is_open) {
      add(event::Start{request});
      owner_[request] = current_;
      open_.push_back(request);
    } else if (coin()) {
      add(event::Ready{request, number(0, 1000), count(3)});
    } else {
      add(event::Arrived{request, number(0, 1000), coin() ? size() : 0});
    }
  }

  void prepare() {
    coin() ? fill_prepared(add(event::PrepareSend{})) : fill_prepared(add(event::PrepareReceive{}));
  }
  void fill_prepared(auto& prepared) {
    prepared.context = context();
    prepared.peer = number(0, 9) == 0 ? nobody : peer(prepared.context);
    prepared.tag = number(0, 1000);
    prepared.partitions = count(1000);
    prepared.bytes = size();
    prepared.request = request(true);
    prepared_.push_back(prepared.request);
  }

  void probe() {
    if (coin()) {
      fill_probe(add(event::Probe{}));
      return;
    }
    auto& probe = fill_probe(add(event::MatchedProbe{}));
    probe.request = request(true);
    messages_.push_back(probe.request);
    message_ = probe.found;
  }
  template <class Kind>
  Kind& fill_probe(Kind& probe) {
    probe.context = context();
    probe.peer = coin() ? any : peer(probe.context);
    probe.tag = coin() ? any : number(0, 9);
    probe.found.peer = probe.peer == any ? peer(probe.context) : probe.peer;
    probe.found.tag = probe.tag == any ? 7 : probe.tag;
    probe.found.bytes = size();
    probe.attempts = coin() ? 0 : size();
    return probe;
  }

  void matched_receive() {
    if (messages_.empty()) return;
    const auto message = messages_.back();
    end(message);
    messages_.pop_back();
    if (most_threads_ > 1) used_up_.insert(messages_.begin(), messages_.end());
    messages_.clear();
    auto& receive = add(event::MatchedReceive{.message = message});
    receive.request = request();
    receive.bytes = size();
    receive.found = {message_.peer, message_.tag, size()};
    if (receive.request != no_request) open_.push_back(receive.request);
  }

  std::vector<std::uint64_t> sizes(std::size_t count) {
    std::vector<std::uint64_t> list(count);
    for (auto& one : list) one = size();
    return list;
  }

  void collective() {
    auto& start = add(event::Collective{});
    start.context = context();
    start.request = request();
    if (start.request != no_request) open_.push_back(start.request);
    start.operation = static_cast<std::uint32_t>(rank_->collectives.size());
    auto& one = rank_->collectives.emplace_back();
    auto& what = one.what;
    const auto& operations = schedule::all_operations();
    what.operation =
        operations[static_cast<std::size_t>(number(0, static_cast<int>(operations.size()) - 1))];
    const auto members = trace_.communicators[start.context].members.size();
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
        add(event::UnsuccessfulPolls{size()});
        return;
      case 1:
        add(event::ClockReads{size()});
        return;
      case 2:
        add(event::Sleep{size()});
        return;
      default:
        add(event::Free{count(9) + (most_threads_ > 1 ? 1'000'000U : 0U)});
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
  Found message_;
};

std::string text_of(const Site& site) {
  return site.function + '|' + site.file + '|' + std::to_string(site.line);
}

/// What a line says of an event: all of its fields.
class Line {
 public:
  Line(const Event& event, const Trace& trace, const Rank& rank)
      : event_{event}, trace_{trace}, rank_{rank} {}

  std::string text() {
    out_ << event_.what.index() << " at " << event_.time;
    std::visit([this](const auto& what) { add(what); }, event_.what);
    return out_.str();
  }

 private:
  void add(const event::Enter& call) {
    border(call);
    out_ << ' ' << text_of(trace_.sites.at(call.site));
  }
  void add(const event::Leave& call) { border(call); }
  void add(const event::RegionBegin& region) { border(region); }
  void add(const event::RegionEnd& region) { border(region); }
  void add(const event::Send& send) {
    out_ << ' ' << static_cast<int>(send.mode) << " of " << send.bytes;
    message(send);
  }
  void add(const event::Receive& receive) {
    out_ << " of " << receive.bytes;
    message(receive);
    found(receive.found);
  }
  void add(const event::Wait& wait) { list(wait); }
  void add(const event::Poll& poll) {
    out_ << ' ' << poll.attempts;
    list(poll);
  }
  void add(const event::Flush& flush) { list(flush); }
  void add(const event::UnsuccessfulPolls& polls) { out_ << ' ' << polls.attempts; }
  void add(const event::Probe& probe) {
    out_ << " peer " << probe.peer << " tag " << probe.tag << " in " << probe.context << ' '
         << probe.attempts;
    found(probe.found);
  }
  void add(const event::MatchedProbe& probe) {
    out_ << ' ' << probe.attempts;
    message(probe);
    found(probe.found);
  }
  void add(const event::MatchedReceive& receive) {
    out_ << ' ' << receive.message << ' ' << receive.request << ' ' << receive.bytes;
    found(receive.found);
  }
  void add(const event::Collective& start) {
    out_ << ' ' << start.request << ' ' << start.context;
    collective(rank_.collectives.at(start.operation));
  }
  void add(const event::Meet& meet) { out_ << ' ' << meet.context; }
  void add(const event::ClockReads& reads) { out_ << ' ' << reads.count; }
  void add(const event::Sleep& sleep) { out_ << ' ' << sleep.nanoseconds; }
  void add(const event::Free& free) { out_ << ' ' << free.request; }
  void add(const event::Cancel& cancel) { out_ << ' ' << cancel.request; }
  void add(const event::Access& access) {
    out_ << ' ' << static_cast<int>(access.effect) << " peer " << access.peer << " in "
         << access.context << " of " << access.bytes << " back " << access.back << " request "
         << access.request;
  }
  void add(const event::ThreadBegin& begin) { out_ << ' ' << begin.number; }
  void add(const event::ThreadEnd&) {}
  void add(const event::ThreadStart& start) { out_ << ' ' << start.number; }
  void add(const event::Release& release) { out_ << ' ' << release.object; }
  void add(const event::Acquire& acquire) { out_ << ' ' << acquire.object << ' ' << acquire.count; }
  void add(const event::PrepareSend& send) { prepared(send); }
  void add(const event::PrepareReceive& receive) { prepared(receive); }
  void add(const event::Start& start) { out_ << ' ' << start.request; }
  void add(const event::Ready& ready) {
    out_ << ' ' << ready.request << ' ' << ready.first << ' ' << ready.count;
  }
  void add(const event::Arrived& arrived) {
    out_ << ' ' << arrived.request << ' ' << arrived.partition << ' ' << arrived.attempts;
  }

  void border(const auto& border) {
    out_ << ' ' << trace_.names.at(border.name) << ' ' << border.processor;
  }
  void message(const auto& message) {
    out_ << " peer " << message.peer << " tag " << message.tag << " in " << message.context
         << " request " << message.request;
  }
  void prepared(const auto& prepared) {
    message(prepared);
    out_ << " of " << prepared.bytes << " in " << prepared.partitions;
  }
  void found(const Found& found) {
    out_ << " found " << found.peer << ' ' << found.tag << ' ' << found.bytes;
  }
  void list(const auto& wait) {
    out_ << ':';
    for (std::uint32_t i = 0; i < wait.count; ++i) out_ << ' ' << rank_.requests.at(wait.list + i);
  }
  void collective(const Collective& one) {
    const auto& what = one.what;
    out_ << ' ' << to_text(what.operation) << " ranks " << what.ranks << " root " << what.root
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
