// What is under the pointer, and what it does.

function messageNear({ arrows, messages }, x, y) {
  let best = -1;
  let least = 6;
  for (const i of arrows) {
    const [x0, y0] = [xOf(messages.sent[i]), bandMiddle(messages.from[i])];
    const [dx, dy] = [xOf(messages.received[i]) - x0, bandMiddle(messages.to[i]) - y0];
    const length = dx * dx + dy * dy;
    const along = length > 0 ? ((x - x0) * dx + (y - y0) * dy) / length : 0;
    const share = Math.max(0, Math.min(1, along));
    const distance = Math.hypot(x - x0 - share * dx, y - y0 - share * dy);
    if (distance < least) [least, best] = [distance, i];
  }
  return best;
}

function textAt(picture, rank, time) {
  const lines = [`rank ${rank} (${head.ranks[rank].host}), ${timeText(time, 7)}`];
  const { times, doing } = picture.stretches[rank];
  const i = above(times, time) - 1;
  if (i >= 0 && i < doing.length) {
    const length = timeText(times[i + 1] - times[i]);
    lines.push(`${DOINGS[doing[i]]} for ${length}, until ${timeText(times[i + 1], 7)}`);
  }
  for (const { from, to, name } of picture.depths[rank]) {
    const k = above(to, time);
    if (k >= from.length || from[k] > time) continue;
    const what = `${isRegion(name[k]) ? "region" : "in"} ${nameOf(name[k])}`;
    lines.push(`${what}: ${timeText(to[k] - from[k])}, from ${timeText(from[k], 7)}`);
  }
  const step = explanation && picture === before ? pathTextAt(rank, time) : "";
  return [...lines, ...(step ? [step] : [])].join("\n");
}

function isInRows(x, y) {
  const isBelow = y >= layout.top && y < layout.top + layout.height;
  return isBelow && x >= layout.left && rankAt(y) < ranks;
}

function pointAt(event) {
  const box = event.currentTarget.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function tell(picture, event) {
  const [x, y] = pointAt(event);
  if (!layout || !isInRows(x, y)) return showTip("", 0, 0);
  const i = messageNear(picture, x, y);
  const text = i >= 0 ? messageText(i, picture) : textAt(picture, rankAt(y), timeAt(x));
  showTip(text, event.clientX, event.clientY);
}

const pointers = new Map();
let hasMoved = false;
let lastTap = 0;

// Of two fingers, or one: the middle, and how far apart in each direction.
function grip() {
  const all = [...pointers.values()];
  const middle = [0, 1].map((k) => all.reduce((sum, one) => sum + one[k], 0) / all.length);
  const spread = all.length < 2 ? [0, 0] : [0, 1].map((k) => Math.abs(all[0][k] - all[1][k]));
  return { middle, spread };
}

function drag(event) {
  const before = grip();
  pointers.set(event.pointerId, pointAt(event));
  const after = grip();
  // Fingers that are close together in a direction say nothing of it.
  const factorOf = (a, b) => (a > 24 && b > 24 ? a / b : 1);
  const length = (view.to - view.from) * factorOf(before.spread[0], after.spread[0]);
  const rows = (view.bottom - view.top) * factorOf(before.spread[1], after.spread[1]);
  const [x, y] = after.middle;
  // What was under the fingers stays there.
  const from = timeAt(before.middle[0]) - ((x - layout.left) / layout.width) * length;
  const held = view.top + (before.middle[1] - layout.top) / layout.row;
  const top = held - ((y - layout.top) / layout.height) * rows;
  if (x !== before.middle[0] || y !== before.middle[1]) hasMoved = true;
  look(from, from + length, top, top + rows);
}

// @param pictureNow  what the canvas shows
function listenOn(canvas, pictureNow) {
  canvas.addEventListener("wheel", (event) => {
    const [x, y] = pointAt(event);
    const amount = event.deltaY || event.deltaX;
    const factor = Math.exp(Math.max(-1, Math.min(1, amount / 300)));
    // At the whole run the page itself scrolls on.
    if (!event.shiftKey && !event.altKey && factor > 1 && view.to - view.from >= whole) return;
    event.preventDefault();
    if (event.shiftKey) move(amount / 600);
    else if (event.altKey) zoomRanks(factor, view.top + (y - layout.top) / layout.row);
    else zoom(factor, timeAt(Math.max(layout.left, x)));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, pointAt(event));
    canvas.setPointerCapture(event.pointerId);
    hasMoved = false;
    tell(pictureNow(), event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (pointers.has(event.pointerId)) drag(event);
    else tell(pictureNow(), event);
  });
  canvas.addEventListener("pointerup", (event) => {
    pointers.delete(event.pointerId);
    if (hasMoved || pointers.size > 0) return;
    const [x, y] = pointAt(event);
    if (!isInRows(x, y)) return;
    const picture = pictureNow();
    const near = picture.messageAt(messageNear(picture, x, y));
    const isDouble = event.timeStamp - lastTap < 350;
    lastTap = event.timeStamp;
    if (!isDouble) return choose(near);
    if (near >= 0) lookAtMessage(near);
    else zoom(0.4, timeAt(x));
  });
  canvas.addEventListener("pointercancel", (event) => pointers.delete(event.pointerId));
  canvas.addEventListener("pointerleave", () => showTip("", 0, 0));
  canvas.addEventListener("keydown", (event) => {
    const action = keys[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    actions[action]();
  });
}

function listen() {
  listenOn(canvas, () => before);
  listenOn(element("after"), () => after);
  for (const button of document.querySelectorAll("[data-do]")) {
    button.addEventListener("click", () => actions[button.dataset.do]());
  }
  element("shows-messages").addEventListener("change", redraw);
  element("rank-controls").hidden = ranks < 3;
}
