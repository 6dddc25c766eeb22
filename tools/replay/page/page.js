"use strict";
(() => {
  const element = (id) => document.getElementById(id);
  const DOINGS = ["computing", "sending", "receiving", "waiting"];

  // ---- Text

  const rounded = (value, digits) => String(Number(value.toPrecision(digits)));

  function unitOf(ns) {
    const size = Math.abs(ns);
    if (size >= 1e9) return [1e9, "s"];
    if (size >= 1e6) return [1e6, "ms"];
    if (size >= 1e3) return [1e3, "µs"];
    return [1, "ns"];
  }

  function timeText(ns, digits = 4) {
    const [scale, unit] = unitOf(ns);
    return `${rounded(ns / scale, digits)} ${unit}`;
  }

  function bytesText(bytes) {
    let value = bytes;
    for (const unit of ["B", "KiB", "MiB", "GiB", "TiB"]) {
      if (value < 1024 || unit === "TiB") return `${rounded(value, 4)} ${unit}`;
      value /= 1024;
    }
    return "";
  }

  const percentText = (share) => `${rounded(100 * share, 3)} %`;
  const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

  // ---- What happened: page_events.hpp says how it is written

  function readEvents(ranks) {
    const text = atob(element("events").textContent);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
    let at = 0;
    function number() {
      let value = 0;
      let scale = 1;
      for (;;) {
        const byte = bytes[at++];
        if (byte < 128) return value + byte * scale;
        value += (byte - 128) * scale;
        scale *= 128;
      }
    }

    // Stretch i of a rank is from times[i] to times[i + 1].
    function readStretches() {
      const count = number();
      const times = new Float64Array(count + 1);
      const doing = new Uint8Array(count);
      times[0] = number();
      for (let i = 0; i < count; ++i) {
        const packed = number();
        doing[i] = packed % 4;
        times[i + 1] = times[i] + Math.floor(packed / 4);
      }
      return { times, doing };
    }

    function readSpans() {
      const count = number();
      const from = new Float64Array(count);
      const to = new Float64Array(count);
      const name = new Uint32Array(count);
      for (let i = 0, last = 0; i < count; ++i) {
        from[i] = last + number();
        to[i] = last = from[i] + number();
        name[i] = number();
      }
      return { from, to, name };
    }

    function readMessages() {
      const count = number();
      const sent = new Float64Array(count);
      const received = new Float64Array(count);
      const from = new Uint32Array(count);
      const to = new Uint32Array(count);
      const size = new Float64Array(count);
      for (let i = 0, last = 0; i < count; ++i) {
        received[i] = last = last + number();
        sent[i] = last - number();
        from[i] = number();
        to[i] = number();
        size[i] = number();
      }
      return { count, sent, received, from, to, size };
    }

    const each = (read) => Array.from({ length: ranks }, read);
    return {
      stretches: each(readStretches),
      depths: each(() => Array.from({ length: number() }, readSpans)),
      messages: readMessages(),
      pairs: Array.from({ length: number() }, () => ({
        from: number(), to: number(), messages: number(), bytes: number(),
      })),
    };
  }

  // The first place in a sorted array whose value is above.
  function above(values, value, from = 0) {
    let low = from;
    let high = values.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[middle] <= value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  const started = performance.now();
  const head = JSON.parse(element("head").textContent);
  const ranks = head.ranks.length;
  const events = readEvents(ranks);
  const endOf = ({ times }) => times[times.length - 1];
  const predicted = Math.round(head.time_s * 1e9);
  const whole = Math.max(1, predicted, events.stretches.reduce((end, one) => Math.max(end, endOf(one)), 0));

  // ---- Colours

  let colours = {};
  function readColours() {
    const style = getComputedStyle(document.documentElement);
    const names = [...DOINGS, "sheet", "ink", "soft", "rule", "accent", "message", "chosen", "call", "region", "low", "high"];
    colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  }
  const parts = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  // As a pixel of ImageData seen as 32-bit numbers, on machines whose lowest byte comes first.
  const pixel = ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

  // ---- A canvas as sharp as the screen

  function fit(canvas, height) {
    const ratio = Math.min(2, devicePixelRatio || 1);
    const width = canvas.clientWidth;
    canvas.style.height = `${height}px`;
    const wanted = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== wanted[0]) canvas.width = wanted[0];
    if (canvas.height !== wanted[1]) canvas.height = wanted[1];
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return { context, ratio, width, height };
  }

  const tip = element("tip");
  function showTip(text, x, y) {
    tip.textContent = text;
    tip.hidden = text === "";
    if (tip.hidden) return;
    const box = tip.getBoundingClientRect();
    const top = y - box.height - 14;
    tip.style.left = `${Math.max(6, Math.min(x + 14, innerWidth - box.width - 6))}px`;
    tip.style.top = `${top > 4 ? top : y + 20}px`;
  }

  // ---- The timeline

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
  let arrows = []; // messages that are drawn
  let layout = null;

  // Of each block of messages when the first was sent; they are in the order of being received.
  const firstSent = new Float64Array(Math.ceil(messages.count / BLOCK)).fill(Infinity);
  for (let i = 0; i < messages.count; ++i) {
    const block = Math.floor(i / BLOCK);
    firstSent[block] = Math.min(firstSent[block], messages.sent[i]);
  }

  function eachMessageInView(work) {
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
  function arrowsInView() {
    let count = 0;
    eachMessageInView(() => ++count);
    let step = 1;
    while (count / step > MOST_ARROWS) step *= 2;
    const drawn = [];
    eachMessageInView((i) => {
      if (i % step === 0) drawn.push(i);
    });
    return { count, step, drawn };
  }

  function canvasHeight() {
    const row = 20 + LANE * Math.min(lanes, 3);
    return AXIS + Math.max(120, Math.min(innerWidth < 560 ? 420 : 560, ranks * row)) + 6;
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
        if (first < columns) shares[4 * first + what] += end - begin;
        continue;
      }
      shares[4 * first + what] += first + 1 - begin;
      for (let column = first + 1; column < last; ++column) shares[4 * column + what] += 1;
      if (last < columns) shares[4 * last + what] += end - last;
    }
  }

  // Rows of pixels: columns are cut by shares, computing at the bottom.
  function paint(pixels, columns, top, height, shares, count, palette, empty) {
    const bottom = top + height;
    for (let column = 0; column < columns; ++column) {
      let at = bottom;
      let sum = 0;
      for (let what = 0; what < 4; ++what) {
        sum += shares[4 * column + what] / count;
        const until = bottom - Math.round(sum * height);
        while (at > until && at > top) pixels[--at * columns + column] = palette[what];
      }
      while (at > top) pixels[--at * columns + column] = empty;
    }
  }

  function drawBands(area, ratio, context) {
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
    const shares = new Float32Array(4 * columns);
    for (let rank = first; rank < Math.min(ranks, view.bottom); rank += group) {
      const last = Math.min(ranks, rank + group);
      const top = Math.max(0, Math.round((rank - view.top) * row) + lane);
      const bottom = Math.min(rows, Math.round((last - view.top) * row) - gap);
      if (bottom <= top) continue;
      shares.fill(0);
      for (let one = rank; one < last; ++one) addShares(events.stretches[one], shares, columns);
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

  function drawSpan(context, name, left, right, top) {
    context.fillStyle = isRegion(name) ? colours.region : colours.call;
    context.fillRect(left, top, Math.max(0.7, right - left - (right - left > 3 ? 1 : 0)), LANE - 2);
    if (right - left <= 26) return;
    context.fillStyle = colours.ink;
    const text = nameOf(name);
    const most = Math.floor((right - left - 6) / 6.4);
    context.fillText(text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text, left + 3, top + LANE - 4, right - left - 4);
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

  function drawLanes(context) {
    if (layout.lanes === 0) return;
    context.font = "11px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
    for (let rank = Math.floor(view.top); rank < Math.min(ranks, view.bottom); ++rank) {
      // Of more depths than there is room for, the innermost ones.
      const depths = events.depths[rank];
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
      const most = Math.floor((layout.left - 8) / 6.6);
      const shown = text.length > most ? `${text.slice(0, most - 1)}…` : text;
      context.fillText(shown, 2, yOf(rank) + (step === 1 ? Math.min(layout.row - 3, 14) : layout.row / 2 + 4), layout.left - 6);
    }
  }

  function drawArrow(context, i, hasHead) {
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

  function drawMessages(context, drawn, isSample) {
    context.strokeStyle = colours.message;
    context.lineWidth = 1;
    context.globalAlpha = isSample ? 0.2 : drawn.length > 300 ? 0.4 : 0.75;
    context.beginPath();
    for (const i of drawn) drawArrow(context, i, drawn.length <= 300);
    context.stroke();
    context.globalAlpha = 1;
    if (chosen < 0) return;
    context.strokeStyle = colours.chosen;
    context.lineWidth = 2.5;
    context.beginPath();
    drawArrow(context, chosen, true);
    context.stroke();
    context.lineWidth = 1;
  }

  function describeView(count, step) {
    const span = `${timeText(view.from, 7)} to ${timeText(view.to, 7)} (${timeText(view.to - view.from, 3)})`;
    const some = view.bottom - view.top < ranks ? `, ranks ${Math.floor(view.top)} to ${Math.ceil(view.bottom) - 1}` : "";
    let text = `${span}${some}; ${counted(count, "message")}`;
    if (step > 1) text += `, one of ${step} is drawn`;
    if (layout.row < 2) text += "; neighbouring ranks are drawn as one";
    element("view").textContent = text;
  }

  function draw() {
    const began = performance.now();
    const { context, ratio, width, height } = fit(canvas, canvasHeight());
    context.clearRect(0, 0, width, height);
    const left = gutterWidth(context, width);
    const row = (height - AXIS - 6) / (view.bottom - view.top);
    layout = { left, top: AXIS, width: width - left, height: height - AXIS - 6, row, lanes: 0 };
    layout.lanes = Math.max(0, Math.min(lanes, Math.floor((row - 14) / LANE)));
    drawBands(layout, ratio, context);
    context.save();
    context.beginPath();
    context.rect(left, AXIS, layout.width, layout.height);
    context.clip();
    drawLanes(context);
    const found = arrowsInView();
    arrows = element("shows-messages").checked ? found.drawn : [];
    drawMessages(context, arrows, found.step > 1);
    if (predicted < whole) {
      context.fillStyle = colours.accent;
      context.fillRect(xOf(predicted) - 1, AXIS, 1.5, layout.height);
    }
    context.restore();
    drawLabels(context);
    drawAxis(context);
    describeView(found.count, arrows.length > 0 ? found.step : 1);
    const has = view.bottom - view.top < ranks;
    canvas.classList.toggle("has-rows", has);
    Object.assign(canvas.dataset, { from: view.from, to: view.to, top: view.top, bottom: view.bottom,
      messages: found.count, arrows: arrows.length, chosen, drawMs: performance.now() - began });
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

  // ---- Moving the view

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
    look(view.from, view.to, rank - (rank - view.top) * factor, rank + (view.bottom - rank) * factor);
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
    look(messages.sent[i] - margin, messages.received[i] + margin, fits ? view.top : low - 1, fits ? view.bottom : high + 1);
  }

  function messageText(i) {
    const { sent, received, from, to, size } = messages;
    return `Message ${i + 1} of ${messages.count}: rank ${from[i]} to rank ${to[i]}, ${bytesText(size[i])}, ` +
      `from ${timeText(sent[i], 7)} to ${timeText(received[i], 7)} (${timeText(received[i] - sent[i])})`;
  }

  function choose(i) {
    chosen = i;
    element("said").textContent = i < 0 ? "" : messageText(i);
    redraw();
  }

  // The next one that is received in view, from the chosen one on.
  function chooseNext(direction) {
    if (messages.count === 0) return;
    const isInView = chosen >= 0 && messages.received[chosen] > view.from && messages.sent[chosen] < view.to;
    let next = isInView ? chosen + direction : above(messages.received, direction > 0 ? view.from : view.to) - (direction > 0 ? 0 : 1);
    next = Math.max(0, Math.min(messages.count - 1, next));
    choose(next);
    if (messages.sent[next] >= view.to || messages.received[next] <= view.from) {
      const shift = (messages.sent[next] + messages.received[next] - view.from - view.to) / 2;
      look(view.from + shift, view.to + shift);
    }
  }

  const actions = {
    in: () => zoom(0.5), out: () => zoom(2), whole: () => look(0, whole, 0, ranks),
    "fewer-ranks": () => zoomRanks(0.5), "more-ranks": () => zoomRanks(2),
    next: () => chooseNext(1), previous: () => chooseNext(-1),
    left: () => move(-0.2), right: () => move(0.2), up: () => move(0, -0.2), down: () => move(0, 0.2),
    enter: () => (chosen >= 0 ? lookAtMessage(chosen) : zoom(0.5)),
  };
  const keys = {
    "+": "in", "=": "in", "-": "out", "0": "whole", Home: "whole", Escape: "whole", "]": "fewer-ranks", "[": "more-ranks",
    n: "next", p: "previous", ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down", Enter: "enter",
  };

  // ---- What is under the pointer

  function messageNear(x, y) {
    let best = -1;
    let least = 6;
    for (const i of arrows) {
      const [x0, y0] = [xOf(messages.sent[i]), bandMiddle(messages.from[i])];
      const [dx, dy] = [xOf(messages.received[i]) - x0, bandMiddle(messages.to[i]) - y0];
      const length = dx * dx + dy * dy;
      const share = length > 0 ? Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / length)) : 0;
      const distance = Math.hypot(x - x0 - share * dx, y - y0 - share * dy);
      if (distance < least) [least, best] = [distance, i];
    }
    return best;
  }

  function textAt(rank, time) {
    const lines = [`rank ${rank} (${head.ranks[rank].host}), ${timeText(time, 7)}`];
    const { times, doing } = events.stretches[rank];
    const i = above(times, time) - 1;
    if (i >= 0 && i < doing.length) {
      lines.push(`${DOINGS[doing[i]]} for ${timeText(times[i + 1] - times[i])}, until ${timeText(times[i + 1], 7)}`);
    }
    for (const { from, to, name } of events.depths[rank]) {
      const k = above(to, time);
      if (k >= from.length || from[k] > time) continue;
      lines.push(`${isRegion(name[k]) ? "region" : "in"} ${nameOf(name[k])}: ${timeText(to[k] - from[k])}, from ${timeText(from[k], 7)}`);
    }
    return lines.join("\n");
  }

  function isInRows(x, y) {
    return x >= layout.left && y >= layout.top && y < layout.top + layout.height && rankAt(y) < ranks;
  }

  function pointAt(event) {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  function tell(event) {
    const [x, y] = pointAt(event);
    if (!layout || !isInRows(x, y)) return showTip("", 0, 0);
    const i = messageNear(x, y);
    showTip(i >= 0 ? messageText(i) : textAt(rankAt(y), timeAt(x)), event.clientX, event.clientY);
  }

  // ---- Gestures

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
    const factor = [0, 1].map((k) => (before.spread[k] > 24 && after.spread[k] > 24 ? before.spread[k] / after.spread[k] : 1));
    const length = (view.to - view.from) * factor[0];
    const rows = (view.bottom - view.top) * factor[1];
    const from = timeAt(before.middle[0]) - ((after.middle[0] - layout.left) / layout.width) * length;
    const top = view.top + (before.middle[1] - layout.top) / layout.row - ((after.middle[1] - layout.top) / layout.height) * rows;
    if (Math.hypot(after.middle[0] - before.middle[0], after.middle[1] - before.middle[1]) > 0) hasMoved = true;
    look(from, from + length, top, top + rows);
  }

  function listen() {
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
      tell(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (pointers.has(event.pointerId)) drag(event);
      else tell(event);
    });
    canvas.addEventListener("pointerup", (event) => {
      pointers.delete(event.pointerId);
      if (hasMoved || pointers.size > 0) return;
      const [x, y] = pointAt(event);
      if (!isInRows(x, y)) return;
      const near = messageNear(x, y);
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
    for (const button of document.querySelectorAll("[data-do]")) {
      button.addEventListener("click", () => actions[button.dataset.do]());
    }
    element("shows-messages").addEventListener("change", redraw);
    element("rank-controls").hidden = ranks < 3;
  }

  // ---- The communication matrix

  const MOST_CELLS = 128;
  const grid = { size: 0, block: 1, messages: null, bytes: null };
  const matrix = element("matrix");
  let cursor = [0, 0];

  function fillGrid() {
    grid.block = Math.ceil(ranks / MOST_CELLS);
    grid.size = Math.ceil(ranks / grid.block);
    for (const what of ["messages", "bytes"]) {
      grid[what] = new Float64Array(grid.size * grid.size);
      for (const pair of events.pairs) {
        grid[what][Math.floor(pair.from / grid.block) * grid.size + Math.floor(pair.to / grid.block)] += pair[what];
      }
    }
  }

  const measureText = (what, value) => (what === "bytes" ? bytesText(value) : String(value));

  function drawMatrix() {
    const what = element("measure").value;
    const side = Math.min(matrix.clientWidth, 520);
    const { context } = fit(matrix, side);
    const [left, top] = [48, 34];
    const cell = (side - left) / grid.size;
    context.clearRect(0, 0, side, side);
    const values = grid[what];
    const there = values.filter((value, i) => value > 0 || grid.messages[i] > 0);
    const most = there.reduce((a, b) => Math.max(a, b), 0);
    const least = there.reduce((a, b) => Math.min(a, b), most);
    const [low, high] = [parts(colours.low), parts(colours.high)];
    const height = (side - top) / grid.size;
    const line = cell >= 6 ? 1 : 0;
    for (let row = 0; row < grid.size; ++row) {
      for (let column = 0; column < grid.size; ++column) {
        const at = row * grid.size + column;
        if (grid.messages[at] === 0) continue;
        const share = most > least ? Math.log1p(values[at] - least) / Math.log1p(most - least) : 1;
        const mixed = low.map((one, k) => Math.round(one + share * (high[k] - one)));
        context.fillStyle = `rgb(${mixed.join(",")})`;
        context.fillRect(left + column * cell, top + row * height, cell - line, height - line);
      }
    }
    context.strokeStyle = colours.rule;
    context.strokeRect(left - 0.5, top - 0.5, side - left, side - top);
    context.fillStyle = colours.soft;
    context.font = FONT;
    const step = Math.max(1, Math.ceil((8 + 8 * String(ranks - 1).length) / cell));
    for (let k = 0; k < grid.size; k += step) {
      const text = String(k * grid.block);
      const half = context.measureText(text).width / 2;
      context.textAlign = "center";
      context.fillText(text, Math.min(side - half, left + (k + 0.5) * cell), top - 6);
      context.textAlign = "right";
      context.fillText(text, left - 6, top + (k + 0.5) * height + 4);
    }
    context.textAlign = "center";
    context.fillText("receiver", left + (side - left) / 2, 12);
    context.textAlign = "left";
    if (document.activeElement === matrix) {
      context.strokeStyle = colours.chosen;
      context.lineWidth = 2;
      context.strokeRect(left + cursor[1] * cell, top + cursor[0] * height, cell - line, height - line);
    }
    element("least").textContent = `${measureText(what, least)} (logarithmic)`;
    element("most").textContent = measureText(what, most);
    Object.assign(matrix.dataset, { left, top, cell, height });
  }

  function blockText(k) {
    const last = Math.min(ranks, (k + 1) * grid.block) - 1;
    return grid.block === 1 ? `rank ${k}` : `ranks ${k * grid.block} to ${last}`;
  }

  function cellText(row, column) {
    const at = row * grid.size + column;
    const count = grid.messages[at];
    const what = count === 0 ? "nothing" : `${counted(count, "message")}, ${bytesText(grid.bytes[at])}`;
    return `${blockText(row)} to ${blockText(column)}: ${what}`;
  }

  function listenToMatrix() {
    const tellCell = (event) => {
      const box = matrix.getBoundingClientRect();
      const { left, top, cell, height } = matrix.dataset;
      const column = Math.floor((event.clientX - box.left - left) / cell);
      const row = Math.floor((event.clientY - box.top - top) / height);
      const isThere = row >= 0 && column >= 0 && row < grid.size && column < grid.size;
      showTip(isThere ? cellText(row, column) : "", event.clientX, event.clientY);
    };
    matrix.addEventListener("pointermove", tellCell);
    matrix.addEventListener("pointerdown", tellCell);
    matrix.addEventListener("pointerleave", () => showTip("", 0, 0));
    matrix.addEventListener("keydown", (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (!step) return;
      event.preventDefault();
      cursor = cursor.map((at, k) => Math.max(0, Math.min(grid.size - 1, at + step[k])));
      element("cell").textContent = cellText(...cursor);
      drawMatrix();
    });
    for (const name of ["focus", "blur"]) matrix.addEventListener(name, drawMatrix);
    element("measure").addEventListener("change", drawMatrix);
  }

  // ---- Text and tables

  function add(parent, tag, text = "", className = "") {
    const one = document.createElement(tag);
    if (className) one.className = className;
    one.textContent = text;
    parent.append(one);
    return one;
  }

  function addCard(name, value, note) {
    const card = add(element("cards"), "div", "", "card");
    add(card, "span", name, "name");
    add(card, "strong", value);
    add(card, "span", note, "note");
  }

  const seconds = (s) => timeText(s * 1e9);

  function writeSummary() {
    const program = head.program || "A program";
    document.title = `${program}: ${seconds(head.time_s)}`;
    element("program").textContent = program;
    element("where").textContent = `${counted(ranks, "rank")} on the machine of a model (${head.model}), replayed in virtual time.`;
    const interval = head.low_s === null ? "no interval" : `${seconds(head.low_s)} to ${seconds(head.high_s)}: ${head.interval_meaning}`;
    addCard("Predicted time", seconds(head.time_s), interval);
    const shares = head.ranks.map((rank) => rank.utilisation);
    const least = shares.reduce((best, share, r) => (share < shares[best] ? r : best), 0);
    const most = shares.reduce((best, share, r) => (share > shares[best] ? r : best), 0);
    addCard("Utilisation", percentText(head.utilisation),
      `of the ranks' time is computing; least rank ${least}, ${percentText(shares[least])}, most rank ${most}, ${percentText(shares[most])}`);
    const bytes = events.pairs.reduce((sum, pair) => sum + pair.bytes, 0);
    addCard("Messages", String(messages.count), `${bytesText(bytes)}, those of collective operations included`);
    element("matrix-sum").textContent = `${counted(messages.count, "message")}, ${bytesText(bytes)}, between ${counted(events.pairs.length, "pair")} of ranks` +
      (grid.block > 1 ? `; a cell is ${grid.block} × ${grid.block} pairs.` : ".");
  }

  function writeLegend() {
    for (const name of DOINGS) {
      const item = add(element("doings"), "li");
      add(item, "span", "", "key").style.background = `var(--${name})`;
      item.append(name);
    }
    if (predicted < whole) {
      const item = add(element("doings"), "li");
      const key = add(item, "span", "", "key");
      key.style.cssText = "background: var(--accent); width: 2px; height: 14px";
      item.append("predicted time (MPI_Finalize is beyond it)");
    }
  }

  function writePairs() {
    const bytes = events.pairs.reduce((sum, pair) => sum + pair.bytes, 0);
    const heaviest = [...events.pairs].sort((a, b) => b.bytes - a.bytes || b.messages - a.messages).slice(0, 10);
    for (const pair of heaviest) {
      const row = add(element("pairs").tBodies[0], "tr");
      for (const text of [pair.from, pair.to, pair.messages, bytesText(pair.bytes), bytes > 0 ? percentText(pair.bytes / bytes) : "-"]) add(row, "td", String(text));
    }
  }

  const MOST_ROWS = 1024;
  function writeRanks() {
    const body = element("ranks").tBodies[0];
    for (const rank of head.ranks.slice(0, MOST_ROWS)) {
      const row = add(body, "tr");
      add(row, "th", String(rank.rank)).scope = "row";
      add(row, "td", rank.host, "host").title = rank.host;
      add(row, "td", seconds(rank.end_s));
      const strip = document.createElement("div");
      strip.className = "strip";
      for (const name of DOINGS) {
        const share = head.time_s > 0 ? rank[`${name}_s`] / head.time_s : 0;
        add(row, "td", percentText(share));
        const part = add(strip, "span");
        part.style.cssText = `background: var(--${name}); width: ${100 * share}%`;
      }
      add(row, "td").append(strip);
    }
    if (ranks > MOST_ROWS) element("ranks-note").textContent = `The first ${MOST_ROWS} of ${ranks}.`;
  }

  function writeNotes() {
    for (const note of head.notes) add(element("notes"), "li", note);
    element("notes-section").hidden = head.notes.length === 0;
  }

  // ---- Beginning

  fillGrid();
  writeSummary();
  writeLegend();
  writePairs();
  writeRanks();
  writeNotes();
  listen();
  listenToMatrix();
  function drawAll() {
    readColours();
    draw();
    drawMatrix();
  }
  drawAll();
  canvas.dataset.firstMs = performance.now() - started;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  addEventListener("resize", drawAll);
  for (const box of document.querySelectorAll(".scroll")) {
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
  }
})();
