import type { EntityChange } from "../../subgraph/schema/entity.js";
import type { EntitySchema } from "../../subgraph/schema/entity-schema.js";
import type { BlockPointer } from "../chain/chain.js";
import { EntityError } from "./entity-error.js";
import type { BlockWrites } from "./store.js";

/** The look-ups in a store that the rules need. */
export interface Written {
  /** The last block that is completely written. */
  readonly head: BlockPointer | undefined;
  /** The first block of the current version of an entity; `undefined` when the entity does not exist. */
  since(type: string, id: string): number | undefined;
  /** The causality region of the current version, 0 for the chain; `undefined` when the entity does not exist. */
  region(type: string, id: string): number | undefined;
}

/** Identifies an entity. */
export interface EntityKey {
  readonly type: string;
  readonly id: string;
}

/**
 * The entities whose current versions `checkWrites` may look up: changed ones of immutable types and of types
 * that file data sources write, and entities that would share an id with an entity that is set. An
 * asynchronous store prefetches them in one query.
 */
export function keysToCheck(
  { types }: Pick<EntitySchema, "types">,
  changes: readonly EntityChange[],
  fileTypes: ReadonlySet<string> = new Set(),
): readonly EntityKey[] {
  return changes.flatMap(({ type, id, kind }) => {
    const { immutable = false, rivals = [] } = types.get(type) ?? {};
    const asked = [...(immutable || fileTypes.has(type) ? [type] : []), ...(kind === "set" ? rivals : [])];
    return asked.map((name) => ({ type: name, id }));
  });
}

/**
 * Checks all writes of a block before any of them is made. It only looks up what `keysToCheck` lists.
 * @throws EntityError for a violation of the schema that shows only in the whole block; Error for incorrect use of the
 * store
 */
export function checkWrites(
  { types }: Pick<EntitySchema, "types">,
  before: Written,
  block: BlockPointer,
  { changes, dataSources }: BlockWrites,
): void {
  const { head } = before;
  if (head && block.number <= head.number) {
    throw new Error(`block ${block.number} cannot be written after block ${head.number}`);
  }
  const misplaced = dataSources.find(({ creationBlock }) => creationBlock !== block.number);
  if (misplaced) {
    const { template, address, creationBlock } = misplaced;
    throw new Error(
      `${template} at ${address} was created in block ${creationBlock} but is written in block ${block.number}`,
    );
  }
  const own: OwnChanges = new Map();
  for (const change of changes) checkChange(types, before, own, change, block.number);
  for (const change of changes) {
    if (change.kind === "set") checkRivals(types, before, own, change);
  }
}

/** The changes of the block, by type and id. */
type OwnChanges = Map<string, Map<string, EntityChange>>;

function checkChange(
  types: EntitySchema["types"],
  before: Written,
  own: OwnChanges,
  change: EntityChange,
  block: number,
): void {
  const { type, id, kind } = change;
  const definition = types.get(type);
  if (!definition) throw new Error(`the schema has no entity type ${type}`);
  const ofType = own.get(type) ?? new Map<string, EntityChange>();
  const earlier = ofType.get(id);
  checkRegion(change, earlier ? (earlier.region ?? 0) : before.region(type, id));
  const since = definition.immutable ? before.since(type, id) : undefined;
  if (since !== undefined) throw new EntityError(immutableMessage(type, id, kind, block, since));
  if (earlier) throw new Error(`${type}[${id}] is written twice in block ${block}`);
  own.set(type, ofType.set(id, change));
}

/** An entity can only be written in the causality region that it was first written in. */
function checkRegion({ type, id, region = 0 }: EntityChange, written: number | undefined): void {
  if (written === undefined || written === region) return;
  const kindOf = (own: number): string => (own === 0 ? "on-chain data source" : "file data source");
  const other =
    region !== 0 && written !== 0
      ? "another file data source"
      : `${written === 0 ? "an" : "a"} ${kindOf(written)}`;
  throw new EntityError(
    `${type}[${id}] was written by ${other}, so this ${kindOf(region)} cannot write it: use a different id`,
  );
}

/** Entities of an interface must not share an id. */
function checkRivals(
  types: EntitySchema["types"],
  before: Written,
  own: OwnChanges,
  { type, id }: EntityChange,
): void {
  for (const rival of types.get(type)?.rivals ?? []) {
    const change = own.get(rival)?.get(id);
    if (change ? change.kind === "set" : before.since(rival, id) !== undefined) {
      throw new EntityError(
        `${type}[${id}] has the same id as ${rival}[${id}], but entities of one interface cannot share an id`,
      );
    }
  }
}

/** The message for a write to an immutable entity of an earlier block. */
export function immutableMessage(
  type: string,
  id: string,
  kind: EntityChange["kind"],
  block: number,
  before?: number,
): string {
  const doing = kind === "set" ? "written again" : "removed";
  const earlier = before === undefined ? "an earlier block" : `block ${before}`;
  return `${type}[${id}] is immutable and was written in ${earlier}, so it cannot be ${doing} in block ${block}`;
}
