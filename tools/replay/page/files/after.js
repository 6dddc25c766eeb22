// How the run would be: calls and regions are where they would be, and what lies between two of
// their ends is moved with them: waiting takes the difference, and where that isn't enough all is
// stretched alike.

// Of a rank, its calls and regions by depth, and all their ends: [old, new], in order.
function readAfter(depths) {
  const { nextSigned } = explained;
  return depths.map(({ from, to, name }) => {
    const count = from.length;
    const moved = { from: new Float64Array(count), to: new Float64Array(count), name };
    for (let i = 0, last = 0, movedLast = 0; i < count; ++i) {
      moved.from[i] = movedLast + from[i] - last + nextSigned();
      moved.to[i] = movedLast = moved.from[i] + to[i] - from[i] + nextSigned();
      last = to[i];
    }
    return moved;
  });
}

const endsOf = (spans, moved) => {
  const count = spans.from.length;
  const ends = { old: new Float64Array(2 * count), now: new Float64Array(2 * count) };
  for (let i = 0; i < count; ++i) {
    [ends.old[2 * i], ends.old[2 * i + 1]] = [spans.from[i], spans.to[i]];
    [ends.now[2 * i], ends.now[2 * i + 1]] = [moved.from[i], moved.to[i]];
  }
  return ends;
};

function merged(a, b) {
  const count = a.old.length + b.old.length;
  const both = { old: new Float64Array(count), now: new Float64Array(count) };
  for (let k = 0, i = 0, j = 0; k < count; ++k) {
    const isTie = a.old[i] === b.old[j];
    const takesFirst =
      j >= b.old.length || a.old[i] < b.old[j] || (isTie && a.now[i] <= b.now[j]);
    const [from, at] = takesFirst ? [a, i++] : [b, j++];
    both.old[k] = from.old[at];
    both.now[k] = from.now[at];
  }
  return both;
}

const WAITING = DOINGS.indexOf("waiting");

// Stretches at their new times, and `knots`, between which time passes evenly.
function moveStretches({ times, doing }, ends) {
  const most = times.length + 2 * ends.old.length + 2;
  const moved = { times: new Float64Array(most), doing: new Uint8Array(most) };
  const knots = { old: new Float64Array(most), now: new Float64Array(most) };
  let count = 0;
  let i = 0;
  let [at, now] = [times[0], times[0]];
  const put = (what, old, length) => {
    moved.doing[count] = what;
    [moved.times[count], knots.old[count], knots.now[count]] = [now, at, now];
    ++count;
    [at, now] = [old, now + length];
  };
  const last = times[times.length - 1];
  for (let k = 0; k <= ends.old.length; ++k) {
    const isLast = k === ends.old.length;
    const until = isLast ? last : Math.min(last, Math.max(at, ends.old[k]));
    const length = until - at;
    const wanted = isLast ? length : Math.max(0, ends.now[k] - now);
    let waited = 0;
    for (let s = i; s < doing.length && times[s] < until; ++s) {
      if (doing[s] !== WAITING) continue;
      waited += Math.min(until, times[s + 1]) - Math.max(at, times[s]);
    }
    const left = waited + wanted - length;
    const waits = waited > 0 ? Math.max(0, left) / waited : 1;
    const rest = left < 0 ? wanted / (length - waited) : waited > 0 || length === 0 ? 1 : wanted / length;
    while (i < doing.length && at < until) {
      const old = Math.min(until, times[i + 1]);
      put(doing[i], old, (old - at) * (doing[i] === WAITING ? waits : rest));
      if (old === times[i + 1]) ++i;
    }
    if (!isLast && now < ends.now[k] - 0.5) put(WAITING, at, ends.now[k] - now);
    if (!isLast) now = Math.max(now, ends.now[k]);
  }
  [moved.times[count], knots.old[count], knots.now[count]] = [now, at, now];
  return {
    stretches: { times: moved.times.subarray(0, count + 1), doing: moved.doing.subarray(0, count) },
    knots: { old: knots.old.subarray(0, count + 1), now: knots.now.subarray(0, count + 1) },
  };
}

function movedTime({ old, now }, time) {
  const i = Math.max(0, above(old, time) - 1);
  if (i + 1 >= old.length || old[i + 1] === old[i]) return now[i] + time - old[i];
  return now[i] + ((time - old[i]) / (old[i + 1] - old[i])) * (now[i + 1] - now[i]);
}

function moveMessages(knots) {
  const { count, sent, received, from, to, size } = messages;
  const [newSent, newReceived] = [new Float64Array(count), new Float64Array(count)];
  for (let i = 0; i < count; ++i) {
    newReceived[i] = movedTime(knots[to[i]], received[i]);
    newSent[i] = Math.min(newReceived[i], movedTime(knots[from[i]], sent[i]));
  }
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  order.sort((a, b) => newReceived[a] - newReceived[b]);
  const places = new Uint32Array(count);
  order.forEach((i, place) => { places[i] = place; });
  const inOrder = (values) => values.constructor.from(order, (i) => values[i]);
  return {
    messages: {
      count, sent: inOrder(newSent), received: inOrder(newReceived),
      from: inOrder(from), to: inOrder(to), size: inOrder(size),
    },
    placeOf: (i) => places[i],
    messageAt: (place) => (place < 0 ? place : order[place]),
  };
}

function pictureAfter(answer) {
  explained.goTo(afterPlaces.get(answer));
  const picture = {
    canvas: element("after"), stretches: [], depths: [], arrows: [],
    end: Math.round(explanation.answers[answer].time_s.value * 1e9),
  };
  const knots = [];
  for (let rank = 0; rank < ranks; ++rank) {
    const depths = events.depths[rank];
    const moved = readAfter(depths);
    const none = { old: new Float64Array(0), now: new Float64Array(0) };
    const ends = depths.map((one, k) => endsOf(one, moved[k])).reduce(merged, none);
    const found = moveStretches(events.stretches[rank], ends);
    picture.depths.push(moved);
    picture.stretches.push(found.stretches);
    knots.push(found.knots);
  }
  Object.assign(picture, moveMessages(knots));
  picture.firstSent = firstOfBlocks(picture.messages);
  return picture;
}
