import type { Rules } from "./readme-rules.js";

/** A statement in the sources that uses a table of the catalog. */
export interface TableUse {
  /** Path of the file in the sources. */
  readonly file: string;
  readonly line: number;
  /** Without its schema; `$` when the statement does not name it literally. */
  readonly table: string;
  readonly isWrite: boolean;
}

const named = /\b(graphloom\.(?:\$|[a-z_]+))/;
const writing =
  /\b(?:insert\s+into|update|delete\s+from|truncate|merge\s+into)\s+(?:table\s+)?(?:only\s+)?$/i;

/** The tables of the catalog that migration scripts create. */
export function tablesMadeBy(sql: string): readonly string[] {
  return [...sql.matchAll(/\bcreate table (?:if not exists )?graphloom\.([a-z_]+)/g)].map(
    ([, table]) => table as string,
  );
}

/**
 * All names of the schema of the catalog in a source file, tables or not.
 * @param code without comments that move its lines
 */
export function tableUses(file: string, code: string): readonly TableUse[] {
  const parts = code.split(named);
  const uses: TableUse[] = [];
  let before = "";
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 1) {
      const line = before.split("\n").length;
      uses.push({ file, line, table: part.slice("graphloom.".length), isWrite: writing.test(before) });
    }
    before += part;
  }
  return uses;
}

/**
 * The faults in the use of tables. Each table must have one room that writes it, and only wings that may import that
 * room's wing may read it.
 * @param tables all of the catalog
 * @param unwritten tables that nothing writes yet, or any more
 * @param wings the allowed imports of each wing
 */
export function tableFaults(
  uses: readonly TableUse[],
  tables: readonly string[],
  unwritten: readonly string[],
  wings: Rules,
): readonly string[] {
  const owners = new Map<string, string>();
  const faults: string[] = [];
  for (const { file, line, table } of uses.filter(({ isWrite }) => isWrite)) {
    const room = file.split("/").slice(0, 2).join("/");
    const owner = owners.get(table) ?? room;
    owners.set(table, owner);
    if (!tables.includes(table)) faults.push(`${file}:${line} writes ${table}, which is not a table`);
    else if (owner !== room) faults.push(`${file}:${line} writes ${table}, as ${owner} does`);
  }
  for (const { file, line, table, isWrite } of uses) {
    if (table === "$" && !isWrite) faults.push(`${file}:${line} reads a table that it does not name`);
    const [wing, owner] = [file, owners.get(table)].map((path) => path?.split("/")[0]);
    if (!wing || !owner || isWrite || wing === owner || wings[wing]?.includes(owner)) continue;
    faults.push(`${file}:${line} reads ${table}, which ${owner} writes`);
  }
  const unowned = tables.filter((table) => !owners.has(table));
  return [
    ...faults,
    ...unowned.filter((table) => !unwritten.includes(table)).map((table) => `nothing writes ${table}`),
    ...unwritten
      .filter((table) => !unowned.includes(table))
      .map((table) => `${table} is not a table without a writer`),
  ];
}
