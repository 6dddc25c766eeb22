#include "job/windows.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "recorder/session.hpp"
#include "recorder/thread_lock.hpp"

namespace commgauge::record {

namespace {

std::unordered_map<MPI_Win, std::unique_ptr<Window>>& windows() {
  static std::unordered_map<MPI_Win, std::unique_ptr<Window>> known;
  return known;
}

}  // namespace

void adopt_window(MPI_Win handle, std::uint32_t parent) {
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Win_get_group(handle, &group);
  auto adopted = std::make_unique<Window>();
  adopted->peers = ranks_of_job(group);
  PMPI_Group_free(&group);
  if (std::ranges::count(adopted->peers, MPI_UNDEFINED) > 0) return;
  adopted->context = session()->writer->communicator({"", adopted->peers, {}, true}, {parent});
  windows()[handle] = std::move(adopted);
}

std::unique_ptr<Window> forget_window(MPI_Win handle) {
  const threads::Held here;
  auto known = windows().extract(handle);
  return known.empty() ? nullptr : std::move(known.mapped());
}

Window* window(Recorder& recorder, MPI_Win handle, const Name& name) {
  const auto found = windows().find(handle);
  if (found != windows().end()) return found->second.get();
  leave_out_unknown(recorder, name);
  return nullptr;
}

std::uint32_t start_access(Recorder& recorder, Window& window, int target, trace::Effect effect,
                           std::uint64_t bytes, std::uint64_t back) {
  Request request;
  request.kind = Request::Kind::operation;
  const std::uint32_t number = add(std::move(request));
  recorder.write(event::Access{.request = number,
                               .peer = window.peer(target),
                               .context = window.context,
                               .effect = effect,
                               .bytes = bytes,
                               .back = back});
  return number;
}

}  // namespace commgauge::record
