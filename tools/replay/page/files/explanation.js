// What would help: page_explanation.hpp says how it is written.

const explanation = head.explanation || null;

// What time passes for, in words.
const KINDS = {
  computing: "computing",
  sleeping: "sleeping",
  overheads: "overheads of messages",
  latency: "latency",
  bytes: "bytes of messages",
  gaps: "gaps between messages",
  asking: "asking again and again",
  other: "other costs of messages",
};
const kindText = (kind) => KINDS[kind] || kind.replaceAll("_", " ");

function readSteps(numbers) {
  const { next, nextSigned } = numbers;
  const steps = [];
  const count = next();
  for (let i = 0, last = 0; i < count; ++i) {
    const from = last + nextSigned();
    const to = (last = from + next());
    const step = { from, to, rank: next() - 1 };
    step.kind = explanation.critical_path.kinds[next() - 1] || "";
    step.call = explanation.critical_path.calls[next() - 1] || "";
    const sender = next() - 1;
    if (sender >= 0) step.message = { from: sender, to: next(), bytes: next() };
    steps.push(step);
  }
  return steps;
}

// The path as one line: from a rank at a time to a rank at a time. A message's reasons are one.
function linesOf(steps) {
  const lines = [];
  for (const [i, step] of steps.entries()) {
    const last = lines[lines.length - 1];
    if (!step.message) {
      if (last && last.end < 0) last.end = step.rank;
      lines.push({ from: step.from, to: step.to, start: step.rank, end: step.rank });
    } else if (last && last.end < 0) {
      last.to = Math.max(last.to, step.to);
    } else {
      const start = last ? last.end : step.message.from;
      lines.push({ from: step.from, to: step.to, start, end: -1 });
    }
    if (i === steps.length - 1 && lines[lines.length - 1].end < 0) {
      lines[lines.length - 1].end = step.message.to;
    }
  }
  return lines;
}

const explained = explanation ? numbersOf("explanation") : null;
const steps = explanation ? readSteps(explained) : [];
const pathLines = linesOf(steps);
const lineEnds = Float64Array.from(pathLines, (line) => line.to);
const stepEnds = Float64Array.from(steps, (step) => step.to);

// Where the picture of each answer begins.
const afterPlaces = new Map();
for (const answer of explanation ? explanation.after : []) {
  const bytes = explained.next();
  afterPlaces.set(answer, explained.place());
  explained.goTo(explained.place() + bytes);
}
