import { type Changes, netChanges } from "../changes/net-changes.js";
import { joinRows, noRows, pickRows, type Rows } from "../changes/rows.js";
import type { RowSchema } from "../changes/schema.js";

/** Hands out rows that pass nodes, while there are viewers. */
export interface RowTap {
  /**
   * How many rows of a node it accepts now: 0 after too many.
   * @param sink the sink that the rows are computed for, since each sink computes them separately
   * @returns `undefined` if the node has no viewer, or is viewed on the way to another sink
   */
  room(node: string, sink: string): number | undefined;
  /**
   * Accepts rows.
   * @param passed how many rows have passed; `changes` contains all or some of them
   */
  take(node: string, changes: TappedChanges, passed: number): void;
}

/** What happened to rows at a node. */
export type TappedChanges = Pick<Changes, "operations" | "rows" | "schema">;

/** A node on the way to a sink. */
export interface TappedNode {
  readonly name: string;
  readonly schema: RowSchema;
}

/** Both halves of a batch at the watched nodes. */
export class TappedBatch {
  readonly #tap: RowTap;
  readonly #rooms: ReadonlyMap<TappedNode, number>;
  readonly #minus = new Map<TappedNode, Rows>();
  readonly #plus = new Map<TappedNode, Rows>();

  private constructor(tap: RowTap, rooms: ReadonlyMap<TappedNode, number>) {
    this.#tap = tap;
    this.#rooms = rooms;
  }

  /**
   * Starts a batch.
   * @returns `undefined` if no node has a viewer
   */
  static of(tap: RowTap | undefined, nodes: readonly TappedNode[], sink: string): TappedBatch | undefined {
    if (!tap) return undefined;
    const rooms = nodes.flatMap((node) => {
      const room = tap.room(node.name, sink);
      return room === undefined ? [] : [[node, room] as const];
    });
    return rooms.length === 0 ? undefined : new TappedBatch(tap, new Map(rooms));
  }

  /** The watched nodes, and how many rows of each are accepted. */
  get rooms(): ReadonlyMap<TappedNode, number> {
    return this.#rooms;
  }

  /** Adds rows of a node, for all blocks or for some of them. */
  add(node: TappedNode, half: "minus" | "plus", rows: Rows): void {
    const before = half === "minus" ? this.#minus : this.#plus;
    const known = before.get(node);
    before.set(node, known ? joinRows([known, rows], node.schema.columns.length) : rows);
  }

  /** Hands the batch out. */
  end(): void {
    for (const [node, room] of this.#rooms) {
      const nothing = noRows(node.schema.columns.length);
      const minus = this.#minus.get(node) ?? nothing;
      const plus = this.#plus.get(node) ?? nothing;
      if (minus.count + plus.count === 0) continue;
      if (minus.count === 0) this.#tap.take(node.name, insertions(plus, room, node.schema), plus.count);
      else if (room === 0) this.#tap.take(node.name, insertions(nothing, 0, node.schema), plus.count);
      else handOut(this.#tap, node.name, netChanges({ minus, plus }, node.schema), room);
    }
  }
}

/** Hands out a node's changes, as many as the tap accepts. */
export function handOut(tap: RowTap, node: string, changes: TappedChanges, room: number): void {
  const { operations, rows, schema } = changes;
  if (rows.count === 0) return;
  const some = { operations: operations.slice(0, room), rows: firstRows(rows, room), schema };
  tap.take(node, some, rows.count);
}

function insertions(rows: Rows, room: number, schema: RowSchema): TappedChanges {
  const some = firstRows(rows, room);
  return { operations: Array.from({ length: some.count }, () => "i"), rows: some, schema };
}

function firstRows(rows: Rows, most: number): Rows {
  if (rows.count <= most) return rows;
  return pickRows(
    rows,
    Array.from({ length: most }, (_, index) => index),
  );
}
