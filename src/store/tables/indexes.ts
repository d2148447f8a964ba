import { createHash } from "node:crypto";
import { SQL, type SqlFragment } from "../database/database.js";
import { quoteName } from "../database/quote.js";
import type { EntityColumn, EntityTable } from "./layout.js";
import { proofsTable, versionColumn, versionsSql } from "./versions-sql.js";

/** An index of a table, defined by the SQL after `using`. */
export interface TableIndex {
  readonly name: string;
  readonly definition: SqlFragment;
}

/** The indexes that graph-node creates for a table, except those of its constraints. */
export function indexesOf(table: EntityTable): readonly TableIndex[] {
  return [...versionIndexes(table), ...attributeIndexes(table)];
}

/**
 * The indexes that graph-node creates for the digests of proofs.
 * @param position of the table, after those of the types
 * @param hasTimes whether the table has the time of blocks
 */
export function proofIndexesOf(position: number, hasTimes: boolean): readonly TableIndex[] {
  const { name } = proofsTable;
  const columns = ["digest", "id", ...(hasTimes ? ["block_time"] : [])];
  return [
    ...versionIndexes({ ...proofsTable, causalityRegion: false }),
    ...columns.map((column, number) => ({
      name: `attr_${position}_${number}_${name}_${column}`,
      definition: SQL`btree (${quoteName(column)})`,
    })),
  ];
}

function versionIndexes(
  table: Pick<EntityTable, "name" | "immutable" | "causalityRegion" | "cumulated">,
): readonly TableIndex[] {
  const { name, immutable, causalityRegion, cumulated } = table;
  const { begins, indexedEnd, hasEnded } = versionsSql(table);
  const own: TableIndex[] = immutable
    ? [{ name: `${name}_block`, definition: SQL`btree (${begins})` }]
    : [
        {
          name: `brin_${name}`,
          definition: SQL`brin (${begins} int4_minmax_multi_ops, ${indexedEnd} int4_minmax_multi_ops, vid int8_minmax_multi_ops)`,
        },
        { name: `${name}_block_range_closed`, definition: SQL`btree (${indexedEnd}) where ${hasEnded()}` },
      ];
  if (!immutable && !causalityRegion) {
    own.push({
      name: `${name}_id_block_range_excl`,
      definition: SQL`gist (id, ${versionColumn(table).name})`,
    });
  }
  if (cumulated) {
    const columns = [...cumulated, "timestamp"].map(quoteName);
    own.push({ name: `${name}_dims`, definition: SQL`btree (${columns})` });
  }
  return own;
}

/** Lists use up a number but get no index, which would slow every write and serve few queries. */
function attributeIndexes(table: EntityTable): readonly TableIndex[] {
  const { name, immutable, position, columns, fulltext } = table;
  const plain = columns
    .filter((column) => !(immutable && column.name === "id") && !isNumberless(column))
    .map((column) => ({
      name: column.name,
      definition: column.list ? undefined : definitionOf(column, table),
    }));
  const searched = fulltext.map((column) => ({
    name: column.name,
    definition: SQL`gin (${quoteName(column.name)})`,
  }));
  return [...plain, ...searched].flatMap((column, number) =>
    column.definition === undefined
      ? []
      : [{ name: `attr_${position}_${number}_${name}_${column.name}`, definition: column.definition }],
  );
}

const plainLists: ReadonlySet<string> = new Set(["BigInt", "BigDecimal", "Int"]);

/** Lists of numbers and enums do not use up a number. */
function isNumberless({ list, kind, scalar }: EntityColumn): boolean {
  return list && kind !== "reference" && (kind === "enum" || plainLists.has(scalar));
}

function definitionOf({ name, kind, codec }: EntityColumn, table: EntityTable): SqlFragment {
  const column = quoteName(name);
  if (kind === "reference") {
    return SQL`${table.immutable ? SQL`btree` : SQL`gist`} (${column}, ${versionColumn(table).name})`;
  }
  return SQL`btree (${codec.prefix?.sql(column) ?? column})`;
}

const longestName = 63;

/** Gives indexes whose names are too long or taken practically unique names. */
export class IndexNames {
  readonly #taken: Set<string>;

  /** @param taken the names of tables and constraints, which share the indexes' namespace */
  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /** Returns the name for an index. */
  nameFor(table: string, wanted: string): string {
    const fits = wanted.length <= longestName && !this.#taken.has(wanted);
    const name = fits ? wanted : `${wanted.slice(0, longestName - 9)}_${digest(`${table} ${wanted}`)}`;
    this.#taken.add(name);
    return name;
  }
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
