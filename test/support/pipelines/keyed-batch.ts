import type { Operation } from "../../../src/pipelines/changes/net-changes.js";
import type { RowSchema } from "../../../src/pipelines/changes/schema.js";
import type { SinkBatch } from "../../../src/pipelines/state/sink-batch.js";

/** The schema of `keyedBatch`. */
export const keyedSchema = {
  columns: [
    { name: "id", type: "STRING", nullable: false },
    { name: "block", type: "LONG", nullable: false },
  ],
  key: ["id"],
} as const satisfies RowSchema;

/** A batch of a block; a change is its operation and its id, `i a`. */
export function keyedBatch(block: number, ...changes: readonly `${Operation} ${string}`[]): SinkBatch {
  const ids = changes.map((change) => change.slice(2));
  return {
    source: "chain",
    from: block,
    to: block,
    changes: {
      schema: keyedSchema,
      operations: changes.map(([op]) => op as Operation),
      rows: { count: ids.length, columns: [ids, ids.map(() => BigInt(block))] },
      overwritten: 0,
    },
    position: { next: block + 1, open: [] },
    ledger: { from: block, to: block, rows: ids.length, sum: 0n },
  };
}

/** The error that something rejects with. */
export async function errorOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => {
      throw new Error("it has not failed");
    },
    (error: Error) => error,
  );
}
