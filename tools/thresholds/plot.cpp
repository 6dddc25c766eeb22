#include "plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "commgauge/model/interval_meaning.hpp"
#include "common/table.hpp"
#include "describe.hpp"

namespace commgauge::tools {

namespace {

constexpr int width = 900;
constexpr int panel_height = 460;
constexpr const char* dot_colour = "#7a7a7a";
constexpr const char* mark_colour = "#0b4f8a";
constexpr const char* fitted_colour = "#111111";
constexpr const char* line_colour = "#d1490a";
constexpr const char* break_colour = "#000000";
constexpr const char* band_colour = "#f3dcae";
constexpr const char* hatch_colour = "#b8b8b8";
constexpr const char* limit_colour = "#5b2a86";

std::string digits(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

/// In single quotes gnuplot takes every character as it is. A doubled quote stands for a quote, but
/// not at the string's start: it becomes an apostrophe.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "\u2019" : std::string{c};
  return result + "'";
}

struct Range {
  double low{};
  double high{};
};

Range times_of(const Sweep& sweep) {
  Range range{HUGE_VAL, 0};
  for (const SweepPoint& point : sweep.points) {
    const auto [least, most] = std::minmax_element(point.times_s.begin(), point.times_s.end());
    range.low = std::min(range.low, *least);
    range.high = std::max(range.high, *most);
  }
  return range;
}

/// On a logarithmic axis there is no place for size 0.
double place_of(Bytes size) { return std::max(1.0, static_cast<double>(size.value)); }

double place_at(const Sweep& sweep, std::size_t point) {
  return place_of(sweep.points[point].size);
}

using Tics = std::vector<std::string>;

std::string tics_text(const char* axis, const Tics& tics) {
  std::string text =
      std::string{"set "} + axis + "tics nomirror out" + (*axis == 'x' ? " offset 0,0.3 (" : " (");
  for (std::size_t k = 0; k < tics.size(); ++k) text += (k > 0 ? ", " : "") + tics[k];
  return text + ")\n";
}

/// Powers of two, labelled a few times.
std::string size_tics(const Range& sizes) {
  constexpr int most_labels = 11;
  constexpr int largest_power = 63;
  const int first = std::max(0, static_cast<int>(std::floor(std::log2(sizes.low))));
  const int last = std::min(largest_power, static_cast<int>(std::ceil(std::log2(sizes.high))));
  const int step = (last - first) / most_labels + 1;
  Tics tics;
  for (int power = first; power <= last; ++power) {
    const Bytes size{std::uint64_t{1} << power};
    const bool labelled = power % step == 0;
    tics.push_back((labelled ? quoted(to_text(size)) : "''") + " " + std::to_string(size.value) +
                   (labelled ? " 0" : " 1"));
  }
  return tics_text("x", tics);
}

/// Powers of ten with 2 and 5 between them where there is room for their names.
std::string time_tics(const Range& times) {
  constexpr double few_decades = 2.5;
  const bool all_named = std::log10(times.high / times.low) < few_decades;
  Tics tics;
  const int first = static_cast<int>(std::floor(std::log10(times.low)));
  const int last = static_cast<int>(std::ceil(std::log10(times.high)));
  for (int power = first; power <= last; ++power) {
    for (int k = 1; k < 10; ++k) {
      const double time = k * std::pow(10, power);
      const bool named = k == 1 || (all_named && (k == 2 || k == 5));
      char name[40];
      const int scale = power >= 0 ? 0 : power >= -3 ? -3 : power >= -6 ? -6 : -9;
      const char* unit = scale == 0 ? "s" : scale == -3 ? "ms" : scale == -6 ? "µs" : "ns";
      std::snprintf(name, sizeof name, "%g %s", k * std::pow(10, power - scale), unit);
      tics.push_back((named ? quoted(name) : "''") + " " + digits(time) + (named ? " 0" : " 1"));
    }
  }
  return tics_text("y", tics);
}

std::string block(const std::string& name, const std::string& rows) {
  return "$" + name + " << END_OF_DATA\n" + rows + "END_OF_DATA\n";
}

std::string repetitions(const Sweep& sweep) {
  std::string rows;
  for (const SweepPoint& point : sweep.points) {
    for (const double time : point.times_s) {
      rows += digits(place_of(point.size)) + " " + digits(time) + "\n";
    }
  }
  return rows;
}

std::string medians(const Sweep& sweep) {
  std::string rows;
  for (const SweepPoint& point : sweep.points) {
    rows += digits(place_of(point.size)) + " " + digits(point.time_s()) + "\n";
  }
  return rows;
}

/// What the lines were fitted to.
std::string fitted_medians(const SweepAnalysis& analysis) {
  std::string rows;
  for (std::size_t p = 0; p < analysis.fitted_s.size(); ++p) {
    const double time = analysis.fitted_s[p];
    if (std::isnan(time)) continue;
    rows += digits(place_at(analysis.sweep, p)) + " " + digits(time) + "\n";
  }
  return rows;
}

/// A straight line is a curve on logarithmic axes. Where it is not positive it can't be drawn.
std::string line_rows(const Segment& segment, const Sweep& sweep) {
  constexpr int steps = 80;
  const double first = place_at(sweep, segment.first);
  const double last = place_at(sweep, segment.last);
  std::string rows;
  for (int k = 0; k <= steps; ++k) {
    const double size = first * std::pow(last / first, static_cast<double>(k) / steps);
    const double time = segment.intercept.value + segment.slope.value * size;
    rows += time > 0 ? digits(size) + " " + digits(time) + "\n" : "\n";
  }
  return rows + "\n";
}

std::string lines(const SweepAnalysis& analysis) {
  std::string rows;
  for (const Segment& segment : analysis.segmentation.segments) {
    rows += line_rows(segment, analysis.sweep);
  }
  return rows;
}

std::string band(double low, double high, const std::string& style) {
  return "set object rectangle from first " + digits(low) + ", graph 0 to first " + digits(high) +
         ", graph 1 behind " + style + "\n";
}

std::string vertical(double size, const std::string& style) {
  return "set arrow from first " + digits(size) + ", graph 0 to first " + digits(size) +
         ", graph 1 nohead " + style + "\n";
}

std::string solid(const char* colour, double opacity = 1) {
  return std::string{"fillcolor rgb '"} + colour + "' fillstyle transparent solid " +
         digits(opacity) + " noborder";
}

/// A band without an upper end: it fades.
std::string fading_band(double low, double high, const char* colour) {
  constexpr int steps = 24;
  const double ratio = std::pow(high / low, 1.0 / steps);
  std::string commands;
  for (int k = 0; k < steps; ++k) {
    const double begin = low * std::pow(ratio, k);
    commands += band(begin, begin * ratio, solid(colour, 1 - (k + 0.5) / steps));
  }
  return commands;
}

std::string hatched() {
  return std::string{"fillcolor rgb '"} + hatch_colour +
         "' fillstyle transparent pattern 4 "
         "noborder";
}

std::string stroke(const char* colour, const char* dashes, const char* thickness) {
  return std::string{"linecolor rgb '"} + colour + "' dashtype " + dashes + " linewidth " +
         thickness;
}

const std::string& break_style() {
  static const std::string style = stroke(break_colour, "2", "1.6");
  return style;
}

const std::string& limit_style() {
  static const std::string style = stroke(limit_colour, "3", "2.4");
  return style;
}

/// Names at vertical lines, each lower than the one before it.
class Labels {
 public:
  explicit Labels(const Range& sizes) : middle_{std::sqrt(sizes.low * sizes.high)} {}

  /// On the side where there is more room.
  void add(double size, const std::string& text) {
    constexpr double top = 0.955;
    constexpr double step = 0.06;
    const double height = top - step * static_cast<double>(count_++);
    text_ += "set label " + quoted(text) + " at first " + digits(size) + ", graph " +
             digits(height) +
             (size > middle_ ? " right offset -0.8,0 front boxed\n"
                             : " left offset 0.8,0 front boxed\n");
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  double middle_;
  std::string text_;
  int count_{};
};

std::string key_entry(const std::string& style, const std::string& title) {
  return ", \\\n  keyentry with " + style + " title " + quoted(title);
}

/// What is drawn of one sweep beside its points and lines.
struct Marks {
  std::string commands;  ///< before the plot
  std::string key;       ///< of the plot command
};

/// The interval of a break. Open above, it is certain as far as the break itself and fades from
/// there to the edge.
std::string interval_band(const Threshold& found, double edge) {
  const double low = place_of(*found.low);
  if (found.high) return band(low, place_of(*found.high), solid(band_colour));
  const double size = place_of(*found.size);
  return (low < size ? band(low, size, solid(band_colour)) : "") +
         fading_band(size, edge, band_colour);
}

void add_breaks(Marks& marks, Labels& labels, const SweepAnalysis& analysis,
                const std::string& meaning, double edge) {
  const auto& breaks = analysis.segmentation.breaks;
  bool has_bands = false;
  bool has_open_ones = false;
  for (const Break& one : breaks) {
    const Threshold found = threshold_of(one, analysis.sweep);
    if (found.low) {
      marks.commands += interval_band(found, edge);
      has_bands = true;
      has_open_ones = has_open_ones || !found.high;
    }
    marks.commands += vertical(place_of(*found.size), "front " + break_style());
    labels.add(place_of(*found.size), to_text(*found.size));
  }
  if (!breaks.empty()) marks.key += key_entry("lines " + break_style(), "break");
  if (has_bands) {
    marks.key +=
        key_entry("boxes " + solid(band_colour),
                  "its interval" + std::string{has_open_ones ? ", open above: " : ": "} + meaning);
  }
}

void add_escalations(Marks& marks, const SweepAnalysis& analysis) {
  const Escalations& escalations = analysis.escalations;
  if (!escalations.found) return;
  marks.commands += band(place_at(analysis.sweep, escalations.first),
                         place_at(analysis.sweep, escalations.last), hatched());
  marks.key += key_entry("boxes " + hatched(), "escalations");
}

void add_eager_limit(Marks& marks, Labels& labels, const std::optional<Bytes>& limit,
                     const Range& sizes) {
  if (!limit) return;
  const auto size = static_cast<double>(limit->value);
  if (size < sizes.low || size > sizes.high) return;
  marks.commands += vertical(size, "front " + limit_style());
  marks.key += key_entry("lines " + limit_style(), "eager limit");
  labels.add(size, "eager limit " + std::to_string(limit->value) + " B");
}

Marks marks_of(const SweepAnalysis& analysis, const Thresholds& thresholds, const Range& sizes) {
  Marks marks;
  Labels labels{sizes};
  add_breaks(marks, labels, analysis, interval_meaning(thresholds), sizes.high);
  add_escalations(marks, analysis);
  add_eager_limit(marks, labels, thresholds.eager_limit.size, sizes);
  marks.commands += labels.text();
  return marks;
}

std::string title_of(const SweepAnalysis& analysis, const Thresholds& thresholds) {
  const Sweep& sweep = analysis.sweep;
  std::string title = name_of(sweep);
  if (!thresholds.launches.empty()) {
    title += ", " + counted(std::ssize(thresholds.launches.front().ranks), "rank") + ", root " +
             std::to_string(sweep.root);
  }
  return title + ": " + extent_of(sweep);
}

std::string panel(const SweepAnalysis& analysis, const Thresholds& thresholds) {
  const Sweep& sweep = analysis.sweep;
  const Range sizes{place_of(sweep.points.front().size) / 1.25,
                    place_of(sweep.points.back().size) * 1.25};
  const Range drawn = times_of(sweep);
  const Range times{drawn.low / 1.4, drawn.high * 1.9};
  const Marks marks = marks_of(analysis, thresholds, sizes);
  const bool two_kinds = analysis.escalations.found && analysis.reason.empty();
  const char* const medians_title = two_kinds ? "'median of all'" : "'median'";
  const std::string fitted =
      two_kinds ? std::string{", \\\n  $fitted with points pointtype 2 pointsize 0.6 linewidth 1.5 "
                              "linecolor rgb '"} +
                      fitted_colour + "' title 'fitted median'"
                : "";
  return block("repetitions", repetitions(sweep)) + block("medians", medians(sweep)) +
         block("fitted", fitted_medians(analysis)) + block("lines", lines(analysis)) +
         "unset object\nunset arrow\nunset label\n" + "set title " +
         quoted(title_of(analysis, thresholds)) + " font ',15'\n" + "set xrange [" +
         digits(sizes.low) + ":" + digits(sizes.high) + "]\nset yrange [" + digits(times.low) +
         ":" + digits(times.high) + "]\n" + size_tics(sizes) + time_tics(times) + marks.commands +
         "plot $repetitions with points pointtype 7 pointsize 0.3 linecolor rgb '" + dot_colour +
         "' title 'repetition', \\\n  $medians with points pointtype 6 pointsize 0.75 linewidth "
         "1.5 linecolor rgb '" +
         mark_colour + "' title " + medians_title + fitted + ", \\\n  $lines with lines " +
         stroke(line_colour, "1", "2.2") + " title 'fitted line'" + marks.key + "\n";
}

}  // namespace

std::string plot_script(const Thresholds& thresholds) {
  const auto has_points = [](const SweepAnalysis& analysis) {
    return !analysis.sweep.points.empty();
  };
  const auto panels =
      std::max<std::ptrdiff_t>(1, std::ranges::count_if(thresholds.sweeps, has_points));
  std::string script =
      "set encoding utf8\n"
      "set terminal svg noenhanced size " +
      std::to_string(width) + "," + std::to_string(panels * panel_height) +
      " font 'sans-serif,13' background rgb 'white'\n"
      "set logscale xy\n"
      "set border 3\n"
      "set grid xtics ytics linecolor rgb '#e4e4e4' linetype 1 linewidth 0.6\n"
      "set key below horizontal center samplen 2.5 height 0.6 maxcols 4\n"
      "set style textbox opaque noborder fillcolor rgb 'white'\n"
      "set xlabel 'message size' offset 0,0.5\n"
      "set ylabel 'time'\n";
  script += "set multiplot layout " + std::to_string(panels) + ",1\n";
  for (const SweepAnalysis& analysis : thresholds.sweeps) {
    if (has_points(analysis)) script += panel(analysis, thresholds);
  }
  return script + "unset multiplot\n";
}

}  // namespace commgauge::tools
