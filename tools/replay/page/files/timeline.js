// The timelines of a run, and of how it would be: `view` is what is seen of both, draw() draws that.

const FONT = "12px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
const AXIS = 26; // pixels above the rows
const LANE = 15; // of calls at one depth
const MOST_ARROWS = 800;
const LEAST_TIME = 20; // ns in view
const BLOCK = 512; // messages

const canvas = element("timeline");
const view = { from: 0, to: whole, top: 0, bottom: ranks };
const lanes = events.depths.reduce((most, one) => Math.max(most, one.length), 0);
const { messages } = events;
let chosen = -1; // a message
let layout = null; // the same for both

// Of each block of messages when the first was sent; they are in the order of being received.
function firstOfBlocks({ count, sent }) {
  const first = new Float64Array(Math.ceil(count / BLOCK)).fill(Infinity);
  for (let i = 0; i < count; ++i) {
    const block = Math.floor(i / BLOCK);
    first[block] = Math.min(first[block], sent[i]);
  }
  return first;
}

const before = {
  canvas,
  ...events,
  firstSent: firstOfBlocks(messages),
  arrows: [], // messages that are drawn
  end: predicted,
  placeOf: (i) => i, // of a message of the run, and back
  messageAt: (i) => i,
};
let after = null; // the same of how it would be

function eachMessageInView({ messages, firstSent }, work) {
  for (let i = above(messages.received, view.from); i < messages.count; ++i) {
    if (i % BLOCK === 0) {
      while (firstSent[i / BLOCK] >= view.to) i += BLOCK;
      if (i >= messages.count) return;
    }
    if (messages.sent[i] >= view.to) continue;
    const low = Math.min(messages.from[i], messages.to[i]);
    const high = Math.max(messages.from[i], messages.to[i]);
    if (low < view.bottom && high + 1 > view.top) work(i);
  }
}

// Every so many, always the same ones, so that they stay while the view moves.
function arrowsInView(picture) {
  let count = 0;
  eachMessageInView(picture, () => ++count);
  let step = 1;
  while (count / step > MOST_ARROWS) step *= 2;
  const drawn = [];
  eachMessageInView(picture, (i) => {
    if (i % step === 0) drawn.push(i);
  });
  return { count, step, drawn };
}

function canvasHeight() {
  const row = 20 + LANE * Math.min(lanes, 3);
  const most = after ? 380 : innerWidth < 560 ? 420 : 560;
  return AXIS + Math.max(120, Math.min(most, ranks * row)) + 6;
}

function gutterWidth(context, width) {
  const label = (rank) => `${rank} ${head.ranks[rank].host}`;
  context.font = FONT;
  let widest = 0;
  for (let rank = 0; rank < Math.min(ranks, 64); ++rank) {
    widest = Math.max(widest, context.measureText(label(rank)).width);
  }
  return Math.ceil(Math.min(widest + 10, width < 560 ? 64 : 130));
}

// How much of each column's time a rank spends on what, added to shares.
function addShares({ times, doing }, shares, columns) {
  const scale = columns / (view.to - view.from);
  for (let i = Math.max(0, above(times, view.from) - 1); i < doing.length; ++i) {
    if (times[i] >= view.to) return;
    const begin = Math.max(0, (times[i] - view.from) * scale);
    const end = Math.min(columns, (times[i + 1] - view.from) * scale);
    const first = Math.floor(begin);
    const last = Math.floor(end);
    const what = doing[i];
    if (first === last) {
      if (first < columns) shares[DOINGS.length * first + what] += end - begin;
      continue;
    }
    shares[DOINGS.length * first + what] += first + 1 - begin;
    for (let column = first + 1; column < last; ++column) shares[DOINGS.length * column + what] += 1;
    if (last < columns) shares[DOINGS.length * last + what] += end - last;
  }
}

// Rows of pixels: columns are cut by shares, computing at the bottom.
function paint(pixels, columns, top, height, shares, count, palette, empty) {
  const bottom = top + height;
  for (let column = 0; column < columns; ++column) {
    let at = bottom;
    let sum = 0;
    for (let what = 0; what < DOINGS.length; ++what) {
      sum += shares[DOINGS.length * column + what] / count;
      const until = bottom - Math.round(sum * height);
      while (at > until && at > top) pixels[--at * columns + column] = palette[what];
    }
    while (at > top) pixels[--at * columns + column] = empty;
  }
}

function drawBands({ stretches }, area, ratio, context) {
  const columns = Math.max(1, Math.round(area.width * ratio));
  const rows = Math.max(1, Math.round(area.height * ratio));
  const image = context.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  const palette = DOINGS.map((name) => pixel(parts(colours[name])));
  const empty = pixel(parts(colours.sheet));
  pixels.fill(empty);
  const row = area.row * ratio;
  const group = Math.max(1, Math.ceil(2 / row)); // ranks in one band
  const gap = row >= 8 ? Math.round(2 * ratio) : row >= 4 ? 1 : 0;
  const lane = Math.round(area.lanes * LANE * ratio);
  const first = Math.floor(view.top / group) * group;
  const shares = new Float32Array(DOINGS.length * columns);
  for (let rank = first; rank < Math.min(ranks, view.bottom); rank += group) {
    const last = Math.min(ranks, rank + group);
    const top = Math.max(0, Math.round((rank - view.top) * row) + lane);
    const bottom = Math.min(rows, Math.round((last - view.top) * row) - gap);
    if (bottom <= top) continue;
    shares.fill(0);
    for (let one = rank; one < last; ++one) addShares(stretches[one], shares, columns);
    paint(pixels, columns, top, bottom - top, shares, last - rank, palette, empty);
  }
  context.putImageData(image, Math.round(area.left * ratio), Math.round(area.top * ratio));
}

const xOf = (time) => layout.left + ((time - view.from) / (view.to - view.from)) * layout.width;
const timeAt = (x) => view.from + ((x - layout.left) / layout.width) * (view.to - view.from);
const yOf = (rank) => layout.top + (rank - view.top) * layout.row;
const rankAt = (y) => Math.floor(view.top + (y - layout.top) / layout.row);
const bandMiddle = (rank) => yOf(rank) + (layout.row + layout.lanes * LANE) / 2;
const nameOf = (packed) => head.names[Math.floor(packed / 2)];
const isRegion = (packed) => packed % 2 === 1;

// To so many letters.
function shortened(text, most) {
  return text.length > most ? `${text.slice(0, Math.max(1, Math.floor(most) - 1))}…` : text;
}

function drawSpan(context, name, left, right, top) {
  context.fillStyle = isRegion(name) ? colours.region : colours.call;
  context.fillRect(left, top, Math.max(0.7, right - left - (right - left > 3 ? 1 : 0)), LANE - 2);
  if (right - left <= 26) return;
  context.fillStyle = colours.ink;
  const text = shortened(nameOf(name), (right - left - 6) / 6.4);
  context.fillText(text, left + 3, top + LANE - 4, right - left - 4);
}

// Those that are less than a pixel apart and less than two wide are drawn as one.
function drawSpans(context, { from, to, name }, top) {
  const end = layout.left + layout.width;
  const aPixel = (view.to - view.from) / layout.width;
  let run = null;
  const drawRun = () => {
    if (run) context.fillRect(run.left, top, Math.max(0.7, run.right - run.left), LANE - 2);
    run = null;
  };
  context.fillStyle = colours.call;
  for (let i = above(to, view.from); i < from.length && from[i] < view.to;) {
    const left = Math.max(layout.left, xOf(from[i]));
    const right = Math.min(end, xOf(to[i]));
    if (right - left >= 2 || isRegion(name[i])) {
      drawRun();
      drawSpan(context, name[i], left, right, top);
      context.fillStyle = colours.call;
    } else if (run && left - run.right < 1) {
      run.right = Math.max(run.right, right);
    } else {
      drawRun();
      run = { left, right };
    }
    // What ends within the same half pixel isn't seen.
    i = right - left < 1 ? Math.max(i + 1, above(to, from[i] + aPixel / 2, i)) : i + 1;
  }
  drawRun();
}

function drawLanes(picture, context) {
  if (layout.lanes === 0) return;
  context.font = "11px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
  for (let rank = Math.floor(view.top); rank < Math.min(ranks, view.bottom); ++rank) {
    // Of more depths than there is room for, the innermost ones.
    const depths = picture.depths[rank];
    const first = Math.max(0, depths.length - layout.lanes);
    for (let depth = first; depth < depths.length; ++depth) {
      drawSpans(context, depths[depth], yOf(rank) + (depth - first) * LANE);
    }
  }
}

function stepFor(length, most) {
  const least = length / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((k) => k * power).find((step) => step >= least);
}

function drawAxis(context) {
  const step = Math.max(1, stepFor(view.to - view.from, layout.width / 105));
  const [scale, unit] = unitOf(Math.max(view.to, step));
  const digits = Math.max(0, Math.ceil(Math.log10(scale / step) - 1e-9));
  context.font = FONT;
  context.textAlign = "center";
  const end = layout.left + layout.width;
  for (let k = Math.ceil(view.from / step); k * step <= view.to; ++k) {
    const x = xOf(k * step);
    context.strokeStyle = colours.rule;
    context.beginPath();
    context.moveTo(x, AXIS - 6);
    context.lineTo(x, layout.top + layout.height);
    context.stroke();
    const text = `${((k * step) / scale).toFixed(digits)} ${unit}`;
    const half = context.measureText(text).width / 2;
    context.fillStyle = colours.soft;
    context.fillText(text, Math.min(end - half, Math.max(layout.left + half, x)), 14);
  }
  context.textAlign = "left";
}

function drawLabels(context) {
  context.fillStyle = colours.sheet;
  context.fillRect(0, AXIS, layout.left, layout.height + 6);
  context.fillStyle = colours.soft;
  context.font = FONT;
  const step = Math.max(1, Math.ceil(15 / layout.row));
  const first = Math.ceil(view.top / step) * step;
  for (let rank = first; rank < Math.min(ranks, view.bottom); rank += step) {
    const text = step === 1 ? `${rank} ${head.ranks[rank].host}` : String(rank);
    const below = step === 1 ? Math.min(layout.row - 3, 14) : layout.row / 2 + 4;
    context.fillText(shortened(text, (layout.left - 8) / 6.6), 2, yOf(rank) + below, layout.left - 6);
  }
}

function drawArrow(context, messages, i, hasHead) {
  const [x0, y0] = [xOf(messages.sent[i]), bandMiddle(messages.from[i])];
  const [x1, y1] = [xOf(messages.received[i]), bandMiddle(messages.to[i])];
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  if (!hasHead) return;
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
  for (const side of [-1, 1]) {
    context.moveTo(x1, y1);
    context.lineTo(x1 - 8 * ux - side * 4 * uy, y1 - 8 * uy + side * 4 * ux);
  }
}

function drawMessages(picture, context, isSample) {
  const { messages, arrows } = picture;
  context.strokeStyle = colours.message;
  context.lineWidth = 1;
  context.globalAlpha = isSample ? 0.2 : arrows.length > 300 ? 0.4 : 0.75;
  context.beginPath();
  for (const i of arrows) drawArrow(context, messages, i, arrows.length <= 300);
  context.stroke();
  context.globalAlpha = 1;
  if (chosen < 0) return;
  context.strokeStyle = colours.chosen;
  context.lineWidth = 2.5;
  context.beginPath();
  drawArrow(context, messages, picture.placeOf(chosen), true);
  context.stroke();
  context.lineWidth = 1;
}

function describeView(count, step) {
  let text = `${timeText(view.from, 7)} to ${timeText(view.to, 7)}`;
  text += ` (${timeText(view.to - view.from, 3)})`;
  if (view.bottom - view.top < ranks) {
    text += `, ranks ${Math.floor(view.top)} to ${Math.ceil(view.bottom) - 1}`;
  }
  text += `; ${counted(count, "message")}`;
  if (step > 1) text += `, one of ${step} is drawn`;
  if (layout.row < 2) text += "; neighbouring ranks are drawn as one";
  if (Number(canvas.dataset.pathLines) > layout.width / 2) {
    text += "; of the critical path, how much of the time it is on a rank";
  }
  element("view").textContent = text;
}

// Returns which messages are in view.
function drawPicture(picture) {
  const { context, ratio, width, height } = fit(picture.canvas, canvasHeight());
  context.clearRect(0, 0, width, height);
  const left = gutterWidth(context, width);
  const row = (height - AXIS - 6) / (view.bottom - view.top);
  layout = { left, top: AXIS, width: width - left, height: height - AXIS - 6, row, lanes: 0 };
  layout.lanes = Math.max(0, Math.min(lanes, Math.floor((row - 14) / LANE)));
  drawBands(picture, layout, ratio, context);
  context.save();
  context.beginPath();
  context.rect(left, AXIS, layout.width, layout.height);
  context.clip();
  drawLanes(picture, context);
  const found = arrowsInView(picture);
  picture.arrows = element("shows-messages").checked ? found.drawn : [];
  drawMessages(picture, context, found.step > 1);
  if (explanation && picture === before) drawExplanation(context);
  if (picture.end < whole) {
    context.fillStyle = colours.accent;
    context.fillRect(xOf(picture.end) - 1, AXIS, 1.5, layout.height);
  }
  context.restore();
  drawLabels(context);
  drawAxis(context);
  picture.canvas.classList.toggle("has-rows", view.bottom - view.top < ranks);
  return found;
}

function draw() {
  const began = performance.now();
  if (after) drawPicture(after);
  const found = drawPicture(before);
  const arrows = before.arrows.length;
  describeView(found.count, arrows > 0 ? found.step : 1);
  const drawMs = performance.now() - began;
  Object.assign(canvas.dataset, view, { messages: found.count, arrows, chosen, drawMs });
}

let isWaiting = false;
function redraw() {
  if (isWaiting) return;
  isWaiting = true;
  requestAnimationFrame(() => {
    isWaiting = false;
    draw();
  });
}
