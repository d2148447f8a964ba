import type {
  BlockWrites,
  CreatedDataSource,
  FailedHandler,
  HandlerRuns,
  WrittenBlock,
} from "../../runtime/store/store.js";
import type { Entity, EntityChange } from "../../subgraph/schema/entity.js";
import { mostErrors } from "../deployments/health.js";
import type { Known } from "./entity-memory.js";
import type { BlockDigest } from "./proof-digests.js";

/** An entity version that is not in the database yet. */
export interface NewVersion {
  readonly vid: bigint;
  readonly id: string;
  readonly entity: Entity;
  readonly from: number;
  to: number | undefined;
  /** Causality region; absent for the chain's. */
  readonly region?: number;
}

/** A change, in the order of the batch. */
export interface LoggedChange {
  readonly order: number;
  readonly block: number;
  readonly id: string;
  /** The vid of the version that it starts; missing for a removal. */
  readonly vid: bigint | undefined;
}

/** The end of a version that was written before. */
export interface EndedVersion {
  /** The first block in which it is no longer valid. */
  readonly block: number;
  /** Absent if the version was not read. Then it may not exist. */
  readonly vid: bigint | undefined;
}

/** The changes of blocks to the entities of one type. */
export interface TypeChanges {
  readonly versions: NewVersion[];
  /** Ends of versions that were written before, by id. */
  readonly ended: Map<string, EndedVersion>;
  /** The current versions after the batch, by id. */
  readonly current: Map<string, NewVersion | null>;
  readonly log: LoggedChange[];
}

/** A file data source whose file was handled. */
export interface DoneFile {
  readonly region: number;
  readonly block: number;
}

/** A block, and the number of changes in earlier blocks of the batch. */
export interface BatchBlock extends WrittenBlock {
  readonly changesBefore: number;
  readonly runs: readonly HandlerRuns[];
}

/** The first vid number in a block. Lower numbers stay free. */
const firstSequence = 100n;

/** The effects of several blocks, held until they are written as a whole. */
export class Batch {
  readonly types = new Map<string, TypeChanges>();
  readonly dataSources: CreatedDataSource[] = [];
  readonly filesDone: DoneFile[] = [];
  readonly blocks: BatchBlock[] = [];
  /** The failed handlers, up to the number that is kept. */
  readonly errors: FailedHandler[] = [];
  /** The digests of the proof of indexing, of the blocks that have changed it. */
  readonly digests: BlockDigest[] = [];
  /** The number of changes. */
  size = 0;
  /** Whether one of the blocks is near the chain's head. */
  isNearHead = false;

  /** The state of an entity after these blocks; `undefined` if they do not touch it. */
  get(type: string, id: string): Known | undefined {
    return this.types.get(type)?.current.get(id);
  }

  /** @param before the current version, which has to end; `null` if there is certainly none */
  add(
    block: WrittenBlock,
    { changes, dataSources, filesDone = [], errors = [], runs = [], proofDigest }: BlockWrites,
    before: (type: string, id: string) => Known | undefined,
  ): void {
    const { number } = block;
    this.blocks.push({ ...block, changesBefore: this.size, runs });
    let vid = (BigInt(number) << 32n) + firstSequence;
    for (const change of changes) {
      const ofType = this.#of(change.type);
      const isFirst = !ofType.current.has(change.id);
      const known = isFirst ? before(change.type, change.id) : null;
      if (known !== null) ofType.ended.set(change.id, { block: number, vid: known?.vid });
      apply(ofType, change, number, { vid, order: this.size++ });
      if (change.kind === "set") vid += 1n;
    }
    for (const dataSource of dataSources) this.dataSources.push(dataSource);
    for (const region of filesDone) this.filesDone.push({ region, block: number });
    if (proofDigest) this.digests.push({ block: number, time: block.timestamp, digest: proofDigest });
    for (const error of errors.slice(0, mostErrors - this.errors.length)) this.errors.push(error);
  }

  #of(type: string): TypeChanges {
    const known = this.types.get(type);
    if (known) return known;
    const fresh: TypeChanges = { versions: [], ended: new Map(), current: new Map(), log: [] };
    this.types.set(type, fresh);
    return fresh;
  }
}

function apply(
  { versions, current, log }: TypeChanges,
  change: EntityChange,
  block: number,
  { vid, order }: { readonly vid: bigint; readonly order: number },
): void {
  const { id } = change;
  const before = current.get(id);
  if (before) before.to = block;
  if (change.kind === "remove") {
    current.set(id, null);
    log.push({ order, block, id, vid: undefined });
    return;
  }
  const version = { vid, id, entity: change.entity, from: block, to: undefined, ...regionOf(change) };
  versions.push(version);
  current.set(id, version);
  log.push({ order, block, id, vid });
}

function regionOf({ region }: { readonly region?: number }): { readonly region?: number } {
  return region === undefined ? {} : { region };
}
