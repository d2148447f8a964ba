import { parseDecimal } from "../../runtime/numbers/big-decimal.js";
import { plainStoreValue } from "../../runtime/store/plain-entity.js";
import type { CreatedDataSource } from "../../runtime/store/store.js";
import type { Entity, StoreValue } from "../../subgraph/schema/entity.js";
import { DatabaseError, type Row, SQL, type Sql, type SqlText } from "../database/database.js";
import { quoteNames } from "../database/quote.js";
import { arrayText, plainArrayText } from "../database/sql-array.js";
import { dataSourcesTable, versionColumn, versionsSql } from "../tables/versions-sql.js";
import type { DoneFile } from "./batch.js";

/** How a deployment's data sources are stored: numbered as in graph-node. */
export interface SourceNumbers {
  readonly namespace: string;
  /** The number of data sources in the manifest. Its templates are numbered after them. */
  readonly dataSources: number;
  /** The names of the templates, in the order of the manifest. */
  readonly templates: readonly string[];
}

const versions = versionsSql(dataSourcesTable);

const hex = /^0x(?:[0-9a-f]{2})*$/;

/** @throws Error for an unknown template or an address that is not hex */
export function checkDataSource(
  { templates }: SourceNumbers,
  { template, address }: CreatedDataSource,
): void {
  if (!templates.includes(template)) throw new Error(`the manifest has no template ${template}`);
  if (!hex.test(address)) throw new Error(`${template} was created with ${address}, which is not an address`);
}

/** Inserts data sources in the order of their creation. */
export async function insertDataSources(
  sql: Sql,
  { namespace, dataSources, templates }: SourceNumbers,
  created: readonly CreatedDataSource[],
): Promise<void> {
  if (created.length === 0) return;
  await sql.query(
    SQL`insert into ${quoteNames(namespace, dataSourcesTable.name)}
        (${versionColumn(dataSourcesTable).name}, causality_region, manifest_idx, param, context)
      select ${versions.valid(SQL`block`)}, region, idx, param, context
        from unnest($1::integer[], $2::integer[], $3::bytea[], $4::jsonb[], $5::integer[]) with ordinality
          as r(block, idx, param, context, region, n) order by n`,
    [
      plainArrayText(created.map(({ creationBlock }) => creationBlock)),
      plainArrayText(created.map(({ template }) => dataSources + templates.indexOf(template))),
      arrayText(created.map(({ address }) => `\\x${address.slice(2)}`)),
      arrayText(created.map(({ context }) => contextText(context))),
      plainArrayText(created.map(({ region = 0 }) => region)),
    ],
  );
}

/** Records in which blocks files were handled. */
export async function markFilesDone(
  sql: Sql,
  { namespace }: SourceNumbers,
  done: readonly DoneFile[],
): Promise<void> {
  if (done.length === 0) return;
  await sql.query(
    SQL`update ${quoteNames(namespace, dataSourcesTable.name)} s set done_at = d.block
      from unnest($1::integer[], $2::integer[]) as d(region, block) where s.causality_region = d.region`,
    [plainArrayText(done.map(({ region }) => region)), plainArrayText(done.map(({ block }) => block))],
  );
}

/** All created data sources, in order. @throws DatabaseError for one without a template */
export async function readDataSources(
  sql: Sql,
  { namespace, dataSources, templates }: SourceNumbers,
): Promise<readonly CreatedDataSource[]> {
  const rows = await sql.query(
    SQL`select ${versions.begins} as block, manifest_idx, param, context, causality_region, done_at
      from ${quoteNames(namespace, dataSourcesTable.name)} order by ${versions.begins}, vid`,
  );
  return rows.map((row) => {
    const template = templates[Number(row.manifest_idx) - dataSources];
    if (template === undefined) {
      throw new DatabaseError(`a data source of ${namespace} uses a template that is not in the manifest`);
    }
    return dataSourceOf(template, row);
  });
}

function dataSourceOf(template: string, row: Row): CreatedDataSource {
  const { block, param, context, causality_region: region, done_at: doneAt } = row;
  return {
    template,
    address: `0x${param?.slice(2) ?? ""}`,
    creationBlock: Number(block),
    ...(context != null && { context: parseContext(context) }),
    ...(Number(region) !== 0 && { region: Number(region) }),
    ...(doneAt != null && { doneAt: Number(doneAt) }),
  };
}

/** A value in graph-node's form for the context of a data source. */
interface ContextValue {
  readonly type: string;
  readonly data?: unknown;
}

function contextText(context: Entity | undefined): SqlText {
  if (!context) return null;
  return JSON.stringify(Object.fromEntries([...context].map(([name, value]) => [name, contextValue(value)])));
}

function contextValue(value: StoreValue): ContextValue {
  switch (value.kind) {
    case "Null":
      return { type: "Null" };
    case "Array":
      return { type: "List", data: value.value.map(contextValue) };
    default:
      return { type: value.kind, data: plainStoreValue(value) };
  }
}

function parseContext(text: string): Entity {
  const found: Readonly<Record<string, ContextValue>> = JSON.parse(text);
  const values = Object.entries(found).map(([name, value]) => [name, storedValue(value)] as const);
  return new Map(values.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function storedValue({ type, data }: ContextValue): StoreValue {
  switch (type) {
    case "Null":
      return { kind: type };
    case "List":
      return { kind: "Array", value: Array.isArray(data) ? data.map(storedValue) : [] };
    case "BigDecimal":
      return { kind: type, value: parseDecimal(String(data)) };
    case "BigInt":
    case "Int8":
    case "Timestamp":
      return { kind: type, value: BigInt(String(data)) };
    case "Int":
      return { kind: type, value: Number(data) };
    case "Bool":
      return { kind: type, value: data === true };
    case "Bytes":
    case "String":
      return { kind: type, value: String(data) };
    default:
      throw new DatabaseError(`the context of a data source holds a value of the unknown type ${type}`);
  }
}
