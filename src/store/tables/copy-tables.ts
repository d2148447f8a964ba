import { SQL, type Sql, type SqlFragment } from "../database/database.js";
import { quoteName, quoteNames, quoteText } from "../database/quote.js";
import type { EntityColumn, EntityTable, EnumType, Layout } from "./layout.js";
import { lexemesSql } from "./lexemes.js";
import { versionColumn, versionsSql } from "./versions-sql.js";

/**
 * Lists why the entities of one layout cannot be copied into another, by graph-node's rules. A graft can add and remove
 * types, remove fields, add nullable fields, make fields nullable, and add enum values.
 * @returns one reason each, empty if they can be copied
 */
export function copyProblems(from: Layout, to: Layout): readonly string[] {
  const enums = [...from.enums].flatMap(([name, own]) => enumProblems(name, own, to.enums.get(name)));
  return [...enums, ...pairs(from, to).flatMap(([source, target]) => tableProblems(source, target))];
}

/**
 * Copies all rows up to a block, as they were after it, into empty tables. Layouts with problems must not be copied.
 * @throws DatabaseError
 */
export async function copyTables(sql: Sql, from: Layout, to: Layout, block: number): Promise<void> {
  for (const [source, target] of pairs(from, to)) {
    await sql.query(copying(from.namespace, source, to.namespace, target), [String(block)]);
    if (target.interval !== undefined) await moveSequence(sql, quoteNames(to.namespace, target.name));
  }
}

/** The tables that both layouts have. */
function pairs(from: Layout, to: Layout): readonly (readonly [EntityTable, EntityTable])[] {
  return to.tables.flatMap((target) => {
    const source = from.tables.find(
      ({ type, interval }) => type === target.type && interval === target.interval,
    );
    return source ? [[source, target] as const] : [];
  });
}

function enumProblems(name: string, { labels }: EnumType, target: EnumType | undefined): readonly string[] {
  const lost = target ? labels.filter((label) => !target.labels.includes(label)) : [];
  return lost.map((label) => `the enum ${name} no longer has ${label}`);
}

function tableProblems(source: EntityTable, target: EntityTable): readonly string[] {
  const { type } = target;
  const problems: string[] = [];
  if (source.immutable !== target.immutable) {
    problems.push(`${type} was ${source.immutable ? "" : "not "}immutable`);
  }
  for (const column of target.columns) {
    const before = source.columns.find(({ field }) => field === column.field);
    if (!before) {
      if (column.nonNull) problems.push(`${type}.${column.field} is new and not nullable`);
    } else if (before.list !== column.list || typeOf(before) !== typeOf(column)) {
      problems.push(`${type}.${column.field} was ${shownType(before)} and is now ${shownType(column)}`);
    } else if (column.nonNull && !before.nonNull) {
      problems.push(`${type}.${column.field} was nullable and no longer is`);
    }
  }
  return problems;
}

/** Every database schema has separate enum types. */
function typeOf({ kind, scalar, sqlType }: EntityColumn): string {
  return kind === "enum" ? `enum ${scalar}` : sqlType;
}

function shownType({ list, scalar, target }: EntityColumn): string {
  const name = target ?? scalar;
  return list ? `[${name}]` : name;
}

function copying(fromSpace: string, source: EntityTable, toSpace: string, target: EntityTable): SqlFragment {
  const common = target.columns.flatMap((column) => {
    const before = source.columns.find(({ field }) => field === column.field);
    return before ? [{ column, before: SQL`s.${quoteName(before.name)}` }] : [];
  });
  const { begins, ends, valid } = versionsSql(target, "s");
  const names = [
    SQL`vid`,
    versionColumn(target).name,
    ...(target.causalityRegion ? [SQL`causality_region`] : []),
    ...common.map(({ column }) => quoteName(column.name)),
    ...target.fulltext.map(({ name }) => quoteName(name)),
  ];
  const values = [
    SQL`s.vid`,
    valid(begins, SQL`case when ${ends} <= $1::integer then ${ends} end`),
    ...(target.causalityRegion ? [source.causalityRegion ? SQL`s.causality_region` : SQL`0`] : []),
    ...common.map(({ column, before }) => copied(column, before)),
    ...target.fulltext.map(({ configuration, sources }) =>
      lexemesSql(
        configuration,
        sources.map((name) => common.find(({ column }) => column.name === name)?.before ?? SQL`null::text`),
      ),
    ),
  ];
  return SQL`insert into ${quoteNames(toSpace, target.name)} (${names})
    select ${values} from ${quoteNames(fromSpace, source.name)} s where ${begins} <= $1::integer order by s.vid`;
}

function copied({ kind, list, sqlType }: EntityColumn, before: SqlFragment): SqlFragment {
  if (kind !== "enum") return before;
  return list ? SQL`${before}::text[]::${sqlType}[]` : SQL`${before}::text::${sqlType}`;
}

/** Lets later inserts follow the rows of a table. @param table its quoted name */
export async function moveSequence(sql: Sql, table: SqlFragment): Promise<void> {
  await sql.query(
    SQL`select setval(pg_get_serial_sequence(${quoteText(table)}, 'vid'), max(vid)) from ${table} having max(vid) > 0`,
  );
}
