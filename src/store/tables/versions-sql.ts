import { SQL, type SqlFragment } from "../database/database.js";
import { quoteName } from "../database/quote.js";
import type { EntityTable } from "./layout.js";

/** A block after all others, at which current versions are valid. */
const lastBlock = 2_147_483_647;

/** SQL for the versions of entities. Blocks are SQL too: a typed parameter or a column. */
export interface VersionsSql {
  /** The block in which a version starts. */
  readonly begins: SqlFragment;
  /** The first block at which it is no longer valid; null for a current version. */
  readonly ends: SqlFragment;
  /** The same in the form of the indexes: for a current version, a block after all others. */
  readonly indexedEnd: SqlFragment;
  readonly isCurrent: SqlFragment;
  /** The condition that a version is valid at a block. */
  visibleAt(block: SqlFragment): SqlFragment;
  /**
   * The condition that a version ended in a block that satisfies the comparison, such as `> $1::integer`. Uses the
   * index of ended versions.
   */
  hasEnded(comparison?: SqlFragment): SqlFragment;
  /** The column's value for a version. @param end omitted if the version is current */
  valid(begin: SqlFragment, end?: SqlFragment): SqlFragment;
}

type Versioned = Pick<EntityTable, "immutable">;

/**
 * graph-node's column with the blocks in which a version is valid: `block$` for rows that are written once and never
 * end, `block_range` for others.
 */
export function versionColumn({ immutable }: Versioned): {
  readonly name: SqlFragment;
  readonly sqlType: SqlFragment;
} {
  return immutable
    ? { name: SQL`block$`, sqlType: SQL`integer` }
    : { name: SQL`block_range`, sqlType: SQL`int4range` };
}

/**
 * Returns the SQL for the versions of a table.
 * @param alias the rows' alias in the statement; without one, the column is unqualified
 */
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

/** The table of the digests of proofs of indexing, one for each causality region. */
export const proofsTable = { name: "poi2$", immutable: false } as const;

/** The table of created data sources, which has versions like those of entities. */
export const dataSourcesTable = { name: "data_sources$", immutable: false } as const;
