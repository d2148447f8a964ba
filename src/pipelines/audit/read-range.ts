import type { Delta } from "../changes/delta.js";
import { joinRows, type Rows } from "../changes/rows.js";
import type { Program } from "../runner/program.js";
import type { BlockRange } from "../sinks/audit.js";
import type { Source } from "../sources/source.js";

/** A source that does not return the same rows again. */
export class RangeUnreadError extends Error {
  override readonly name = "RangeUnreadError";
}

/**
 * Reads a range of a source again, and computes its rows for the sink.
 * @param name the source's
 * @param source opened so that it ends with the range
 * @throws RangeUnreadError if the source ends before the range does, and errors of sources and queries
 */
export async function readRange(
  name: string,
  source: Source,
  { from, to }: BlockRange,
  program: Program,
): Promise<Delta> {
  const minus: Rows[] = [];
  const plus: Rows[] = [];
  let next = from;
  for await (const { delta, position, ...place } of source.batches({ next: from, open: [] })) {
    const made = await program.apply(name, delta, { from: place.from, to: place.to });
    minus.push(made.minus);
    plus.push(made.plus);
    next = position.next;
    if (next > to) break;
  }
  if (next <= to)
    throw new RangeUnreadError(`Source ${name} ends before ${next}, but the sink has it until ${to}.`);
  const width = plus[0]?.columns.length ?? 0;
  return { minus: joinRows(minus, width), plus: joinRows(plus, width) };
}
