#pragma once

#include <string_view>

namespace commgauge::tools {

// The files of page/, in the program.
extern const std::string_view page_html;
extern const std::string_view page_css;
extern const std::string_view page_script;

}  // namespace commgauge::tools
