// What happened: page_events.hpp says how it is written.

// Whole numbers: page_numbers.hpp says how they are written.
function numbersOf(id) {
  const text = atob(element(id).textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  let at = 0;
  function next() {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[at++];
      if (byte < 128) return value + byte * scale;
      value += (byte - 128) * scale;
      scale *= 128;
    }
  }
  function nextSigned() {
    const value = next();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
  const isOver = () => at >= bytes.length;
  const place = () => at;
  const goTo = (where) => { at = where; };
  return { next, nextSigned, isOver, place, goTo };
}

function readEvents(ranks) {
  const number = numbersOf("events").next;

  // Stretch i of a rank is from times[i] to times[i + 1].
  function readStretches() {
    const count = number();
    const times = new Float64Array(count + 1);
    const doing = new Uint8Array(count);
    times[0] = number();
    for (let i = 0; i < count; ++i) {
      const packed = number();
      doing[i] = packed % 8;
      times[i + 1] = times[i] + Math.floor(packed / 8);
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
const lastEnd = events.stretches.reduce((end, one) => Math.max(end, endOf(one)), 0);
const whole = Math.max(1, predicted, lastEnd);
