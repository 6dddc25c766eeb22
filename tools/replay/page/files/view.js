// Moving the view.

function look(from, to, top = view.top, bottom = view.bottom) {
  const length = Math.min(whole, Math.max(LEAST_TIME, to - from));
  const rows = Math.min(ranks, Math.max(1, bottom - top));
  view.from = Math.max(0, Math.min(whole - length, from));
  view.to = view.from + length;
  view.top = Math.max(0, Math.min(ranks - rows, top));
  view.bottom = view.top + rows;
  showTip("", 0, 0);
  redraw();
}

function zoom(factor, time = (view.from + view.to) / 2) {
  const length = Math.min(whole, Math.max(LEAST_TIME, (view.to - view.from) * factor));
  const share = (time - view.from) / (view.to - view.from);
  look(time - share * length, time + (1 - share) * length);
}

function zoomRanks(factor, rank = (view.top + view.bottom) / 2) {
  const [before, after] = [(rank - view.top) * factor, (view.bottom - rank) * factor];
  look(view.from, view.to, rank - before, rank + after);
}

function move(shareOfTime, shareOfRanks = 0) {
  const time = shareOfTime * (view.to - view.from);
  const rows = shareOfRanks * (view.bottom - view.top);
  look(view.from + time, view.to + time, view.top + rows, view.bottom + rows);
}

function lookAtMessage(i) {
  const margin = Math.max(LEAST_TIME, (messages.received[i] - messages.sent[i]) * 0.6);
  const low = Math.min(messages.from[i], messages.to[i]);
  const high = Math.max(messages.from[i], messages.to[i]) + 1;
  const fits = low >= view.top && high <= view.bottom;
  const rows = fits ? [view.top, view.bottom] : [low - 1, high + 1];
  look(messages.sent[i] - margin, messages.received[i] + margin, ...rows);
}

// @param i  of the picture's
function messageText(i, picture = before) {
  const { sent, received, from, to, size } = picture.messages;
  const name = `Message ${picture.messageAt(i) + 1} of ${messages.count}`;
  const times = `from ${timeText(sent[i], 7)} to ${timeText(received[i], 7)}`;
  const length = timeText(received[i] - sent[i]);
  return `${name}: rank ${from[i]} to rank ${to[i]}, ${bytesText(size[i])}, ${times} (${length})`;
}

function choose(i) {
  chosen = i;
  element("said").textContent = i < 0 ? "" : messageText(i);
  redraw();
}

// The next one that is received in view, from the chosen one on.
function chooseNext(direction) {
  if (messages.count === 0) return;
  const isInView = (i) => messages.received[i] > view.from && messages.sent[i] < view.to;
  let next = chosen + direction;
  if (chosen < 0 || !isInView(chosen)) {
    const last = above(messages.received, view.to) - 1;
    next = direction > 0 ? above(messages.received, view.from) : last;
  }
  next = Math.max(0, Math.min(messages.count - 1, next));
  choose(next);
  if (!isInView(next)) {
    const shift = (messages.sent[next] + messages.received[next] - view.from - view.to) / 2;
    look(view.from + shift, view.to + shift);
  }
}

const actions = {
  in: () => zoom(0.5), out: () => zoom(2), whole: () => look(0, whole, 0, ranks),
  "fewer-ranks": () => zoomRanks(0.5), "more-ranks": () => zoomRanks(2),
  next: () => chooseNext(1), previous: () => chooseNext(-1),
  left: () => move(-0.2), right: () => move(0.2),
  up: () => move(0, -0.2), down: () => move(0, 0.2),
  enter: () => (chosen >= 0 ? lookAtMessage(chosen) : zoom(0.5)),
};
const keys = {
  "+": "in", "=": "in", "-": "out", "0": "whole", Home: "whole", Escape: "whole",
  "]": "fewer-ranks", "[": "more-ranks", n: "next", p: "previous", Enter: "enter",
  ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down",
};
