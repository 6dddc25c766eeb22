#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace commgauge {

/// What a file is that was given where another one belongs: one of ours, or another tool's trace.
struct FileKind {
  std::string_view name;  ///< of ours the schema without its version: "commgauge.model"
  std::string_view what;  ///< "a model file", "a Paraver trace"
  std::string_view use;   ///< what to do: who reads it, or what to write in its place
};

/// By its schema, with or without a version. Nothing: none of ours.
[[nodiscard]] std::optional<FileKind> kind_of_schema(std::string_view schema);

/// By how it begins, or else by its name. Nothing: it isn't known.
/// @param content  the file's, or its beginning; may be empty
[[nodiscard]] std::optional<FileKind> kind_of(std::string_view content, std::string_view name);

/// What is said where a file of that kind was given.
/// @param wanted  what belongs there: "a model file"
[[nodiscard]] std::string wrong_kind_text(const std::string& file, const FileKind& kind,
                                          std::string_view wanted);

/// By the content alone: a name doesn't tell that a file can't be read.
/// @param read  names of the kinds that are read there, beside such that aren't known
/// @throws InputError  the file is of another kind.
void refuse_other_kinds(std::string_view content, const std::string& file, std::string_view wanted,
                        std::initializer_list<std::string_view> read = {});

}  // namespace commgauge
