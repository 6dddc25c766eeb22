#include "windows/window.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "mpi/datatypes.hpp"
#include "mpi/failure.hpp"
#include "rank/own_windows.hpp"
#include "shared/access.hpp"

namespace commgauge::emulate {

namespace {

std::unordered_map<MPI_Win, WindowPtr>& windows() {
  static auto& known = lasting<std::unordered_map<MPI_Win, WindowPtr>>();
  return known;
}

void recount() {
  const auto is_shared = [](const auto& one) { return one.second->is_shared; };
  own_windows = {static_cast<int>(windows().size()),
                 static_cast<int>(std::ranges::count_if(windows(), is_shared))};
}

}  // namespace

void add_window(const WindowPtr& made) {
  windows()[made->handle] = made;
  recount();
}

void remove_window(MPI_Win handle) {
  windows().erase(handle);
  recount();
}

const WindowPtr& window(MPI_Win handle) {
  const auto found = windows().find(handle);
  if (found == windows().end()) throw MpiFailure{MPI_COMM_WORLD, MPI_ERR_WIN};
  return found->second;
}

Access::~Access() {
  std::erase(window->open, this);
  window->copied -= copied;
}

void Access::reached(Emulator& e) {
  *end = {true, peer, answer != simulate::no_answer, over};
  if (effect != simulate::Effect::access) return;
  carry_out_accesses(e.live(), peer);
  if (!in.empty()) unpack(in.data(), answer, place.buffer, place.type);
}

}  // namespace commgauge::emulate
