// Puts, gets, and what combines: each goes to its target as a message that nobody receives.

#include <algorithm>

#include "arguments/accesses.hpp"
#include "job/call.hpp"
#include "job/requests.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/failure.hpp"
#include "rank/request.hpp"
#include "shared/access.hpp"
#include "windows/window.hpp"
#include "windows/window_memory.hpp"

using namespace commgauge::emulate;

namespace {

using commgauge::preload::AccessArguments;

/// Of those that are under way: beyond, an origin waits in real time until others have caught up.
constexpr std::size_t most_ahead = 256;
/// Of their data [bytes]: of a window; what is beyond stays in the program's buffers meanwhile.
constexpr std::uint64_t most_copied = 64 << 20;

void check(const Window& window, MPI_Count count, MPI_Datatype type) {
  require(count >= 0, window, MPI_ERR_COUNT);
  require(type != MPI_DATATYPE_NULL, window, MPI_ERR_TYPE);
  require(error_of(type) == MPI_SUCCESS, window, MPI_ERR_TYPE);
}

bool is_allowed(MPI_Op op, bool fetches) {
  static constexpr MPI_Op predefined[]{MPI_MAX,    MPI_MIN,    MPI_SUM,    MPI_PROD, MPI_LAND,
                                       MPI_BAND,   MPI_LOR,    MPI_BOR,    MPI_LXOR, MPI_BXOR,
                                       MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE};
  return std::ranges::count(predefined, op) > 0 || (fetches && op == MPI_NO_OP);
}

/// Numbers without a fraction, flags, bytes.
bool can_be_compared(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL || !is_predefined(type)) return false;
  return takes(MPI_BAND, type) || type == MPI_C_BOOL || type == MPI_LOGICAL;
}

void check(const Window& window, const AccessArguments& what) {
  const AccessArguments::Target& target = what.target;
  require(is_allowed(what.op, what.result.has_value()), window, MPI_ERR_OP);
  if (what.op != MPI_NO_OP) check(window, what.origin.count, what.origin.type);
  if (what.result) check(window, what.result->count, what.result->type);
  check(window, target.count, target.type);
  require(what.compared == nullptr || can_be_compared(target.type), window, MPI_ERR_TYPE);
  require(target.rank >= 0 && target.rank < window.comm->size(), window, MPI_ERR_RANK);
  require(window.is_dynamic || target.displacement >= 0, window, MPI_ERR_DISP);
  const int rank = window.comm->peers[static_cast<std::size_t>(target.rank)];
  require(window.is_fenced || window.lock_of_all || window.locks.contains(target.rank) ||
              (window.is_started && std::ranges::count(window.targets, rank) > 0),
          window, MPI_ERR_RMA_SYNC);
}

/// The bytes of data one after the other: where they are, or packed into `room`.
const std::byte* in_a_row(const AccessArguments::Data& data, std::vector<std::byte>& room) {
  if (plain_size(data.type) > 0 && data.buffer != MPI_BOTTOM) {
    return static_cast<const std::byte*>(data.buffer);
  }
  room.resize(bytes_of(Place{nullptr, data.count, data.type}));
  pack(data.buffer, data.count, data.type, room.data());
  return room.data();
}

/// Those of the first bytes.
std::vector<Block> cut(std::vector<Block> blocks, std::uint64_t bytes) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].bytes = std::min(blocks[i].bytes, bytes);
    bytes -= blocks[i].bytes;
  }
  std::erase_if(blocks, [](const Block& block) { return block.bytes == 0; });
  return blocks;
}

RemoteMemory memory_of(const Window& window, const AccessArguments::Target& target) {
  const Window::Part& part = window.parts[static_cast<std::size_t>(target.rank)];
  return {part.pid, part.base + static_cast<std::uint64_t>(target.displacement * part.unit)};
}

/// Those that are started now keep so many bytes of their window until they are over.
void keep_copied(Access& access, std::uint64_t bytes) {
  access.copied += bytes;
  access.window->copied += bytes;
}

/// What comes back goes to the program when the access is over, whoever has carried it out before.
/// @param copies  where that isn't its own place
/// @return where so many bytes go: to be unpacked there, or to that place
std::byte* room_for(Access& access, const AccessArguments::Data& result, std::uint64_t bytes,
                    bool copies) {
  access.answer = bytes;
  access.place = {const_cast<void*>(result.buffer), 0, result.type};
  if (!copies && plain_size(result.type) > 0 && result.buffer != MPI_BOTTOM) {
    return static_cast<std::byte*>(access.place.buffer);
  }
  if (!is_predefined(result.type)) {
    access.place.type = keep(result.type);
    access.owns_type = true;
  }
  access.in.resize(bytes);
  keep_copied(access, bytes);
  return access.in.data();
}

/// @return where the access, of so many bytes, is shared
Offset share(Emulator& e, Access& access, const AccessArguments& what, std::uint64_t bytes) {
  Window& window = *access.window;
  const std::vector<Block> blocks = cut(layout_of(what.target.count, what.target.type), bytes);
  const RemoteMemory memory = memory_of(window, what.target);
  const bool copies = window.copied + bytes <= most_copied;
  check_range(e.live(), window, what.target.rank, memory.start, blocks);
  Deed deed{.memory = memory,
            .blocks = blocks,
            .base = base_of(what.target.type),
            .op = what.op,
            .bytes = bytes};
  if (what.op != MPI_NO_OP) {
    deed.data = in_a_row(what.origin, access.out);
    deed.compared = static_cast<const std::byte*>(what.compared);
    deed.leaves_data = deed.compared == nullptr && !copies;
    access.leaves_data = deed.leaves_data && access.out.empty();
    if (!deed.leaves_data) keep_copied(access, bytes);
  }
  if (what.result) deed.fetched = room_for(access, *what.result, bytes, copies);
  const Offset shared = share(e.live(), deed);
  if (!deed.leaves_data) std::vector<std::byte>().swap(access.out);
  return shared;
}

/// Starts an access. @return nullptr: there is nothing to be done
std::unique_ptr<Access> start(Emulator& e, const WindowPtr& window, const AccessArguments& what) {
  if (what.target.rank == MPI_PROC_NULL) return nullptr;
  check(*window, what);
  const auto sizes = sizes_of(what);
  if (sizes.reached == 0) return nullptr;
  auto access = std::make_unique<Access>();
  access->window = window;
  access->comm = window->comm;
  access->peer = window->comm->peers[static_cast<std::size_t>(what.target.rank)];
  access->context = window->comm->program_context();
  access->effect = commgauge::simulate::Effect::access;
  access->stored = share(e, *access, what, sizes.reached);
  access->capacity = sizes.there;
  window->open.push_back(access.get());
  e.start(*access);
  if (window->open.size() % most_ahead == 0) e.find_accesses();
  return access;
}

/// Without an MPI_Request.
int accessing(const char* name, MPI_Win handle, const AccessArguments& what) {
  return call_on(name, handle, [&](Emulator& e, const WindowPtr& window) {
    if (auto access = start(e, window, what)) window->kept.push_back(std::move(access));
  });
}

/// One whose data have been taken is over for the program, but for what goes back.
int requesting(const char* name, MPI_Win handle, const AccessArguments& what,
               MPI_Request* request) {
  return call_on(name, handle, [&](Emulator& e, const WindowPtr& window) {
    std::unique_ptr<Access> access = start(e, window, what);
    if (access != nullptr && !what.result && !access->leaves_data) {
      window->kept.push_back(std::move(access));
    }
    std::unique_ptr<Request> waited = std::move(access);
    if (waited == nullptr) {
      waited = std::make_unique<Request>();
      waited->comm = window->comm;
      waited->done = true;
    }
    *request = to_handle(std::move(waited));
  });
}

}  // namespace

#define ACCESS(NAME, PARAMETERS, ARGUMENTS, ...) \
  int MPI_##NAME PARAMETERS { return accessing("MPI_" #NAME, win, __VA_ARGS__); }
#define REQUEST_ACCESS(NAME, PARAMETERS, ARGUMENTS, ...) \
  int MPI_##NAME PARAMETERS { return requesting("MPI_" #NAME, win, __VA_ARGS__, request); }

extern "C" {
#include "arguments/access_calls.inc"
}
