// The critical path and a domino path in the timeline.

const PATH_WIDTH = 3;
const LEVELS = 8; // of how much of the time
const isShown = (id) => element(id).checked;

const linesInView = () => {
  const from = above(lineEnds, view.from);
  let to = from;
  while (to < pathLines.length && pathLines[to].from <= view.to) ++to;
  return pathLines.slice(from, to);
};

function tracePath(context, lines) {
  const within = (x) => Math.max(layout.left - 9, Math.min(layout.left + layout.width + 9, x));
  context.beginPath();
  for (const line of lines) {
    const ends = [xOf(line.from), xOf(line.to)];
    const [from, to] = line.start === line.end ? ends.map(within) : ends;
    context.lineTo(from, bandMiddle(line.start));
    context.lineTo(to, bandMiddle(line.end));
  }
}

// Of more lines than can be told apart: of each column on each rank, how much of its time the path
// is there.
function drawPathShares(context, lines) {
  const shares = new Map();
  const scale = layout.width / (view.to - view.from);
  for (const { from, to, start, end } of lines) {
    if (start !== end) continue;
    if (!shares.has(start)) shares.set(start, new Float32Array(Math.max(1, Math.ceil(layout.width))));
    const columns = shares.get(start);
    const first = Math.max(0, (from - view.from) * scale);
    const last = Math.min(columns.length, (to - view.from) * scale);
    for (let k = Math.floor(first); k < last; ++k) {
      columns[k] += Math.min(last, k + 1) - Math.max(first, k);
    }
  }
  const height = Math.max(2, Math.min(8, layout.row / 2));
  context.fillStyle = colours.critical;
  for (let level = 1; level <= LEVELS; ++level) {
    context.globalAlpha = level / LEVELS;
    context.beginPath();
    for (const [rank, columns] of shares) {
      const top = bandMiddle(rank) - height / 2;
      columns.forEach((share, k) => {
        const own = Math.min(LEVELS, Math.ceil(LEVELS * Math.sqrt(share)));
        if (own === level) context.rect(layout.left + k, top, 1, height);
      });
    }
    context.fill();
  }
  context.globalAlpha = 1;
}

function drawPath(context) {
  const lines = linesInView();
  if (lines.length > layout.width / 2) {
    drawPathShares(context, lines);
  } else {
    tracePath(context, lines);
    drawHaloed(context, PATH_WIDTH, colours.critical);
  }
  return lines.length;
}

function drawHaloed(context, width, colour) {
  context.lineJoin = "round";
  for (const [wide, style] of [[width + 2, colours.sheet], [width, colour]]) {
    context.lineWidth = wide;
    context.strokeStyle = style;
    context.stroke();
  }
  context.lineWidth = 1;
}

// From each wait to the one that it waits for.
function drawDomino(context, path) {
  const points = path.steps.map((step) => [xOf(step.at_s * 1e9), bandMiddle(step.rank)]);
  const last = path.steps[path.steps.length - 1];
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x, y);
  if (last) context.lineTo(points[points.length - 1][0], bandMiddle(last.partner));
  context.setLineDash([6, 4]);
  drawHaloed(context, 2, colours.domino);
  context.setLineDash([]);
  context.font = "bold 11px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
  context.textAlign = "center";
  // The first is on top.
  for (const [k, [x, y]] of [...points.entries()].reverse()) {
    context.fillStyle = colours.domino;
    context.beginPath();
    context.arc(x, y, 9, 0, 7);
    context.fill();
    context.fillStyle = colours.sheet;
    context.fillText(String(k + 1), x, y + 4);
  }
  context.textAlign = "left";
}

function drawExplanation(context) {
  let drawn = 0;
  if (isShown("shows-path")) drawn = drawPath(context);
  const path = explanation.domino_paths[Number(element("domino").value)];
  if (path && isShown("shows-domino")) drawDomino(context, path);
  canvas.dataset.pathLines = drawn;
}

// What the critical path does there, if that is on this rank.
function pathTextAt(rank, time) {
  const step = steps[above(stepEnds, time)];
  if (!step || step.from > time || !isShown("shows-path")) return "";
  const { message } = step;
  const isThere = step.rank === rank || (message && (message.from === rank || message.to === rank));
  if (!isThere) return "";
  const call = step.call ? ` in ${step.call}` : "";
  const what = message
    ? `, message of rank ${message.from} to rank ${message.to}, ${bytesText(message.bytes)}` : "";
  return `critical path: ${kindText(step.kind)}${call} for ${timeText(step.to - step.from)}${what}`;
}
