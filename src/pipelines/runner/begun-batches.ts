import { reportFailure } from "../../base/failures.js";
import { inBackground } from "../../base/turns/guarded.js";

/** A batch that was read, with the computation that has already begun. */
export interface BegunBatch<Batch, Made> {
  readonly batch: Batch;
  /** `undefined` if it has not begun. */
  readonly made: Promise<Made> | undefined;
}

/**
 * Starts computing a batch while the previous one is still being computed, so that two run at once. Batches keep
 * their order. No work is left running at the end.
 * @param begin starts computing a batch before its turn; `undefined` if the batch must wait
 */
export async function* begunBatches<Batch, Made>(
  batches: AsyncGenerator<Batch, void, void>,
  begin: (batch: Batch) => Promise<Made> | undefined,
): AsyncGenerator<BegunBatch<Batch, Made>, void, void> {
  let isOver = false;
  const making = new Set<Promise<unknown>>();
  const keep = (made: Promise<Made>): void => {
    const settled = made.then(
      () => undefined,
      () => undefined,
    );
    making.add(settled);
    inBackground(
      settled.then(() => making.delete(settled)),
      reportFailure,
    );
  };
  const read = async (): Promise<BegunBatch<Batch, Made> | undefined> => {
    const { value: batch, done } = await batches.next();
    if (done || isOver) return undefined;
    const made = begin(batch);
    if (made) keep(made);
    return { batch, made };
  };
  try {
    let next = read();
    for (;;) {
      const begun = await next;
      if (!begun) return;
      const ahead = begun.made && read();
      // The consumer gets the rejection.
      ahead?.catch(() => undefined);
      yield begun;
      next = ahead ?? read();
    }
  } finally {
    isOver = true;
    await Promise.all(making);
    // Not awaited: it may be waiting for a batch that never comes.
    void batches.return().catch(() => undefined);
  }
}
