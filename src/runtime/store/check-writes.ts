import type { EntityChange } from "../../subgraph/schema/entity.js";
import type { BlockPointer } from "../chain/chain.js";
import { EntityError } from "./entity-error.js";
import type { BlockWrites } from "./store.js";
import type { Table } from "./table.js";

/**
 * Checks everything one block does before any of it is done.
 * @param tables by type
 * @throws EntityError for what a mapping must not do, which only shows when the whole block is known; Error for what
 *   whoever writes must not do
 */
export function checkWrites(
  tables: ReadonlyMap<string, Table>,
  head: BlockPointer | undefined,
  block: BlockPointer,
  { changes, dataSources }: BlockWrites,
): void {
  if (head && block.number <= head.number) {
    throw new Error(`block ${block.number} cannot be written after block ${head.number}`);
  }
  const misplaced = dataSources.find(({ creationBlock }) => creationBlock !== block.number);
  if (misplaced) {
    const { template, address, creationBlock } = misplaced;
    throw new Error(
      `${template} at ${address} is of block ${creationBlock} and written in block ${block.number}`,
    );
  }
  const written = new Map<string, Map<string, EntityChange>>();
  for (const change of changes) checkChange(tables, written, change, block.number);
  for (const change of changes) {
    if (change.kind === "set") checkRivals(tables, written, change);
  }
}

function checkChange(
  tables: ReadonlyMap<string, Table>,
  written: Map<string, Map<string, EntityChange>>,
  change: EntityChange,
  block: number,
): void {
  const { type, id, kind } = change;
  const table = tables.get(type);
  if (!table) throw new Error(`the schema has no entity type ${type}`);
  const before = table.current.get(id);
  if (before && table.type.immutable)
    throw new EntityError(immutableMessage(type, id, kind, block, before.from));
  const own = written.get(type) ?? new Map<string, EntityChange>();
  if (own.has(id)) throw new Error(`${type}[${id}] is written twice in block ${block}`);
  written.set(type, own.set(id, change));
}

/** Of the entities of an interface no two may have the same id. */
function checkRivals(
  tables: ReadonlyMap<string, Table>,
  written: ReadonlyMap<string, ReadonlyMap<string, EntityChange>>,
  { type, id }: EntityChange,
): void {
  for (const rival of tables.get(type)?.type.rivals ?? []) {
    const change = written.get(rival)?.get(id);
    if (change ? change.kind === "set" : tables.get(rival)?.current.has(id)) {
      throw new EntityError(`${type}[${id}] has the id of ${rival}[${id}], and both implement one interface`);
    }
  }
}

/** What is wrong about touching an immutable entity that an earlier block has written. */
export function immutableMessage(
  type: string,
  id: string,
  kind: EntityChange["kind"],
  block: number,
  before?: number,
): string {
  const doing = kind === "set" ? "written again" : "removed";
  const earlier = before === undefined ? "an earlier block" : `block ${before}`;
  return `${type}[${id}] is immutable and was written in ${earlier}: it cannot be ${doing} in block ${block}`;
}
