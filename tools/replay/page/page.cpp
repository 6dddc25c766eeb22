#include "replay/page/page.hpp"

#include <string_view>

#include "replay/json/result_json.hpp"
#include "replay/page/page_events.hpp"
#include "replay/page/page_files.hpp"
#include "replay/text/result_text.hpp"

namespace commgauge::tools {

namespace {

/// JSON that can stand within <script>: nothing in it ends that.
std::string head_text(const Outcome& outcome, const PageExplanation* explained) {
  nlohmann::ordered_json head = result_json(outcome);
  head["interval_meaning"] = outcome.interval_meaning;
  head["where"] = machine_text(outcome);
  head["names"] = outcome.trace.names;
  if (explained != nullptr) head["explanation"] = explanation_head(*explained);
  std::string text;
  for (const char c : json_text(head)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string page_text(const Outcome& outcome, const PageExplanation* explained) {
  std::string text;
  std::string_view rest = page_html;
  const auto add = [&](std::string_view place, std::string_view content) {
    const std::size_t at = rest.find(place);
    text += rest.substr(0, at);
    text += content;
    rest.remove_prefix(at + place.size());
  };
  add("{css}", page_css);
  add("{head}", head_text(outcome, explained));
  add("{events}", page_events(outcome));
  add("{explanation}", explained != nullptr ? explanation_events(outcome, *explained) : "");
  add("{script}", page_script);
  text += rest;
  return text;
}

}  // namespace commgauge::tools
