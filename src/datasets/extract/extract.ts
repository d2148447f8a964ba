import type { Extraction, ExtractionSource, RowBatch } from "./extraction.js";
import { rowsOfRange } from "./rows-of-range.js";

const defaults = { span: 1_000, parallel: 4 };

/**
 * Extracts a dataset range by range, in order. Ranges are fetched in parallel; every one is whole.
 * @throws ReorgError when the chain replaces blocks while they are read; ChainError when the node does not answer;
 * NotInRangeError for a value that its column cannot hold
 */
export async function* extract(
  source: ExtractionSource,
  extraction: Extraction,
  newest: number,
): AsyncGenerator<RowBatch, void, void> {
  const { span = defaults.span, parallel = defaults.parallel, from: first, to: last } = extraction;
  const running: Promise<RowBatch>[] = [];
  let next = first;
  const start = (): void => {
    const from = next;
    const to = Math.min(last, from + span - 1);
    next = to + 1;
    const batch = rowsOfRange(source, { ...extraction, from, to, newest });
    // Awaited below; until then a failure must not count as unhandled.
    batch.catch(() => undefined);
    running.push(batch);
  };
  while (next <= last || running.length > 0) {
    while (next <= last && running.length < parallel) start();
    const batch = await running.shift();
    if (batch) yield batch;
  }
}
