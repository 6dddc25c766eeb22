#include "write/collectives.hpp"

#include <cstring>
#include <exception>

namespace commgauge::trace {
namespace {

using Context = OTF2_CollectiveContext;

std::size_t size_of(OTF2_Type type) {
  switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
      return 1;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
      return 2;
    case OTF2_TYPE_UINT32:
    case OTF2_TYPE_INT32:
    case OTF2_TYPE_FLOAT:
      return 4;
    default:
      return 8;
  }
}

/// No exception passes through OTF2.
template <typename What>
OTF2_CallbackCode guarded(const Context* context, const What& what) {
  if (context->is_given_up) return OTF2_CALLBACK_ERROR;
  try {
    what();
    return OTF2_CALLBACK_SUCCESS;
  } catch (const std::exception&) {
    return OTF2_CALLBACK_ERROR;
  }
}

std::string_view bytes(const void* data, std::size_t size) {
  return {static_cast<const char*>(data), size};
}

OTF2_CallbackCode get_size(void*, Context* context, std::uint32_t* size) {
  *size = static_cast<std::uint32_t>(context->together->size());
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode get_rank(void*, Context* context, std::uint32_t* rank) {
  *rank = static_cast<std::uint32_t>(context->together->rank());
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode barrier(void*, Context* context) {
  return guarded(context, [&] { context->together->barrier(); });
}

OTF2_CallbackCode bcast(void*, Context* context, void* data, std::uint32_t count, OTF2_Type type,
                        std::uint32_t) {
  return guarded(context, [&] {
    const auto size = count * size_of(type);
    const auto got = context->together->bcast(bytes(data, size));
    std::memcpy(data, got.data(), std::min(size, got.size()));
  });
}

OTF2_CallbackCode gatherv(void*, Context* context, const void* in, std::uint32_t count, void* out,
                          const std::uint32_t*, OTF2_Type type, std::uint32_t) {
  return guarded(context, [&] {
    auto* to = static_cast<char*>(out);
    for (const auto& one : context->together->gather(bytes(in, count * size_of(type)))) {
      std::memcpy(to, one.data(), one.size());
      to += one.size();
    }
  });
}

OTF2_CallbackCode gather(void* user, Context* context, const void* in, void* out,
                         std::uint32_t count, OTF2_Type type, std::uint32_t root) {
  return gatherv(user, context, in, count, out, nullptr, type, root);
}

OTF2_CallbackCode scatter_by(Context* context, const void* in, const std::uint32_t* counts,
                             void* out, std::uint32_t count, OTF2_Type type) {
  return guarded(context, [&] {
    auto& together = *context->together;
    std::vector<std::string> parts;
    const auto* from = static_cast<const char*>(in);
    for (int rank = 0; together.rank() == 0 && rank < together.size(); ++rank) {
      const auto size = (counts != nullptr ? counts[rank] : count) * size_of(type);
      parts.emplace_back(from, size);
      from += size;
    }
    const auto got = together.scatter(parts);
    std::memcpy(out, got.data(), std::min(got.size(), count * size_of(type)));
  });
}

OTF2_CallbackCode scatter(void*, Context* context, const void* in, void* out, std::uint32_t count,
                          OTF2_Type type, std::uint32_t) {
  return scatter_by(context, in, nullptr, out, count, type);
}

OTF2_CallbackCode scatterv(void*, Context* context, const void* in, const std::uint32_t* counts,
                           void* out, std::uint32_t count, OTF2_Type type, std::uint32_t) {
  return scatter_by(context, in, counts, out, count, type);
}

}  // namespace

const OTF2_CollectiveCallbacks& collective_callbacks() {
  static const OTF2_CollectiveCallbacks callbacks{.otf2_release = nullptr,
                                                  .otf2_get_size = get_size,
                                                  .otf2_get_rank = get_rank,
                                                  .otf2_create_local_comm = nullptr,
                                                  .otf2_free_local_comm = nullptr,
                                                  .otf2_barrier = barrier,
                                                  .otf2_bcast = bcast,
                                                  .otf2_gather = gather,
                                                  .otf2_gatherv = gatherv,
                                                  .otf2_scatter = scatter,
                                                  .otf2_scatterv = scatterv};
  return callbacks;
}

}  // namespace commgauge::trace
