// The run's time against latency, bandwidth, overheads and computing: page_what_ifs.hpp says how
// it is written.

const WHAT_IFS_HEIGHT = 190;
const MARGINS = { left: 58, right: 14, top: 44, bottom: 24 };
const MOST_TOLERATED = 1024; // beyond it no tolerance is sought
const LEAST_RANGE = 1.05; // of the longest time shown to the shortest

// What is multiplied, how it gets worse, and what tolerances count.
const QUANTITIES = {
  latency: { name: "Latency", what: "latency", worse: "grow to", factor: (slower) => slower },
  bandwidth: { name: "Bandwidth", what: "bandwidth", worse: "fall to", factor: (slower) => 1 / slower },
  overheads: { name: "Overheads", what: "overheads of messages", worse: "grow to", factor: (slower) => slower },
  computing: { name: "Computing", what: "computing", worse: "grow to", factor: (slower) => slower },
};

const whatIfs = (explanation && explanation.what_ifs) || { curves: [], tolerances: [], left_out: "" };
const factorText = (factor) => (factor >= 1 ? rounded(factor, 4) : `1/${rounded(1 / factor, 4)}`);
const tolerancesOf = (quantity) => whatIfs.tolerances.filter((one) => one.quantity === quantity);

function changeText(ratio) {
  const change = ratio - 1;
  if (Math.abs(change) < 5e-5) return "as long";
  return `${percentText(Math.abs(change))} ${change < 0 ? "shorter" : "longer"}`;
}

// Half and twice, as far as the curve has them.
function endsText({ quantity, points }) {
  const { what } = QUANTITIES[quantity];
  const texts = [];
  for (const [factor, words] of [[0.5, "half the"], [2, "twice the"]]) {
    const point = points.find((one) => Math.abs(one.factor / factor - 1) < 1e-9);
    if (point) texts.push(`with ${words} ${what} ${changeText(point.ratio)}`);
  }
  return texts.length === 0 ? "" : `The run takes ${seconds(explanation.time_s.value)}; ${texts.join(", ")}.`;
}

function toleranceText(quantity) {
  const { name, what, worse, factor } = QUANTITIES[quantity];
  const all = tolerancesOf(quantity);
  const known = all.filter((one) => one.slower !== null);
  const texts = [];
  if (known.length > 0) {
    const said = known.map((one) => {
      const added = one.added_s === null ? "" : ` (${seconds(one.added_s)} more)`;
      return `${rounded(factor(one.slower), 3)} times${added} before the run takes ${percentText(one.longer)} longer`;
    });
    const rest = said.slice(1).map((text) => text.replace(/before the run takes (.*) longer/, "for $1"));
    texts.push(`${name} may ${worse} ${[said[0], ...rest].join(", ")}.`);
  }
  const free = all.find((one) => one.slower === null);
  if (free) {
    texts.push(`Even with ${factorText(factor(MOST_TOLERATED))} times the ${what} it takes less than ` +
      `${percentText(free.longer)} longer.`);
  }
  return texts.join(" ");
}

// From the shortest to the longest time of all curves.
function timeRange() {
  const points = whatIfs.curves.flatMap((curve) => curve.points);
  let low = Math.min(...points.map((one) => (one.low_s > 0 ? one.low_s : one.time_s)));
  let high = Math.max(...points.map((one) => one.high_s ?? one.time_s));
  const missing = Math.max(1, LEAST_RANGE / (high / low));
  low /= Math.sqrt(missing);
  high *= Math.sqrt(missing);
  return { low: low / 1.03, high: high * 1.03 };
}

// Round numbers between the two, not too many.
function timeTicks({ low, high }, most) {
  const found = (step) => {
    const ticks = [];
    for (let k = Math.ceil(low / step); k * step <= high; ++k) ticks.push(k * step);
    return ticks;
  };
  if (high / low > 3) {
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power) {
      for (const digit of [1, 2, 5]) ticks.push(digit * 10 ** power);
    }
    return ticks.filter((tick) => tick >= low && tick <= high);
  }
  const power = 10 ** Math.floor(Math.log10(high - low));
  for (const digit of [0.1, 0.2, 0.5, 1, 2, 5]) {
    const ticks = found(digit * power);
    if (ticks.length <= most) return ticks;
  }
  return [];
}

// Where a factor and a time are in a picture of this width; both axes are logarithmic.
function scalesOf(curve, range, width, height) {
  const { left, right, top, bottom } = MARGINS;
  const first = Math.log(curve.points[0].factor);
  const last = Math.log(curve.points[curve.points.length - 1].factor);
  const [lowest, highest] = [Math.log(range.low), Math.log(range.high)];
  return {
    x: (factor) => left + ((Math.log(factor) - first) / (last - first)) * (width - left - right),
    y: (time) => height - bottom - ((Math.log(time) - lowest) / (highest - lowest)) * (height - top - bottom),
  };
}

function drawAxes(context, curve, range, { x, y }, width, height) {
  context.font = "12px system-ui, sans-serif";
  context.lineWidth = 1;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const tick of timeTicks(range, 5)) {
    context.strokeStyle = colours.rule;
    line(context, MARGINS.left, y(tick), width - MARGINS.right, y(tick));
    context.fillStyle = colours.soft;
    context.fillText(seconds(tick), MARGINS.left - 6, y(tick));
  }
  context.textBaseline = "top";
  context.textAlign = "center";
  const { points } = curve;
  const ends = [points[0].factor, points[points.length - 1].factor];
  for (let factor = 2 ** Math.ceil(Math.log2(ends[0]) - 1e-9); factor <= ends[1] * (1 + 1e-9); factor *= 2) {
    context.fillStyle = colours.soft;
    context.fillText(`× ${factorText(factor)}`, Math.min(x(factor), width - 14), height - MARGINS.bottom + 7);
    context.strokeStyle = factor === 1 ? colours.soft : colours.rule;
    line(context, x(factor), MARGINS.top, x(factor), height - MARGINS.bottom);
  }
}

function line(context, x1, y1, x2, y2) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

function drawCurve(context, { points }, { x, y }) {
  if (points.every((one) => one.low_s !== null)) {
    context.beginPath();
    for (const one of points) context.lineTo(x(one.factor), y(one.high_s));
    for (const one of [...points].reverse()) context.lineTo(x(one.factor), y(one.low_s));
    context.globalAlpha = 0.22;
    context.fillStyle = colours.accent;
    context.fill();
    context.globalAlpha = 1;
  }
  context.strokeStyle = context.fillStyle = colours.accent;
  context.lineWidth = 2;
  context.beginPath();
  for (const one of points) context.lineTo(x(one.factor), y(one.time_s));
  context.stroke();
  for (const one of points) {
    context.beginPath();
    context.arc(x(one.factor), y(one.time_s), 2.8, 0, 2 * Math.PI);
    context.fill();
  }
}

// A line for each tolerance that is in the picture, its name in a row of its own.
function drawTolerances(context, curve, { x }, height) {
  const { points, quantity } = curve;
  const [first, last] = [points[0].factor, points[points.length - 1].factor];
  let drawn = 0;
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.lineWidth = 1.2;
  for (const [row, one] of tolerancesOf(quantity).entries()) {
    const factor = QUANTITIES[quantity].factor(one.slower);
    if (one.slower === null || factor < first || factor > last) continue;
    const isLeft = factor < 1;
    const middle = 8 + 14 * row;
    context.strokeStyle = context.fillStyle = colours.critical;
    line(context, x(factor), middle, x(factor), height - MARGINS.bottom);
    context.textAlign = isLeft ? "right" : "left";
    context.fillText(`+${percentText(one.longer)}`, x(factor) + (isLeft ? -4 : 4), middle);
    ++drawn;
  }
  return drawn;
}

function drawWhatIfs() {
  if (whatIfs.curves.length === 0) return;
  const range = timeRange();
  for (const curve of whatIfs.curves) {
    const one = element(`what-if-${curve.quantity}`);
    const { context, width, height } = fit(one, WHAT_IFS_HEIGHT);
    const scales = scalesOf(curve, range, width, height);
    context.clearRect(0, 0, width, height);
    drawAxes(context, curve, range, scales, width, height);
    drawCurve(context, curve, scales);
    one.dataset.tolerances = drawTolerances(context, curve, scales, height);
  }
}

const intervalOf = (low, high, text) => (low === null ? "-" : `${text(low)} to ${text(high)}`);
const ratioText = (ratio) => rounded(ratio, 4);

function pointText(quantity, point) {
  const interval = point.low_s === null ? "" : ` (${intervalOf(point.low_s, point.high_s, seconds)})`;
  const ratios = point.ratio_low === null || point.ratio_low === point.ratio_high ? ""
    : `\nthat is ${ratioText(point.ratio_low)} to ${ratioText(point.ratio_high)} times the run's time`;
  return `${QUANTITIES[quantity].what} × ${factorText(point.factor)}: ${seconds(point.time_s)}${interval}, ` +
    `${changeText(point.ratio)}${ratios}`;
}

function sayPoint(event, curve) {
  const box = event.currentTarget.getBoundingClientRect();
  const { x } = scalesOf(curve, timeRange(), box.width, box.height);
  const away = (point) => Math.abs(x(point.factor) - (event.clientX - box.left));
  const near = curve.points.reduce((best, one) => (away(one) < away(best) ? one : best));
  showTip(pointText(curve.quantity, near), event.clientX, event.clientY);
}

function addWhatIf(curve) {
  const { name } = QUANTITIES[curve.quantity];
  const figure = add(element("what-ifs"), "figure");
  add(figure, "figcaption", name);
  const one = add(figure, "canvas");
  one.id = `what-if-${curve.quantity}`;
  one.setAttribute("role", "img");
  one.setAttribute("aria-label", `The run's time against ${QUANTITIES[curve.quantity].what}`);
  one.addEventListener("pointermove", (event) => sayPoint(event, curve));
  one.addEventListener("pointerdown", (event) => sayPoint(event, curve));
  one.addEventListener("pointerleave", () => showTip("", 0, 0));
  add(figure, "p", [endsText(curve), toleranceText(curve.quantity)].filter(Boolean).join(" ")
    .replaceAll(/(\d) (?=[a-zµ%]+s?\b|%)/g, "$1\u00a0"));
  for (const point of curve.points) {
    const row = add(element("what-ifs-table").tBodies[0], "tr");
    add(row, "th", name).scope = "row";
    addCells(row, [rounded(point.factor, 4), seconds(point.time_s),
      intervalOf(point.low_s, point.high_s, seconds), ratioText(point.ratio),
      intervalOf(point.ratio_low, point.ratio_high, ratioText)]);
  }
}

function writeWhatIfs() {
  const { curves, tolerances, replays, left_out } = whatIfs;
  element("what-ifs-section").hidden = curves.length === 0 && left_out === "";
  element("what-ifs-note").textContent = left_out;
  element("what-ifs-numbers").hidden = element("what-ifs").hidden = curves.length === 0;
  if (curves.length === 0) return;
  const hasInterval = curves.some(({ points }) => points.some((one) => one.low_s !== null));
  const interval = hasInterval ? " Around each line is the time's interval." : "";
  const red = tolerances.length === 0 ? ""
    : " Red lines: by how much it may get worse before the run takes 1, 2 and 5\u00a0% longer.";
  element("what-ifs-about").textContent =
    "The run's time if one thing were better or worse by a factor, and all else the same. The flatter a line, the " +
    `less that matters.${interval}${red} Found by ${counted(replays, "replay")}.`;
  for (const curve of curves) addWhatIf(curve);
}
