import type { BlockPointer } from "../../runtime/chain/chain.js";
import { checkWrites, keysToCheck } from "../../runtime/store/check-writes.js";
import { isCanonical, sortById } from "../../runtime/store/entity-ids.js";
import { keysOf } from "../../runtime/store/references.js";
import type {
  BlockWrites,
  CommitOptions,
  CreatedDataSource,
  EntityCounts,
  EntityVersion,
  FailedHandler,
  FailOptions,
  Store,
  WrittenBlock,
} from "../../runtime/store/store.js";
import type { Entity } from "../../subgraph/schema/entity.js";
import { type EntitySchema, SchemaError } from "../../subgraph/schema/entity-schema.js";
import type { Database } from "../database/database.js";
import { keepHead, readRecentBlocks } from "../deployments/head.js";
import { recordFatalError, recordRetriedError } from "../deployments/health.js";
import { checkKept } from "../tables/kept-history.js";
import { Batch } from "./batch.js";
import { checkDataSource, readDataSources } from "./data-sources.js";
import { EntityMemory, type Known, ofChain } from "./entity-memory.js";
import { countRows, readAll, readChanges, readCurrent, readMany, readRelated } from "./entity-reads.js";
import type { EntityTable } from "./entity-table.js";
import { handlerError } from "./handler-error.js";
import { KnownIds } from "./known-ids.js";
import { Preloads } from "./preloads.js";
import { readDigest } from "./proof-digests.js";
import { revertBlocks } from "./revert-blocks.js";
import { timeOf } from "./roll-ups.js";
import { type Target, writeBatch } from "./write-batch.js";

export interface SqlStoreOptions extends Target {
  readonly database: Database;
  readonly schema: EntitySchema;
  /** The last block whose writes are complete. */
  readonly head: BlockPointer | undefined;
  /** The maximum number of changes held back while more blocks are announced. */
  readonly mostChanges?: number;
  /** The number of cached entities. */
  readonly mostRemembered?: number;
  /** Receives the last written block whenever blocks were written or reverted. */
  readonly onWritten?: ((head: BlockPointer | undefined) => void) | undefined;
}

/**
 * A store in graph-node's tables. Blocks that announce more are held back and written many at a time, while the next
 * ones are accepted; reads answer as if they were written. All effects of a block, and the head, are one transaction.
 */
export class SqlStore implements Store {
  readonly #options: SqlStoreOptions;
  readonly #memory: EntityMemory;
  readonly #ids: KnownIds;
  readonly #preloads: Preloads<Known>;
  readonly #mostChanges: number;
  readonly #fileTypes: ReadonlySet<string>;
  /** The last accepted block, and the last written block. */
  #head: BlockPointer | undefined;
  #written: WrittenBlock | undefined;
  /** The changes that are held back, and those being written. */
  #held = new Batch();
  #leaving: Batch | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** The digest of the proof of indexing as of the last accepted block, once it was read or written. */
  #digest: Promise<Uint8Array | undefined> | undefined;
  readonly proofDigest?: () => Promise<Uint8Array | undefined>;

  constructor(options: SqlStoreOptions) {
    this.#options = options;
    const { database, proofs } = options;
    if (proofs) this.proofDigest = () => (this.#digest ??= readDigest(database, proofs));
    this.#head = options.head;
    this.#written = options.head;
    this.#memory = new EntityMemory(options.mostRemembered ?? 20_000);
    this.#ids = new KnownIds(options.head ? [] : options.tables.keys());
    this.#preloads = new Preloads({
      isUnknown: (type, id) => this.#known(type, id) === undefined,
      read: (type, ids) => this.#read(this.#table(type), ids),
      keep: (type, id, known) => this.#memory.set(type, id, known),
    });
    this.#mostChanges = options.mostChanges ?? 5_000;
    const ofFiles = [...options.tables].filter(([, { layout }]) => layout.causalityRegion);
    this.#fileTypes = new Set(ofFiles.map(([type]) => type));
  }

  async head(): Promise<BlockPointer | undefined> {
    return this.#head;
  }

  async get(type: string, id: string): Promise<Entity | undefined> {
    return (await this.getMany(type, [id])).get(id);
  }

  peek(type: string, id: string): Entity | null | undefined {
    const known = this.#known(type, id);
    return known === undefined ? undefined : (ofChain(known) ?? null);
  }

  expect(type: string, id: string): void {
    const table = this.#options.tables.get(type);
    if (table && isCanonical(table.type, id)) this.#preloads.expect(type, id);
  }

  async getMany(type: string, ids: readonly string[]): Promise<ReadonlyMap<string, Entity>> {
    const found = await this.#load(type, ids);
    return new Map(
      [...found].flatMap(([id, known]) => {
        const entity = ofChain(known);
        return entity ? [[id, entity] as const] : [];
      }),
    );
  }

  async related(type: string, field: string, id: string): Promise<readonly Entity[]> {
    const table = this.#table(type);
    // A batch in flight is not in the database yet, and no longer held back when the answer arrives.
    const batches = [this.#leaving, this.#held].flatMap((batch) => batch?.types.get(type) ?? []);
    const rows = await readRelated(this.#options.database, table, field, id);
    const found = new Map(rows.map((version) => [version.id, version.entity]));
    for (const { current } of batches) {
      for (const [key, version] of current) {
        if (version?.region === undefined && version && keysOf(version.entity.get(field)).includes(id))
          found.set(key, version.entity);
        else found.delete(key);
      }
    }
    return sortById(found, table.type.idKind, ([key]) => key).map(([, entity]) => entity);
  }

  async commit(
    block: WrittenBlock,
    writes: BlockWrites,
    { more = false, isNearHead = false }: CommitOptions = {},
  ): Promise<void> {
    const { schema, sources, rollUps } = this.#options;
    if (rollUps.length > 0) timeOf(block);
    for (const dataSource of writes.dataSources) checkDataSource(sources, dataSource);
    // Do this before anything is held back, because ids not yet in the database are not among those read from it.
    for (const type of new Set(writes.changes.map((change) => change.type))) await this.#prepareIds(type);
    const before = await this.#currentOf(writes);
    const written = {
      head: this.#head,
      since: (type: string, id: string) => before(type, id)?.from,
      region: (type: string, id: string) => regionOf(before(type, id)),
    };
    checkWrites(schema, written, block, writes);
    this.#held.add(block, await this.#withNewDigest(writes), (type, id) => this.#known(type, id));
    this.#held.isNearHead ||= isNearHead;
    for (const { type, id, kind } of writes.changes) {
      if (kind === "set") this.#ids.add(type, id);
      this.#preloads.written(type, id);
    }
    this.#head = { number: block.number, hash: block.hash };
    if (!more) await this.flush();
    else if (this.#held.size >= this.#mostChanges || this.#held.blocks.length >= this.#mostChanges) {
      await this.#writing;
      this.#startWriting();
    }
  }

  async flush(): Promise<void> {
    await this.#writing;
    this.#startWriting();
    await this.#writing;
  }

  async fail(
    failure: FailedHandler,
    block: WrittenBlock,
    { isNearHead = false, proofDigest }: FailOptions = {},
  ): Promise<void> {
    await this.flush();
    const { database, deployment } = this.#options;
    const error = handlerError(failure);
    if (!error.deterministic) {
      return database.transaction(async (sql) => {
        await keepHead(sql, deployment, this.#written);
        await recordRetriedError(sql, deployment, error);
      });
    }
    // As in graph-node, the block still ends the intervals of aggregations.
    const last = new Batch();
    const writes = { changes: [], dataSources: [], ...(proofDigest && { proofDigest }) };
    last.add(block, await this.#withNewDigest(writes), () => null);
    last.isNearHead = isNearHead;
    await database.transaction(async (sql) => {
      await writeBatch(sql, this.#options, this.#written, last);
      await recordFatalError(sql, deployment, error);
    });
    this.#head = { number: block.number, hash: block.hash };
    this.#written = block;
    this.#options.onWritten?.(block);
  }

  async revert(to: BlockPointer | undefined): Promise<void> {
    await this.flush();
    const { database } = this.#options;
    await database.transaction((sql) => revertBlocks(sql, this.#options, this.#head, to));
    this.#memory.clear();
    this.#preloads.clear();
    this.#digest = undefined;
    this.#head = to && { number: to.number, hash: to.hash };
    this.#written = this.#head;
    this.#options.onWritten?.(this.#written);
  }

  async dataSources(): Promise<readonly CreatedDataSource[]> {
    await this.flush();
    return readDataSources(this.#options.database, this.#options.sources);
  }

  async recentBlocks(count: number): Promise<readonly BlockPointer[]> {
    await this.flush();
    return readRecentBlocks(this.#options.database, this.#options.deployment, count);
  }

  async all(type: string, at?: number): Promise<readonly Entity[]> {
    await this.flush();
    const { database, deployment } = this.#options;
    const found = await readAll(database, this.#table(type), at);
    if (at !== undefined) await checkKept(database, deployment, at);
    return found.map(({ entity }) => entity);
  }

  async changes(after: number, to: number): Promise<readonly EntityVersion[]> {
    await this.flush();
    const { database, tables } = this.#options;
    const found: EntityVersion[] = [];
    for (const table of tables.values()) found.push(...(await readChanges(database, table, after, to)));
    return found.sort((a, b) => (a.vid < b.vid ? -1 : 1));
  }

  async current(type: string, last?: number): Promise<readonly EntityVersion[]> {
    await this.flush();
    return readCurrent(this.#options.database, this.#table(type), last);
  }

  async counts(): Promise<ReadonlyMap<string, EntityCounts>> {
    await this.flush();
    const { database, tables } = this.#options;
    const counts = new Map<string, EntityCounts>();
    for (const [type, table] of tables) counts.set(type, await countRows(database, table));
    return counts;
  }

  /** Leaves out a digest that stays the same, unless the table notes the time of blocks. */
  async #withNewDigest(writes: BlockWrites): Promise<BlockWrites> {
    const { proofDigest, ...others } = writes;
    if (!proofDigest) return writes;
    const before = await this.proofDigest?.();
    this.#digest = Promise.resolve(proofDigest);
    const isNew = !before || Buffer.compare(before, proofDigest) !== 0;
    return isNew || this.#options.proofs?.hasTimes ? writes : others;
  }

  #table(type: string): EntityTable {
    const table = this.#options.tables.get(type);
    if (!table) throw new SchemaError(`the schema has no entity type ${type}`);
    return table;
  }

  #known(type: string, id: string): Known | undefined {
    // For most new entities one lookup is enough, because the known ids include every id ever accepted.
    if (this.#ids.lacks(type, id)) return null;
    const held = this.#held.get(type, id);
    if (held !== undefined) return held;
    const leaving = this.#leaving?.get(type, id);
    if (leaving !== undefined) return leaving;
    return this.#memory.get(type, id);
  }

  async #prepareIds(type: string): Promise<void> {
    const table = this.#options.tables.get(type);
    if (table) await this.#ids.prepare(this.#options.database, table);
  }

  /** Reads entities, from memory or with one statement. */
  async #load(type: string, ids: readonly string[]): Promise<ReadonlyMap<string, Known>> {
    const table = this.#table(type);
    await this.#prepareIds(type);
    await this.#preloads.settle(type, ids);
    const found = new Map<string, Known>();
    const missing: string[] = [];
    for (const id of ids) {
      const known = this.#known(type, id);
      if (known === undefined) missing.push(id);
      else found.set(id, known);
    }
    if (missing.length === 0) return found;
    for (const [id, known] of await this.#read(table, missing)) {
      this.#memory.set(type, id, known);
      found.set(id, known);
    }
    return found;
  }

  async #read(table: EntityTable, ids: readonly string[]): Promise<ReadonlyMap<string, Known>> {
    await this.#prepareIds(table.type.name);
    const versions = await readMany(this.#options.database, table, ids);
    return new Map(ids.map((id) => [id, versions.get(id) ?? null]));
  }

  /** The current versions that the write rules need. */
  async #currentOf({ changes }: BlockWrites): Promise<(type: string, id: string) => Known | undefined> {
    const ids = new Map<string, string[]>();
    for (const { type, id } of keysToCheck(this.#options.schema, changes, this.#fileTypes)) {
      const ofType = ids.get(type);
      if (ofType) ofType.push(id);
      else ids.set(type, [id]);
    }
    const found = new Map<string, ReadonlyMap<string, Known>>();
    for (const [type, ofType] of ids) found.set(type, await this.#load(type, ofType));
    return (type, id) => found.get(type)?.get(id);
  }

  /** Writes the held-back changes. An error reaches the waiting callers and every later one. */
  #startWriting(): void {
    const batch = this.#held;
    if (batch.blocks.length === 0) return;
    this.#held = new Batch();
    this.#leaving = batch;
    this.#writing = this.#write(batch);
    this.#writing.catch(() => undefined);
  }

  async #write(batch: Batch): Promise<void> {
    await this.#options.database.transaction((sql) => writeBatch(sql, this.#options, this.#written, batch));
    this.#written = batch.blocks.at(-1);
    for (const [type, { current }] of batch.types) {
      for (const id of current.keys()) {
        const known = batch.get(type, id);
        if (known !== undefined) this.#memory.set(type, id, known);
      }
    }
    this.#leaving = undefined;
    this.#options.onWritten?.(this.#written);
  }
}

function regionOf(known: Known | undefined): number | undefined {
  return known ? (known.region ?? 0) : undefined;
}
