import { createHash } from "node:crypto";
import { SQL, type Sql } from "../store/database/database.js";
import { versionsSql } from "../store/tables/versions-sql.js";
import { DumpReplacedError } from "./dump-error.js";
import type { DumpBlock, DumpTable } from "./dump-metadata.js";
import type { DumpCounts, DumpPart, DumpPosition, TablePosition } from "./dump-parts.js";
import type { OwnSource } from "./dump-source.js";
import { clampColumns, endColumn, type StoredTable } from "./dump-tables.js";
import { type RowBatch, readRows, type WantedRows } from "./read-rows.js";
import { dumpFile, type TextColumns } from "./write-dump-file.js";

/** How long a transaction may be, and how large files. */
export interface SliceLimits {
  /** Characters of rows, after which the slice ends. */
  readonly characters: number;
  /** Milliseconds, after which it ends, if it has a part of these characters. */
  readonly time: number;
  /** Characters of rows, after which another file begins. */
  readonly fileCharacters: number;
}

/** The last vid of all. */
const lastVid = 2n ** 63n - 1n;

/**
 * Reads what a client's folder lacks of a deployment, within limits. A client that repeats this with the position that it
 * has reached gets a whole dump of the moment of the last slice: rows that were sent before and have ended since are sent
 * as clamps. The slices of a large dump leave out blocks that the chain may replace, except for the last one.
 * @param now milliseconds
 * @throws DumpReplacedError, DatabaseError
 */
export async function* dumpSlice(
  sql: Sql,
  source: OwnSource,
  position: DumpPosition,
  limits: SliceLimits,
  now: () => number,
): AsyncGenerator<DumpPart> {
  const { facts, schema, manifest } = source;
  await checkPosition(source, position);
  const tables = source.tables.map((table) => new SlicedTable(table, position.tables.get(table.type)));
  const empty = tables.map(({ table }) => [table.type, emptyTable(table)] as const);
  yield { kind: "begin", metadata: { ...facts, entityCount: 0, tables: new Map(empty) }, schema, manifest };
  const { head } = facts;
  const budget = new Budget(limits, now);
  const settled = (await source.size()) > limits.characters ? await source.settled() : undefined;
  const early = settled && settled.number >= (position.head?.number ?? -1) ? settled : undefined;
  for (const at of early ? [early, head] : [head])
    for (const one of tables) {
      yield* newRows(sql, one, at, at === head, budget);
      if (!one.isRead) return yield { kind: "end", at };
      one.isRead = false;
    }
  for (const one of tables.sort((a, b) => a.asOf - b.asOf)) {
    // Sent as a whole, so that each answer has at least one.
    if (budget.isLarge()) return yield { kind: "end", at: head };
    yield* endedRows(sql, one, head, budget);
  }
  const counts: DumpCounts = { entities: await source.countEntities(), rows: await countRows(sql, tables) };
  yield { kind: "end", at: head, counts };
}

/** @throws DumpReplacedError */
async function checkPosition(
  { facts, hasBlock }: OwnSource,
  { deployment, head }: DumpPosition,
): Promise<void> {
  if (deployment !== undefined && deployment !== facts.deployment)
    throw new DumpReplacedError(`The dump is of ${deployment}, and this is ${facts.deployment} now.`);
  if (head && (await hasBlock(head)) === false)
    throw new DumpReplacedError(
      `The dump is of block ${head.number}, and the chain has replaced this block, or the subgraph was indexed again.`,
    );
}

function emptyTable({ immutable, causalityRegion }: StoredTable): DumpTable {
  return { immutable, hasCausalityRegion: causalityRegion, chunks: [], clamps: [], maxVid: -1n };
}

/** A table while it is sent. */
class SlicedTable {
  readonly table: StoredTable;
  /** The block as of which all rows before `openVid` are. */
  asOf: number;
  /** The last vid that was sent. */
  maxVid: bigint;
  /** The last vid of rows that may have ended since they were sent. */
  openVid: bigint;
  /** Whether all rows of the moment were sent. */
  isRead = false;

  constructor(table: StoredTable, known: TablePosition | undefined) {
    this.table = table;
    this.maxVid = known?.maxVid ?? -1n;
    this.openVid = this.maxVid;
    this.asOf = known?.asOf ?? -1;
  }
}

class Budget {
  readonly #limits: SliceLimits;
  readonly #now: () => number;
  readonly #began: number;
  #characters = 0;

  constructor(limits: SliceLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#began = now();
  }

  get fileCharacters(): number {
    return this.#limits.fileCharacters;
  }

  spend(characters: number): void {
    this.#characters += characters;
  }

  isLarge(): boolean {
    return this.#characters >= this.#limits.characters;
  }

  /** Time counts once there is something worth another transaction, so that slices end even if blocks come quickly. */
  isSpent(): boolean {
    const { characters, time } = this.#limits;
    return this.isLarge() || (this.#characters > characters / 16 && this.#now() - this.#began >= time);
  }
}

/** Rows after the last one. @param isLast whether it is the moment of the transaction */
async function* newRows(
  sql: Sql,
  one: SlicedTable,
  at: DumpBlock | undefined,
  isLast: boolean,
  budget: Budget,
): AsyncGenerator<DumpPart> {
  const { table } = one;
  const wanted = { table, from: one.maxVid, to: lastVid };
  const isNew = SQL`vid > $1::bigint and vid <= $2::bigint`;
  const { begins, ends } = versionsSql(table);
  const rows = isLast
    ? { ...wanted, columns: table.columns, condition: isNew, more: [] }
    : {
        ...wanted,
        columns: table.columns.map((column) =>
          column.name === endColumn
            ? { ...column, selected: SQL`case when ${ends} <= $3::integer then ${ends} end` }
            : column,
        ),
        condition: SQL`${isNew} and ${begins} <= $3::integer`,
        more: [String(at?.number ?? -1)],
      };
  const batches = readRows(sql, rows);
  for (;;) {
    if (budget.isSpent()) return;
    const first = await batches.next();
    if (first.done) break;
    if (!isLast && one.openVid < 0n) one.asOf = at?.number ?? -1;
    one.maxVid = yield* oneFile({ ...rows, form: "chunk", at }, first.value, batches, budget);
    if (!isLast) one.openVid = one.maxVid;
  }
  one.isRead = true;
}

/** The ends of rows that were sent before they ended. */
async function* endedRows(
  sql: Sql,
  { table, asOf, openVid }: SlicedTable,
  at: DumpBlock | undefined,
  budget: Budget,
): AsyncGenerator<DumpPart> {
  if (table.immutable || openVid < 0n) return;
  const ended = versionsSql(table).hasEnded(SQL`> $3::integer`);
  const columns = clampColumns(table);
  const batches = readRows(sql, {
    table,
    columns,
    from: -1n,
    to: openVid,
    condition: SQL`vid > $1::bigint and vid <= $2::bigint and ${ended}`,
    more: [String(asOf)],
  });
  const first = await batches.next();
  if (!first.done) yield* oneFile({ table, columns, form: "clamp", at }, first.value, batches, budget);
  yield { kind: "clamped", table: table.type, at };
}

/** A file with rows; clamps of a table are in one. @returns the last vid */
async function* oneFile(
  { table, columns, form, at }: Pick<WantedRows, "table" | "columns"> & Omit<FilePart, "kind" | "table">,
  first: RowBatch,
  more: AsyncGenerator<RowBatch>,
  budget: Budget,
): AsyncGenerator<DumpPart, bigint> {
  yield { kind: "file", table: table.type, form, at };
  const vids = { rows: 0, minVid: BigInt(first.columns[0]?.[0] ?? -1), maxVid: -1n };
  const batches = async function* (): AsyncGenerator<TextColumns> {
    let characters = 0;
    for (let batch: RowBatch | undefined = first; batch; ) {
      budget.spend(batch.characters);
      characters += batch.characters;
      const [own = []] = batch.columns;
      vids.rows += own.length;
      vids.maxVid = BigInt(own.at(-1) ?? -1);
      yield batch.columns;
      const isOver = form === "chunk" && (budget.isSpent() || characters >= budget.fileCharacters);
      const next: IteratorResult<RowBatch> = isOver ? { done: true, value: undefined } : await more.next();
      batch = next.done ? undefined : next.value;
    }
  };
  const hash = createHash("sha256");
  for await (const bytes of dumpFile(columns, batches())) {
    hash.update(bytes);
    yield { kind: "data", bytes };
  }
  yield { kind: "whole", ...vids, digest: hash.digest("hex") };
  return vids.maxVid;
}

type FilePart = Extract<DumpPart, { readonly kind: "file" }>;

async function countRows(sql: Sql, tables: readonly SlicedTable[]): Promise<ReadonlyMap<string, number>> {
  const rows = new Map<string, number>();
  for (const { table } of tables) {
    const [counted] = await sql.query(SQL`select count(*) as rows from ${table.name}`);
    rows.set(table.type, Number(counted?.rows));
  }
  return rows;
}
