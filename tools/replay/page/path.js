// The critical path and a domino path in the timeline.

const PATH_WIDTH = 3;
const isShown = (id) => element(id).checked;

// Of what lies within a pixel's column only how far up and down it goes is drawn.
function drawPath(context) {
  let column = NaN;
  let [low, high, y] = [0, 0, 0];
  const flush = () => {
    if (high > low) {
      context.moveTo(column, low);
      context.lineTo(column, high);
    }
    context.moveTo(column, y);
  };
  const put = (x, nextY) => {
    const here = Math.round(x);
    if (here !== column) {
      if (Number.isNaN(column)) {
        context.moveTo(here, nextY);
      } else {
        flush();
        context.lineTo(here, nextY);
      }
      [column, low, high] = [here, nextY, nextY];
    }
    [low, high, y] = [Math.min(low, nextY), Math.max(high, nextY), nextY];
  };
  const within = (x) => Math.max(layout.left - 9, Math.min(layout.left + layout.width + 9, x));
  context.beginPath();
  let drawn = 0;
  for (let i = above(lineEnds, view.from); i < pathLines.length; ++i) {
    const line = pathLines[i];
    if (line.from > view.to) break;
    const isLevel = line.start === line.end;
    put(isLevel ? within(xOf(line.from)) : xOf(line.from), bandMiddle(line.start));
    put(isLevel ? within(xOf(line.to)) : xOf(line.to), bandMiddle(line.end));
    ++drawn;
  }
  if (!Number.isNaN(column)) flush();
  return drawn;
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
  if (isShown("shows-path")) {
    drawn = drawPath(context);
    drawHaloed(context, PATH_WIDTH, colours.critical);
  }
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
