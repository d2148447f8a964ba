import { expect, it } from "vitest";
import { NodeTap } from "../../../src/pipelines/host/node-tap.js";
import { handOut } from "../../../src/pipelines/runner/row-tap.js";
import { rowsOf } from "../../support/pipelines/row-objects.js";

const columns = [
  { name: "id", type: "LONG", nullable: false },
  { name: "text", type: "STRING", nullable: true },
] as const;

/** Rows that come at once. */
function come(tap: NodeTap, count: number, { node = "n", sink = "s", text = "x" } = {}): void {
  const room = tap.room(node, sink);
  if (room === undefined) return;
  const rows = rowsOf(
    columns,
    Array.from({ length: count }, (_, index) => ({ id: BigInt(index), text })),
  );
  const operations = Array.from({ length: count }, () => "i" as const);
  handOut(tap, node, { operations, rows, schema: { columns, key: ["id"] } }, room);
}

it("a tap takes rows of the watched nodes, and of no others", () => {
  const tap = new NodeTap(() => 0);
  come(tap, 3);
  expect(tap.flush()).toEqual([]);
  tap.watch(["n"]);
  come(tap, 1);
  come(tap, 1, { node: "other" });
  expect(tap.flush()).toEqual([{ node: "n", rows: [{ op: "i", json: '{"id":0,"text":"x"}' }], dropped: 0 }]);
  expect(tap.flush()).toEqual([]);
  tap.watch([]);
  come(tap, 1);
  expect(tap.flush()).toEqual([]);
});

it("a tap takes a hundred rows of a batch and two hundred in a second, and counts the others", () => {
  let now = 500;
  const tap = new NodeTap(() => now);
  tap.watch(["n"]);
  const counts = () => tap.flush().map(({ rows, dropped }) => [rows.length, dropped]);
  come(tap, 1_000);
  expect(counts()).toEqual([[100, 900]]);
  come(tap, 1_000);
  come(tap, 50);
  expect(counts()).toEqual([[100, 950]]);
  now = 1_000;
  come(tap, 50);
  expect(counts()).toEqual([[50, 0]]);
});

it("a tap limits long rows, and cuts long values", () => {
  const tap = new NodeTap(() => 0);
  tap.watch(["n"]);
  for (let batch = 0; batch < 2; batch += 1) come(tap, 100, { text: "y".repeat(50_000) });
  const [tapped] = tap.flush();
  const length = tapped?.rows.reduce((sum, { json }) => sum + json.length, 0) ?? 0;
  expect(length).toBeLessThan(1_100_000);
  expect((tapped?.rows.length ?? 0) + (tapped?.dropped ?? 0)).toBe(200);
  expect(tapped?.rows[0]?.json).toMatch(/y… \(50000 characters\)"}$/);
});

it("a tap shows the rows of a node once, and those for another sink when one is down", () => {
  const tap = new NodeTap(() => 0);
  tap.watch(["n"]);
  const ids = () => tap.flush().flatMap(({ rows }) => rows.map(({ json }) => JSON.parse(json).text));
  come(tap, 1, { sink: "one", text: "for one" });
  come(tap, 1, { sink: "two", text: "for two" });
  expect(ids()).toEqual(["for one"]);
  tap.release("one");
  come(tap, 1, { sink: "two", text: "for two" });
  expect(ids()).toEqual(["for two"]);
});
