import { SQL, type SqlFragment } from "../database/database.js";
import { quoteName } from "../database/quote.js";
import type { EntityTable } from "./layout.js";

/** A block after all others: what is current is valid in it. */
const lastBlock = 2_147_483_647;

/** The versions of entities as a statement names them. Blocks are given as SQL: a typed parameter, or another column. */
export interface VersionsSql {
  /** The block that a version begins in. */
  readonly begins: SqlFragment;
  /** The first block that it is not valid in any more; null for what is current. */
  readonly ends: SqlFragment;
  /** The same as indexes have it: for what is current, a block after all others. */
  readonly indexedEnd: SqlFragment;
  readonly isCurrent: SqlFragment;
  /** That a version is valid in a block. */
  visibleAt(block: SqlFragment): SqlFragment;
  /** That a version has ended, in a block as the comparison says: `> $1::integer`. The index of ended versions serves it. */
  hasEnded(comparison?: SqlFragment): SqlFragment;
  /** What the column holds of a version. @param end left out for what is current */
  valid(begin: SqlFragment, end?: SqlFragment): SqlFragment;
}

type Versioned = Pick<EntityTable, "immutable">;

/**
 * The column that tells in which blocks a version is valid, graph-node's: `block$` for rows that are written once and
 * never end, `block_range` for others.
 */
export function versionColumn({ immutable }: Versioned): {
  readonly name: SqlFragment;
  readonly sqlType: SqlFragment;
} {
  return immutable
    ? { name: SQL`block$`, sqlType: SQL`integer` }
    : { name: SQL`block_range`, sqlType: SQL`int4range` };
}

/** The versions of a table. @param alias of the rows in the statement; without one, the column is named alone */
export function versionsSql(table: Versioned, alias?: string): VersionsSql {
  const { name } = versionColumn(table);
  const column = alias === undefined ? name : SQL`${quoteName(alias)}.${name}`;
  if (table.immutable) {
    return {
      begins: column,
      ends: SQL`null::integer`,
      indexedEnd: SQL`${lastBlock}`,
      isCurrent: SQL`true`,
      visibleAt: (block) => SQL`${column} <= ${block}`,
      hasEnded: () => SQL`false`,
      valid: (begin) => begin,
    };
  }
  const indexedEnd = SQL`coalesce(upper(${column}), ${lastBlock})`;
  const visibleAt = (block: SqlFragment): SqlFragment => SQL`${column} @> ${block}`;
  return {
    begins: SQL`lower(${column})`,
    ends: SQL`upper(${column})`,
    indexedEnd,
    isCurrent: visibleAt(SQL`${lastBlock}`),
    visibleAt,
    hasEnded: (comparison) =>
      comparison
        ? SQL`(${indexedEnd} ${comparison} and ${indexedEnd} < ${lastBlock})`
        : SQL`${indexedEnd} < ${lastBlock}`,
    valid: (begin, end = SQL`null`) => SQL`int4range(${begin}, ${end})`,
  };
}

/** The table of the data sources that were created: it has versions as those of entities have. */
export const dataSourcesTable = { name: "data_sources$", immutable: false } as const;
