#include "commgauge/bench/ranks/mpi_library.hpp"

#include <mpi.h>

#include <algorithm>

#include "messages/communicator.hpp"

namespace commgauge::bench {

std::string mpi_library_line() {
  char all[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  check(MPI_Get_library_version(all, &length), "MPI_Get_library_version");
  std::string text(all, static_cast<std::size_t>(length));
  std::ranges::replace(text, '\t', ' ');
  text.erase(std::ranges::find_if(text, [](char c) { return c == '\n' || c == ',' || c == '\0'; }),
             text.end());
  text.erase(
      std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
      text.end());
  return text;
}

std::string name_of_mpi() {
  std::string name = mpi_library_line();
  const std::string word = " Version:";
  if (const std::size_t at = name.find(word); at != std::string::npos) name.erase(at, word.size());
  return name;
}

}  // namespace commgauge::bench
