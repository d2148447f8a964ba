import type { Mark, Span } from "./figure.js";

/** A chart shows at most this many marks of a kind, because those close together become one. */
const mostOfKind = 48;

/** The marks within a span, oldest first. Marks of a kind that are close together become one. */
export function gathered(marks: readonly Mark[], { from, to }: Span): readonly Mark[] {
  const found = new Map<string, Mark>();
  const ordered = [...marks].sort((one, other) => one.at - other.at);
  for (const mark of ordered) {
    if (mark.at < from || mark.at >= to) continue;
    const key = `${mark.kind} ${Math.floor(((mark.at - from) / (to - from)) * mostOfKind)}`;
    const there = found.get(key);
    found.set(key, there ? joined(there, mark) : mark);
  }
  return [...found.values()];
}

function joined(one: Mark, next: Mark): Mark {
  const blocks = Math.max(one.blocks ?? 0, next.blocks ?? 0);
  return {
    ...one,
    count: one.count + next.count,
    ...(blocks > 0 && { blocks }),
    ...(next.version !== undefined && { version: next.version }),
  };
}
