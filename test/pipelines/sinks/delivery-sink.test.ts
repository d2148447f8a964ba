import { expect, it } from "vitest";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";
import { openFileState } from "../../../src/pipelines/machine/state/open-file-state.js";
import { DeliverySink } from "../../../src/pipelines/sinks/delivery/delivery-sink.js";
import type { SinkBatch } from "../../../src/pipelines/state/sink-batch.js";
import { testFolder } from "../../support/folder.js";

const columns: readonly RowColumn[] = [{ name: "id", type: "STRING", nullable: false }];

/** The rows of a block. */
const batchOf = (block: number, rows: readonly string[]): SinkBatch => ({
  source: "s",
  from: block,
  to: block,
  position: { next: block + 1, open: [] },
  ledger: { from: block, to: block, rows: rows.length, sum: 1n },
  changes: {
    schema: { columns, key: [] },
    operations: rows.map(() => "i"),
    rows: { count: rows.length, columns: [rows] },
    replaced: { count: 0, columns: [[]] },
    overwritten: 0,
  },
});

it("a delivery sink sends batches one by one, even if rows arrive while others are due", async () => {
  const owner = { flow: "f", sink: "s", target: "t", columns };
  const state = await openFileState(testFolder(), owner);
  const timers: AbortController[] = [];
  const sent: string[] = [];
  const sink = new DeliverySink({
    state,
    schema: { columns, key: [] },
    batchSize: 2,
    flushInterval: 1,
    gathers: true,
    clock: {
      timeout() {
        const timer = new AbortController();
        timers.push(timer);
        return timer.signal;
      },
    },
    carrier: {
      async carry(
        {
          first,
          rows: {
            count,
            columns: [ids = []],
          },
        },
        arrived,
      ) {
        sent.push(`${first} begins`);
        await new Promise((resolve) => setTimeout(resolve, 20));
        sent.push(`${first}: ${ids.join()}`);
        await arrived(count);
      },
    },
  });
  await sink.write(batchOf(1, ["a"]));
  timers[0]?.abort();
  await sink.write(batchOf(2, ["b", "c"]));
  await sink.end();
  expect(sent).toEqual(["1 begins", "1: a", "2 begins", "2: b,c"]);
  expect(state.ledger("s")).toMatchObject([{ from: 1, to: 2, rows: 3 }]);
  await sink.close();
});
