import type { Entity } from "../../subgraph/schema/entity.js";
import { type EntitySchema, SchemaError } from "../../subgraph/schema/entity-schema.js";
import type { BlockPointer } from "../chain/chain.js";
import { checkWrites, type Written } from "./check-writes.js";
import { sortById } from "./entity-ids.js";
import type { BlockWrites, CreatedDataSource, EntityCounts, EntityVersion, Store } from "./store.js";
import { type Row, Table } from "./table.js";

/** Number of blocks whose hashes are kept. An older fork cannot be distinguished from a different chain. */
const remembered = 1000;
/** The first sequence number of a version in a block; lower numbers are reserved. */
const firstSequence = 100;

/**
 * An in-memory store, without proofs of indexing. It keeps all entities and versions, but only the last 1,000 blocks. It can revert to an older
 * block, but cannot verify its hash, and `recentBlocks` does not return it.
 */
export class MemoryStore implements Store {
  readonly #schema: EntitySchema;
  readonly #tables: ReadonlyMap<string, Table>;
  /** Versions sorted by first block, and ended versions sorted by the block in which they ended. */
  readonly #rows: Row[] = [];
  readonly #closed: Row[] = [];
  #dataSources: CreatedDataSource[] = [];
  /** The indexes of file data sources in `#dataSources`, by region. */
  readonly #places = new Map<number, number>();
  /** Oldest first. */
  #blocks: BlockPointer[] = [];

  /** @throws SchemaError for a schema with aggregations: their expressions are SQL */
  constructor(schema: EntitySchema) {
    const [aggregation] = schema.aggregations;
    if (aggregation) {
      throw new SchemaError(
        `the type ${aggregation.name} is an aggregation, which requires a database (run --database)`,
      );
    }
    this.#schema = schema;
    this.#tables = new Map([...schema.types].map(([name, type]) => [name, new Table(type)]));
  }

  async head(): Promise<BlockPointer | undefined> {
    return this.#blocks.at(-1);
  }

  async get(type: string, id: string): Promise<Entity | undefined> {
    return this.getNow(type, id);
  }

  getNow(type: string, id: string): Entity | undefined {
    const row = this.#table(type).current.get(id);
    return row && isOfChain(row) ? row.entity : undefined;
  }

  async related(type: string, field: string, id: string): Promise<readonly Entity[]> {
    return this.relatedNow(type, field, id);
  }

  relatedNow(type: string, field: string, id: string): readonly Entity[] {
    const table = this.#table(type);
    return sorted(table, [...table.related(field, id)].filter(isOfChain));
  }

  async commit(block: BlockPointer, writes: BlockWrites): Promise<void> {
    checkWrites(this.#schema, this.#written(), block, writes);
    let sequence = firstSequence;
    for (const change of writes.changes) {
      const table = this.#table(change.type);
      this.#close(table.current.get(change.id), block.number);
      if (change.kind === "remove") continue;
      const { id, entity, region = 0 } = change;
      this.#open({ table, id, entity, region, from: block.number, sequence: sequence++, to: undefined });
    }
    for (const dataSource of writes.dataSources) {
      const { region } = dataSource;
      if (region !== undefined) this.#places.set(region, this.#dataSources.length);
      this.#dataSources.push(dataSource);
    }
    if (writes.filesDone) this.#markDone(writes.filesDone, block.number);
    this.#remember(block);
  }

  async revert(to: BlockPointer | undefined): Promise<void> {
    const last = to?.number ?? Number.NEGATIVE_INFINITY;
    this.#checkAncestor(to);
    while (isAfter(this.#rows.at(-1)?.from, last)) this.#takeBack();
    while (isAfter(this.#closed.at(-1)?.to, last)) this.#reopen(last);
    while (isAfter(this.#dataSources.at(-1)?.creationBlock, last)) this.#dataSources.pop();
    this.#dataSources = this.#dataSources.map((source) =>
      isAfter(source.doneAt, last) ? undone(source) : source,
    );
    while (isAfter(this.#blocks.at(-1)?.number, last)) this.#blocks.pop();
    if (to && this.#blocks.at(-1)?.number !== to.number) this.#remember(to);
  }

  async dataSources(): Promise<readonly CreatedDataSource[]> {
    return [...this.#dataSources];
  }

  async recentBlocks(count: number): Promise<readonly BlockPointer[]> {
    return this.#blocks.slice(-Math.min(count, remembered)).reverse();
  }

  async all(type: string, at?: number): Promise<readonly Entity[]> {
    const table = this.#table(type);
    if (at === undefined) return sorted(table, table.current.values());
    return sorted(table, table.rows.slice(0, firstAfter(table.rows, at, beginning)).filter(isOpenAt(at)));
  }

  async changes(after: number, to: number): Promise<readonly EntityVersion[]> {
    const begun = between(this.#rows, after, to, beginning);
    const ended = between(this.#closed, after, to, end).filter(({ from }) => from <= after);
    ended.sort((a, b) => a.from - b.from || a.sequence - b.sequence);
    return [...ended, ...begun].map(versionOf);
  }

  async current(type: string, last?: number): Promise<readonly EntityVersion[]> {
    const rows = this.#table(type).rows.filter(({ to }) => to === undefined);
    return rows.slice(last === undefined ? 0 : Math.max(0, rows.length - last)).map(versionOf);
  }

  async counts(): Promise<ReadonlyMap<string, EntityCounts>> {
    return new Map(
      [...this.#tables].map(([name, { rows, current }]) => [
        name,
        { entities: current.size, versions: rows.length },
      ]),
    );
  }

  #written(): Written {
    return {
      head: this.#blocks.at(-1),
      since: (type, id) => this.#tables.get(type)?.current.get(id)?.from,
      region: (type, id) => this.#tables.get(type)?.current.get(id)?.region,
    };
  }

  #markDone(regions: readonly number[], block: number): void {
    for (const region of regions) {
      const place = this.#places.get(region) ?? -1;
      const source = this.#dataSources[place];
      if (source) this.#dataSources[place] = { ...source, doneAt: block };
    }
  }

  #table(type: string): Table {
    const table = this.#tables.get(type);
    if (!table) throw new SchemaError(`the schema has no entity type ${type}`);
    return table;
  }

  #open(row: Row): void {
    this.#rows.push(row);
    row.table.rows.push(row);
    row.table.open(row);
  }

  #close(row: Row | undefined, block: number): void {
    if (!row) return;
    row.to = block;
    this.#closed.push(row);
    row.table.close(row);
  }

  #takeBack(): void {
    const row = this.#rows.pop();
    row?.table.rows.pop();
    if (row && row.table.current.get(row.id) === row) row.table.close(row);
  }

  #reopen(last: number): void {
    const row = this.#closed.pop();
    if (!row || row.from > last) return;
    row.to = undefined;
    row.table.open(row);
  }

  /** Forgets the oldest blocks, in batches. */
  #remember(block: BlockPointer): void {
    this.#blocks.push({ number: block.number, hash: block.hash });
    if (this.#blocks.length >= 2 * remembered) this.#blocks = this.#blocks.slice(-remembered);
  }

  #checkAncestor(to: BlockPointer | undefined): void {
    const head = this.#blocks.at(-1);
    if (!to) return;
    if (!head || to.number > head.number) {
      throw new Error(`cannot revert to block ${to.number}: the last block is ${head?.number ?? "none"}`);
    }
    const known = this.#blocks.find(({ number }) => number === to.number);
    if (known && known.hash !== to.hash) {
      throw new Error(
        `cannot revert to block ${to.number} ${to.hash}: its hash was ${known.hash} when it was written`,
      );
    }
  }
}

const beginning = ({ from }: Row): number => from;
const end = ({ to }: Row): number => to ?? Number.POSITIVE_INFINITY;

const isAfter = (block: number | undefined, last: number): boolean => block !== undefined && block > last;

const isOfChain = ({ region }: Row): boolean => region === 0;

function undone({ doneAt: _, ...source }: CreatedDataSource): CreatedDataSource {
  return source;
}

const isOpenAt =
  (block: number) =>
  ({ to }: Row): boolean =>
    to === undefined || to > block;

function sorted({ type }: Table, rows: Iterable<Row>): Entity[] {
  return sortById(rows, type.idKind, ({ id }) => id).map(({ entity }) => entity);
}

function between(rows: readonly Row[], after: number, to: number, blockOf: (row: Row) => number): Row[] {
  return rows.slice(firstAfter(rows, after, blockOf), firstAfter(rows, to, blockOf));
}

/** Finds the index of the first row after a block by binary search; rows are sorted by `blockOf`. */
function firstAfter(rows: readonly Row[], block: number, blockOf: (row: Row) => number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle];
    if (row && blockOf(row) <= block) low = middle + 1;
    else high = middle;
  }
  return low;
}

function versionOf({ table, id, entity, from, sequence, to }: Row): EntityVersion {
  const version = { vid: (BigInt(from) << 32n) + BigInt(sequence), type: table.type.name, id, entity, from };
  return to === undefined ? version : { ...version, to };
}
