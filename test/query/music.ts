import { readFileSync } from "node:fs";
import type { KnownBlock, QueryDeployment } from "../../src/query/deployment.js";
import { type Database, SQL, uncheckedSql } from "../../src/store/database/database.js";
import { quoteName, quoteNames } from "../../src/store/database/quote.js";
import { createTables } from "../../src/store/tables/create-tables.js";
import { layOut } from "../../src/store/tables/lay-out.js";
import type { EntityColumn, EntityTable, Layout } from "../../src/store/tables/layout.js";
import { readEntitySchema } from "../../src/subgraph/schema/read-entity-schema.js";

interface MusicFile {
  readonly schema: string;
  readonly tables: readonly {
    readonly table: string;
    readonly rows: readonly Readonly<Record<string, string | null>>[];
  }[];
}

interface DeploymentFile {
  readonly id: string;
  readonly earliestBlock: number;
  readonly headBlock: number;
  readonly blocks: readonly (KnownBlock & { readonly timestamp: number; readonly parentHash: string })[];
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
}

const music: MusicFile = readJson("../platform/data/music.json");
const chain: DeploymentFile = readJson("oracle/deployment.json");

export const musicSchema = music.schema;

/** Lines of JSON. */
export function readLines<T>(path: string): readonly T[] {
  const text = readFileSync(new URL(path, import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line): T => JSON.parse(line));
}

/** Creates the tables that graph-node held when it gave its answers. */
export async function fillMusic(database: Database): Promise<Layout> {
  const layout = layOut(readEntitySchema(music.schema), "sgd1");
  await database.run(SQL`create extension if not exists btree_gist`);
  await database.transaction(async (sql) => {
    await sql.run(createTables(layout));
    for (const table of layout.tables) {
      const rows = music.tables.find((one) => one.table === table.name)?.rows ?? [];
      for (const row of rows) {
        const names = Object.keys(row);
        const places = names.map((name, index) => `$${index + 1}::${typeOf(table, name)}`);
        await sql.query(
          SQL`insert into ${quoteNames("sgd1", table.name)} (${names.map(quoteName)}) values (${places.map(uncheckedSql)})`,
          names.map((name) => stored(row[name] ?? null, columnNamed(table, name))),
        );
      }
    }
  });
  return layout;
}

function columnNamed(table: EntityTable, name: string): EntityColumn | undefined {
  return table.columns.find((column) => column.name === name);
}

function typeOf(table: EntityTable, name: string): string {
  const column = columnNamed(table, name);
  if (column) return column.list ? `${column.sqlType}[]` : column.sqlType;
  if (name === "block_range") return "int4range";
  return table.fulltext.some((one) => one.name === name) ? "tsvector" : "bigint";
}

/** The file stores lists as JSON. */
function stored(value: string | null, column: EntityColumn | undefined): string | null {
  if (value === null || !column?.list) return value;
  const items: readonly unknown[] = JSON.parse(value);
  return `{${items.map((item) => JSON.stringify(item)).join(",")}}`;
}

/** The deployment as it was when graph-node answered. @param firstErrorBlock where indexing failed */
export function musicDeployment(layout: Layout, firstErrorBlock?: number): QueryDeployment {
  const head = chain.blocks.find(({ number }) => number === chain.headBlock);
  if (!head) throw new Error("the file lacks the head");
  const { id, earliestBlock } = chain;
  return {
    id,
    schema: music.schema,
    layout,
    state: async () => ({ head, earliestBlock, ...(firstErrorBlock !== undefined && { firstErrorBlock }) }),
    blockOfHash: async (_, hash) => chain.blocks.find((block) => block.hash === hash),
  };
}
