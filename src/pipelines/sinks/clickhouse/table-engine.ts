import type { RowSchema } from "../../changes/schema.js";
import { SinkError } from "../../state/sink-error.js";
import { quotedName } from "../clickhouse-server.js";

/** The columns that say which row of a key counts, and whether it is a deletion. */
export interface RowColumns {
  readonly version: string;
  readonly isDeleted: string;
}

/** An existing table as ClickHouse describes it. */
export interface ExistingTable {
  /** Begins with the database. */
  readonly name: string;
  readonly engine: string;
  /** The engine with its parameters and settings. */
  readonly engineFull: string;
  readonly sortingKey: string;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly isInPartitionKey: boolean;
  }[];
}

/** What happens to deleted and repeated rows in other engines. */
const losses: Readonly<Record<string, string>> = {
  MergeTree: "keeps deleted and repeated rows for ever",
  SummingMergeTree: "adds up the rows of a key",
  AggregatingMergeTree: "combines the rows of a key",
  CollapsingMergeTree: "needs the old row for every change",
  VersionedCollapsingMergeTree: "needs the old row for every change",
  CoalescingMergeTree: "combines the rows of a key",
  Distributed: "forwards rows later, and may send those of one key to several servers",
  Buffer: "loses rows that it has not forwarded when the server stops",
  Null: "keeps no rows",
};

/**
 * Makes sure that a table keeps exactly the last row of each key.
 * @param version the column of the version, if the definition names one
 * @throws SinkError with a remedy
 */
export function checkEngine(
  { name, engine, engineFull, sortingKey, columns }: ExistingTable,
  { key, columns: written }: RowSchema,
  version: string | undefined,
): RowColumns {
  const wanted = `ReplacingMergeTree(${version ?? "version"}, is_deleted) ORDER BY (${key.map(quotedName).join(", ")})`;
  const refuse = (why: string): never => {
    throw new SinkError(
      `Table ${name} ${why}. Choose another table, or create it with: ENGINE = ${wanted}`,
      false,
    );
  };
  const family = engine.replace(/^(?:Replicated|Shared)/, "");
  if (family !== "ReplacingMergeTree")
    refuse(`has the engine ${engine}, which ${losses[family] ?? "does not replace rows by their version"}`);
  const [versionColumn, isDeleted] = engineColumns(engineFull);
  if (versionColumn === undefined)
    return refuse("has a ReplacingMergeTree without a version, in which an old row may replace a new one");
  if (isDeleted === undefined)
    return refuse("has a ReplacingMergeTree without is_deleted, in which deleted rows would stay");
  if (version !== undefined && version !== versionColumn)
    refuse(`has the version in column ${versionColumn}, not in ${version}`);
  const typeOf = (column: string): string | undefined => columns.find((one) => one.name === column)?.type;
  if (typeOf(versionColumn) !== "UInt64")
    refuse(`has a version of the type ${typeOf(versionColumn)}; graphloom counts versions itself, as UInt64`);
  for (const column of [versionColumn, isDeleted])
    if (written.some((one) => one.name === column))
      refuse(`uses column ${column} of the rows as version or deletion; graphloom writes both itself`);
  // A key of one column may stand in parentheses.
  const sorted = namesOf(sortingKey.replace(/^\((.*)\)$/, "$1"));
  if ([...sorted].sort().join("\n") !== [...key].sort().join("\n"))
    refuse(
      `is sorted by (${sorted.join(", ")}), but the key is (${key.join(", ")}): its rows would not replace each other`,
    );
  const spread = columns.find((column) => column.isInPartitionKey && !key.includes(column.name));
  if (spread)
    refuse(
      `is partitioned by ${spread.name}, which is not in the key: rows of one key could be in several partitions, where they do not replace each other`,
    );
  return { version: versionColumn, isDeleted };
}

/** The columns among the engine's parameters. A replicated engine has two texts before them. */
function engineColumns(engineFull: string): readonly string[] {
  const [, inside = ""] = /^\w+\(((?:'(?:[^'\\]|\\.)*'|[^)'])*)\)/.exec(engineFull) ?? [];
  return namesOf(inside.replace(/^(?:'(?:[^'\\]|\\.)*',? ?)*/, ""));
}

/** Names that are separated by commas. Other text stays as it is. */
function namesOf(text: string): readonly string[] {
  const parts = text.match(/`(?:[^`\\]|\\.)*`|[^,`]+/g) ?? [];
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => (part.startsWith("`") ? part.slice(1, -1).replace(/\\(.)/g, "$1") : part));
}
