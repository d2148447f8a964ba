import { expect, it } from "vitest";
import type { InspectEvent } from "../../../../src/api/pipeline-operations.js";
import { keysIn } from "../../../../src/cli/hosted-pipeline/inspect/keys.js";
import { press } from "../../../../src/cli/hosted-pipeline/inspect/press-key.js";
import { linesOf, pageOf } from "../../../../src/cli/hosted-pipeline/inspect/view-lines.js";
import {
  currentTab,
  newView,
  take,
  type ViewState,
} from "../../../../src/cli/hosted-pipeline/inspect/view-state.js";

const size = { rows: 8, columns: 60 };

const node = (name: string) => ({
  ...({ name, kind: "transform", type: "sql", reads: ["transfers"], key: ["id"] } as const),
  columns: [{ name: "id", type: "STRING" }],
  definition: { sql: "SELECT id FROM transfers", primary_key: "id" },
});
const rows = (from: number, to: number, of = "large"): readonly InspectEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    ...({ event: "row", node: of, op: "i" } as const),
    row: { id: `row ${from + index}` },
  }));
const opened = (events: readonly InspectEvent[] = [], buffer = 100): ViewState =>
  take(newView("f", buffer), [{ event: "nodes", nodes: [node("transfers"), node("large")] }, ...events]);
const typed = (state: ViewState, text: string): ViewState =>
  keysIn(text).reduce((now, key) => press(now, key, pageOf(size)), state);
const shown = (state: ViewState): readonly string[] => linesOf(state, size).map(({ text }) => text);
const selected = (state: ViewState): string | undefined =>
  linesOf(state, size).find(({ style }) => style === "selected")?.text;

it("the view has a tab for each node, and keys to switch tabs", () => {
  const state = opened(rows(1, 2));
  expect(shown(state)[0]).toBe("[1 transfers (0)] 2 large (2) ");
  for (const key of ["\t", "\u001b[C", "2", "\u001b[D", "\u001b[Z"])
    expect(currentTab(typed(state, key))?.node.name).toBe("large");
  expect(currentTab(typed(state, "\t\t"))?.node.name).toBe("transfers");
  expect(currentTab(typed(state, "9"))?.node.name).toBe("transfers");
});

it("the view follows the newest row until the user scrolls, and again after f", () => {
  let state = typed(opened(rows(1, 20)), "2");
  expect(selected(state)).toBe('i {"id":"row 20"}');
  state = typed(state, "kk");
  expect(selected(state)).toBe('i {"id":"row 18"}');
  state = take(state, rows(21, 22));
  expect(selected(state)).toBe('i {"id":"row 18"}');
  expect(selected(typed(state, "g"))).toBe('i {"id":"row 1"}');
  expect(selected(typed(state, "G"))).toBe('i {"id":"row 22"}');
  expect(selected(typed(state, "g\u001b[6~"))).toBe('i {"id":"row 6"}');
  expect(selected(typed(state, "g\u001b[6~\u001b[5~"))).toBe('i {"id":"row 1"}');
  state = take(typed(state, "f"), rows(23, 23));
  expect(selected(state)).toBe('i {"id":"row 23"}');
});

it("the view keeps as many rows as the buffer holds, and the selected one in its place", () => {
  const state = take(typed(opened(rows(1, 5), 5), "2k"), rows(6, 7));
  expect(currentTab(state)?.rows.map(({ row }) => row.id)).toEqual([
    "row 3",
    "row 4",
    "row 5",
    "row 6",
    "row 7",
  ]);
  expect(selected(state)).toBe('i {"id":"row 4"}');
});

it("the view shows nothing new while it is paused", () => {
  const paused = take(typed(opened(rows(1, 2)), "2 "), rows(3, 5));
  expect(currentTab(paused)?.rows).toHaveLength(2);
  expect(shown(paused)).toContain("connecting | paused, 3 new | row 2 of 2");
  const resumed = typed(paused, " ");
  expect(selected(resumed)).toBe('i {"id":"row 5"}');
});

it("the view searches forwards and backwards, and continues at the other end", () => {
  const state = typed(opened(rows(1, 20)), "2/ROW 1\r");
  expect(selected(state)).toBe('i {"id":"row 1"}');
  expect(selected(typed(state, "n"))).toBe('i {"id":"row 10"}');
  expect(selected(typed(state, "N"))).toBe('i {"id":"row 19"}');
  expect(shown(typed(state, "/ab\u007fc")).at(-1)).toBe("/ac");
  expect(typed(state, "/q\u001b").end).toBeUndefined();
});

it("the view shows a row in full, and the definition of its node", () => {
  const state = typed(opened(rows(1, 1)), "2");
  expect(shown(typed(state, "\r")).slice(1, 5)).toEqual(["inserted", "{", '  "id": "row 1"', "}"]);
  expect(shown(typed(state, "d"))).toContain("  sql: SELECT id FROM transfers");
  expect(shown(typed(state, "dq"))).toEqual(shown(state));
});

it("the view shows control characters, and cuts lines to the width", () => {
  const text = `\u001b[2J\u202e${"界".repeat(60)}`;
  const state = typed(opened([{ event: "row", node: "large", op: "u", row: { text } }]), "2");
  const [, line = ""] = shown(state);
  expect(line.startsWith('u {"text":"\\u001b[2J\\u202e界')).toBe(true);
  expect(line.endsWith("界…")).toBe(true);
  for (const shownLine of [...shown(state), ...shown(typed(state, "\r"))])
    expect(shownLine).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

it("the view says how many rows are not shown, and quits with q or Ctrl-C", () => {
  const state = take(typed(opened(rows(1, 1)), "2"), [{ event: "dropped", node: "large", rows: 7 }]);
  expect(shown(state)).toContain("connecting | following | row 1 of 1 | 7 not shown");
  expect(typed(state, "q").end).toBe("quit");
  expect(typed(state, "d\u0003").end).toBe("interrupted");
});

it("the view fits terminals of any size", () => {
  const state = typed(opened(rows(1, 9)), "2");
  for (const small of [
    { rows: 1, columns: 1 },
    { rows: 4, columns: 3 },
    { rows: 100, columns: 300 },
  ]) {
    const lines = linesOf(state, small);
    expect(lines).toHaveLength(small.rows);
    expect(lines.every(({ text }) => [...text].length <= small.columns)).toBe(true);
  }
});
