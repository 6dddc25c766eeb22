#include "commgauge/base/file_kind.hpp"

#include <algorithm>
#include <array>

#include "commgauge/base/error.hpp"
#include "commgauge/base/printable.hpp"

namespace commgauge {
namespace {

constexpr std::array own_kinds{
    FileKind{"commgauge.measurements", "a file of measurements",
             "estimate-model fit FILE -o model.json makes a model of it"},
    FileKind{"commgauge.model", "a model file",
             "estimate-model show, predict, compare, validate and export read it, and --model of "
             "emulate and replay"},
    FileKind{"commgauge.thresholds", "a file of thresholds",
             "commgauge.load_thresholds() of Python reads it"},
    FileKind{"commgauge.emulation", "a report of emulate", "docs/formats.md tells what is in it"},
    FileKind{"commgauge.replay", "a result of replay run", "docs/formats.md tells what is in it"},
    FileKind{"commgauge.explanation", "a result of replay explain",
             "docs/formats.md tells what is in it"},
    FileKind{"commgauge.what-if", "a result of replay what-if",
             "docs/formats.md tells what is in it"},
    FileKind{"commgauge.speed", "a processor's speed", "record --speed --against FILE reads it"},
    FileKind{"commgauge.speed-ratio", "a ratio of two processors' speeds",
             "--time-ratio FILE of emulate and replay reads it"},
    FileKind{"trace events", "a file of trace events", "https://ui.perfetto.dev shows it"},
    FileKind{"page", "a web page", "a browser shows it"},
    FileKind{"GOAL", "a GOAL schedule", "replay goal reads it"},
    FileKind{"OTF2", "the anchor of an OTF2 archive", "replay reads it"},
    FileKind{"sweeps", "CSV of sweeps", "thresholds fit reads it"},
};

FileKind own_kind(std::string_view name) {
  return *std::ranges::find(own_kinds, name, &FileKind::name);
}

/// How others' files begin, after so many bytes at most.
struct Beginning {
  std::string_view text;
  std::size_t within;
  FileKind kind;
};

constexpr std::string_view to_otf2 =
    "nothing here reads it, record the program with record or Score-P, which write OTF2";
constexpr std::string_view to_events =
    "it has no events, record the program with record or Score-P (SCOREP_ENABLE_TRACING=true)";

constexpr FileKind paraver{"Paraver", "a Paraver trace", to_otf2};
constexpr FileKind paje{"Paje", "a Paje trace", to_otf2};
constexpr FileKind clog2{"CLOG2", "a CLOG2 trace of MPE", to_otf2};
constexpr FileKind slog2{"SLOG2", "an SLOG2 trace of Jumpshot", to_otf2};
constexpr FileKind cube{"CUBE", "a CUBE profile of Scalasca or Score-P", to_events};
constexpr FileKind hpctoolkit{"HPCToolkit", "a measurement of HPCToolkit", to_otf2};
constexpr FileKind nsight{"Nsight", "a report of Nsight", to_otf2};
constexpr FileKind sqlite{"SQLite", "an SQLite database, as Nsight Systems exports", to_otf2};
constexpr FileKind tau_trace{"TAU", "a trace of TAU", to_otf2};
constexpr FileKind tau_profile{"TAU profile", "a profile of TAU", to_events};
constexpr FileKind otf1{"OTF", "a trace of the first Open Trace Format (OTF, not OTF2)", to_otf2};
constexpr FileKind dumpi{"dumpi", "a dumpi trace of SST", to_otf2};
constexpr FileKind epilog{"EPILOG", "an EPILOG trace of Scalasca", to_otf2};
constexpr FileKind stf{"STF", "a trace of Intel's Trace Collector", to_otf2};
constexpr FileKind ti{"TI", "a time-independent trace of SimGrid", to_otf2};

constexpr std::array beginnings{
    Beginning{"#Paraver", 0, paraver},      Beginning{"%EventDef", 0, paje},
    Beginning{"CLOG-0", 0, clog2},          Beginning{"SLOG 2", 16, slog2},
    Beginning{"<cube ", 512, cube},         Beginning{"anchor.xml", 0, cube},
    Beginning{"HPCRUN-", 0, hpctoolkit},    Beginning{"HPCPROF-", 0, hpctoolkit},
    Beginning{"HPCTOOLKIT", 0, hpctoolkit}, Beginning{"SQLite format 3", 0, sqlite},
};

/// How others' files are called. `end` is in lower case.
struct Naming {
  std::string_view beginning;
  std::string_view end;
  FileKind kind;
};

constexpr std::array namings{
    Naming{"", ".prv", paraver},       Naming{"", ".prv.gz", paraver},
    Naming{"", ".paje", paje},         Naming{"", ".clog2", clog2},
    Naming{"", ".slog2", slog2},       Naming{"", ".cubex", cube},
    Naming{"", ".cube", cube},         Naming{"", ".cube.gz", cube},
    Naming{"", ".hpcrun", hpctoolkit}, Naming{"", ".hpctrace", hpctoolkit},
    Naming{"", ".nsys-rep", nsight},   Naming{"", ".ncu-rep", nsight},
    Naming{"", ".qdrep", nsight},      Naming{"", ".trc", tau_trace},
    Naming{"", ".edf", tau_trace},     Naming{"profile.", ".0", tau_profile},
    Naming{"", ".otf", otf1},          Naming{"dumpi-", ".bin", dumpi},
    Naming{"dumpi-", ".meta", dumpi},  Naming{"", ".elg", epilog},
    Naming{"", ".stf", stf},
};

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

/// "0 init", "p3 compute 1e9": an action of SimGrid's, of a rank.
bool is_time_independent(std::string_view line) {
  if (line.starts_with('p')) line.remove_prefix(1);
  const auto digits = std::min(line.find_first_not_of("0123456789"), line.size());
  if (digits == 0 || digits == line.size() || line[digits] != ' ') return false;
  line.remove_prefix(digits + 1);
  const std::string_view action = line.substr(0, line.find_first_of(" \r"));
  constexpr std::array actions{"init", "compute", "send", "isend", "recv", "irecv", "barrier"};
  return std::ranges::find(actions, action) != actions.end();
}

/// The text of a JSON file's first member of that name, if it is one.
std::string_view text_member(std::string_view json, std::string_view quoted_name) {
  auto place = json.find(quoted_name);
  if (place == std::string_view::npos) return {};
  place = json.find_first_not_of(" \t\r\n:", place + quoted_name.size());
  if (place == std::string_view::npos || json[place] != '"') return {};
  const std::string_view text = json.substr(place + 1);
  return text.substr(0, text.find('"'));
}

std::optional<FileKind> kind_of_json(std::string_view json) {
  constexpr std::size_t searched = 1U << 16U;
  json = json.substr(0, searched);
  if (const auto own = kind_of_schema(text_member(json, "\"schema\""))) return own;
  const bool has_events = json.find("\"traceEvents\"") != std::string_view::npos ||
                          !text_member(json, "\"ph\"").empty();
  return has_events ? std::optional{own_kind("trace events")} : std::nullopt;
}

/// Of ours that is no JSON.
std::optional<FileKind> kind_of_text(std::string_view text) {
  const std::string_view line = first_line(text);
  if (line.starts_with("num_ranks")) return own_kind("GOAL");
  if (line.starts_with("<!DOCTYPE html")) return own_kind("page");
  if (text.substr(0, 16).find("BOTF2") != std::string_view::npos) return own_kind("OTF2");
  if (text.substr(0, 16).find("#OTF2") != std::string_view::npos) return own_kind("OTF2");
  const bool has_columns = line.find("size_bytes") != std::string_view::npos &&
                           line.find("time_s") != std::string_view::npos;
  return has_columns && line.find("model") == std::string_view::npos
             ? std::optional{own_kind("sweeps")}
             : std::nullopt;
}

std::optional<FileKind> kind_by_content(std::string_view content) {
  const auto start = content.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return std::nullopt;
  const std::string_view text = content.substr(start);
  if (text.front() == '{' || text.front() == '[') return kind_of_json(text);
  for (const auto& [beginning, within, kind] : beginnings) {
    if (content.substr(0, within + beginning.size()).find(beginning) != std::string_view::npos) {
      return kind;
    }
  }
  if (is_time_independent(first_line(text))) return ti;
  return kind_of_text(text);
}

std::optional<FileKind> kind_by_name(std::string_view path) {
  std::string name{path.substr(path.find_last_of('/') + 1)};
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  for (const auto& [beginning, end, kind] : namings) {
    if (name.starts_with(beginning) && name.ends_with(end)) return kind;
  }
  return std::nullopt;
}

}  // namespace

std::optional<FileKind> kind_of_schema(std::string_view schema) {
  const auto* const found =
      std::ranges::find(own_kinds, schema.substr(0, schema.find('/')), &FileKind::name);
  return schema.starts_with("commgauge.") && found != own_kinds.end() ? std::optional{*found}
                                                                      : std::nullopt;
}

std::optional<FileKind> kind_of(std::string_view content, std::string_view name) {
  const auto kind = kind_by_content(content);
  return kind ? kind : kind_by_name(name);
}

std::string wrong_kind_text(const std::string& file, const FileKind& kind,
                            std::string_view wanted) {
  std::string use{kind.use};
  if (const auto place = use.find("FILE"); place != std::string::npos) use.replace(place, 4, file);
  return one_line(file + " is " + std::string{kind.what} + " (" + std::string{wanted} +
                  " belongs here): " + use);
}

void refuse_other_kinds(std::string_view content, const std::string& file, std::string_view wanted,
                        std::initializer_list<std::string_view> read) {
  const auto kind = kind_by_content(content);
  if (!kind || std::ranges::find(read, kind->name) != read.end()) return;
  throw InputError(wrong_kind_text(file, *kind, wanted));
}

}  // namespace commgauge
