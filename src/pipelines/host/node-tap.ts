import { rowJson } from "../changes/row-json.js";
import type { Rows, RowValue } from "../changes/rows.js";
import type { RowTap, TappedChanges } from "../runner/row-tap.js";
import type { TappedRow, TappedRows } from "./pipeline-engine.js";

/** Rows of a node that are taken of a batch, and in a second. */
const mostOfBatch = 100;
const mostOfSecond = 200;
/** Characters of all rows that are taken in a second. */
const mostText = 1_000_000;
/** Characters of a value, and values of a list. */
const longestText = 10_000;
const longestList = 1_000;

interface Looked {
  /** The sink for which its rows are computed; nothing until the first rows come. */
  sink: string | undefined;
  /** Rows that may still be taken in this second. */
  left: number;
  rows: TappedRow[];
  dropped: number;
}

/** Keeps rows that pass nodes until they are sent. What does not fit is dropped and counted. */
export class NodeTap implements RowTap {
  readonly #now: () => number;
  #nodes: ReadonlyMap<string, Looked> = new Map();
  /** The second for which rows are counted. */
  #second = 0;
  #text = 0;

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Looks at some nodes, and at no others. */
  watch(nodes: readonly string[]): void {
    this.#nodes = new Map(
      nodes.map((node) => [
        node,
        this.#nodes.get(node) ?? { sink: undefined, left: mostOfSecond, rows: [], dropped: 0 },
      ]),
    );
  }

  room(node: string, sink: string): number | undefined {
    const looked = this.#nodes.get(node);
    if (!looked) return undefined;
    // Each sink computes the rows of a node for itself, and they are shown once.
    looked.sink ??= sink;
    if (looked.sink !== sink) return undefined;
    this.#count(this.#now());
    return this.#text >= mostText ? 0 : Math.min(mostOfBatch, looked.left);
  }

  take(node: string, { operations, rows, schema: { columns } }: TappedChanges, passed: number): void {
    const looked = this.#nodes.get(node);
    if (!looked) return;
    const short = cut(rows);
    let taken = 0;
    for (const [row, op] of operations.entries()) {
      if (this.#text >= mostText) break;
      taken += 1;
      const json = rowJson(columns, short, row);
      this.#text += json.length;
      looked.rows.push({ op, json });
    }
    looked.left -= taken;
    looked.dropped += passed - taken;
  }

  /** Lets other sinks show rows, since none come on the way to this one. */
  release(sink: string): void {
    for (const looked of this.#nodes.values()) if (looked.sink === sink) looked.sink = undefined;
  }

  /** What has come since the last call. */
  flush(): readonly TappedRows[] {
    const news: TappedRows[] = [];
    for (const [node, looked] of this.#nodes) {
      const { rows, dropped } = looked;
      if (rows.length + dropped > 0) news.push({ node, rows, dropped });
      looked.rows = [];
      looked.dropped = 0;
    }
    return news;
  }

  /** Starts counting from zero with each second. */
  #count(now: number): void {
    const second = Math.floor(now / 1_000);
    if (second === this.#second) return;
    this.#second = second;
    this.#text = 0;
    for (const looked of this.#nodes.values()) looked.left = mostOfSecond;
  }
}

function cut({ count, columns }: Rows): Rows {
  return { count, columns: columns.map((values) => values.map(cutValue)) };
}

function cutValue(value: RowValue): RowValue {
  if (typeof value === "string")
    return value.length <= longestText
      ? value
      : `${value.slice(0, longestText)}… (${value.length} characters)`;
  if (!Array.isArray(value)) return value;
  const list = value as readonly string[];
  const kept = list.slice(0, longestList).map((text) => cutValue(text) as string);
  return list.length <= longestList ? kept : [...kept, `… (${list.length} values)`];
}
