import { expect, it } from "vitest";
import { noRows } from "../../../src/pipelines/changes/rows.js";
import { DeadLetters } from "../../../src/pipelines/runner/dead-letters.js";
import { Parking } from "../../../src/pipelines/runner/parking.js";
import { type PipelineWorld, runSinks } from "../../../src/pipelines/runner/run-sinks.js";
import { RowError, type Sink } from "../../../src/pipelines/sinks/sink.js";
import type { ParkedChange } from "../../../src/pipelines/state/parked-change.js";
import type { OutgoingRequest } from "../../../src/web/outgoing/outgoing-request.js";
import { testFolder } from "../../support/folder.js";
import { errorOf, keyedBatch } from "../../support/pipelines/keyed-batch.js";
import { onlySql } from "../../support/pipelines/law-pipeline.js";
import { plannedPipeline, soundPipeline } from "../../support/pipelines/planned-pipeline.js";
import { rowsOf } from "../../support/pipelines/row-objects.js";
import { sinkWorld } from "../../support/pipelines/sink-world.js";

const definition = (letters: string, onError = "park"): string => `
name: wide
sources: { logs: { type: dataset, dataset_name: ethereum.raw_logs, start_at: earliest } }
sinks:
  out: { type: webhook, url: "https://example.com", from: logs, on_error: ${onError} }
  letters: { from: out, ${letters} }`;

/** Parks rows of one key, and shows what is written into the sink of dead letters. */
async function parkingWith(
  out: (text: string) => void,
): Promise<{ readonly parking: Parking; readonly sink: Sink }> {
  const { name, sinks } = await soundPipeline(definition("type: print"));
  const [planned] = sinks;
  if (!planned?.deadLetters) throw new Error("the sink has no sink of dead letters");
  const { schema } = keyedBatch(1, "i a").changes;
  const world = { ...sinkWorld({ folder: "" }), out };
  const letters = new DeadLetters(name, { ...planned, schema }, planned.deadLetters, world);
  const parked: readonly ParkedChange[] = [];
  const sink: Sink = {
    positions: new Map(),
    parked,
    write: async ({ changes }) => {
      const rows = (changes.rows.columns[0] ?? []).flatMap((id, row) => (id === "a" ? [row] : []));
      const [row] = rows;
      if (row !== undefined) throw new RowError("no a", [{ row, why: "no a", column: "id" }]);
    },
    close: async () => undefined,
  };
  const rules = { parks: true, now: () => 5, onRefused: letters.write.bind(letters) };
  return { parking: new Parking(sink, schema, rules), sink };
}

it("dead letters have the refused row with its place and its reason, and the same id when they come again", async () => {
  const lines: string[] = [];
  const written = async (): Promise<void> => {
    const { parking } = await parkingWith((text) => void lines.push(text));
    await parking.write(keyedBatch(1, "i a", "i b"));
    expect(parking.count).toBe(1);
  };
  await written();
  await written();
  const letters = lines.map((line) => JSON.parse(line.slice(line.indexOf("{"))));
  expect(letters).toHaveLength(2);
  expect(letters[0]).toEqual(letters[1]);
  expect(letters[0]).toMatchObject({
    pipeline: "wide",
    sink: "out",
    source: "chain",
    first_block: 1,
    last_block: 1,
    operation: "i",
    row_key: { id: "a" },
    row_data: { id: "a" },
    column_name: "id",
    reason: "no a",
  });
});

it("a row is not parked if its dead letter cannot be written", async () => {
  const { parking } = await parkingWith(() => {
    throw new Error("the disk is full");
  });
  const error = await errorOf(parking.write(keyedBatch(1, "i a", "i b")));
  expect(error.message).toBe("Refused rows cannot be written to sink letters: the disk is full");
  expect(parking.count).toBe(0);
});

it.each([
  ["type: print", "stop", "sink letters gets the refused rows of sink out, which stops at them"],
  [
    "type: file, path: out, finalized: true",
    "park",
    "of type file cannot take the refused rows of another sink",
  ],
  ["type: webhook, url: 'https://example.com', on_error: park", "park", "of type webhook cannot take"],
  ["type: print }\n  others: { type: print, from: out", "park", "two sinks get the refused rows of sink out"],
])("a sink of dead letters is refused: %s", async (letters, onError, why) => {
  const found = await plannedPipeline(definition(letters, onError));
  expect(found).toEqual([expect.stringMatching(/^dead-letters: /)]);
  expect(String(found).replaceAll('"', "")).toContain(why);
});

it("a run writes the rows that a sink refuses into the sink that reads from it, and continues", async () => {
  const plan = await soundPipeline(definition("type: print"));
  const [source] = plan.sources;
  if (!source) throw new Error("the plan has no source");
  const { columns } = source.schema;
  const given = ["a", "bad", "c"].map((id, index) => ({ id, block_number: BigInt(7 + index) }));
  const delta = { minus: noRows(columns.length), plus: rowsOf(columns, given) };
  const batch = { from: 7, to: 9, isUndone: false, delta, position: { next: 10, open: [] } };
  const lines: string[] = [];
  const world = {
    ...sinkWorld({ folder: testFolder() }),
    ...onlySql,
    out: (text: string) => void lines.push(text),
    outgoing: {
      send: async ({ body }: OutgoingRequest) => {
        const status = String(body).includes('"id":"bad"') ? 422 : 200;
        return { status, headers: {}, body: new TextEncoder().encode("no") };
      },
    },
    openSource: () => ({
      batches: async function* () {
        yield batch;
      },
    }),
  };
  const ends = await runSinks(
    plan,
    world as unknown as PipelineWorld,
    () => undefined,
    new AbortController().signal,
  );
  expect([...ends]).toMatchObject([["out", { kind: "ended", progress: { rows: 2, parked: 1 } }]]);
  const [letter, ...others] = lines.map((line) => JSON.parse(line.slice(line.indexOf("{"))));
  expect(others).toEqual([]);
  expect(letter).toMatchObject({
    sink: "out",
    source: "logs",
    row_key: { id: "bad" },
    row_data: { block_number: 8 },
  });
  expect(letter.reason).toBe("The receiver answered with status 422: no");
});
