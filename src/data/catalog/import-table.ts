import { quoteForeign } from "../../base/text/quote-foreign.js";
import type { Database, Sql } from "../../store/database/database.js";
import { dataChainOfName } from "../chains/data-chain.js";
import { readExact } from "../numbers/exact.js";
import {
  type LabelRow,
  type PriceRow,
  type TokenFacts,
  writeLabels,
  writePrices,
  writeRegistry,
} from "./catalog-rows.js";
import { parseTable, TableError, type TableRow } from "./parse-table.js";

/** The content of a file, checked as a whole. */
export interface TableToImport {
  readonly kind: "prices" | "tokens" | "labels";
  readonly rows: number;
  /** Writes all rows or none, replacing rows with the same key. @throws DatabaseError */
  write(database: Database): Promise<void>;
}

/** The most rows per statement. */
const chunk = 5_000;

/**
 * Reads prices, facts about tokens, or names of addresses. The columns decide: `usd` means prices, `label` means
 * names, others mean tokens.
 * @param text CSV or JSON
 * @param chain of rows that name none
 * @throws TableError that names the line
 */
export function readTableToImport(text: string, chain?: string): TableToImport {
  return tableToImport(parseTable(text), chain);
}

/** Like `readTableToImport`, for parsed rows. @throws TableError that names the line */
export function tableToImport(rows: readonly TableRow[], chain?: string): TableToImport {
  const [first] = rows;
  if (!first) throw new TableError("It has no rows.");
  const names = new Set(rows.flatMap(({ values }) => Object.keys(values)));
  const kind = names.has("usd") ? "prices" : names.has("label") ? "labels" : "tokens";
  const wrong = [...names].find((name) => !columnsOf[kind].includes(name));
  if (wrong !== undefined)
    throw new TableError(
      `It has a column ${quoteForeign(wrong)}. The columns of ${kind} are ${columnsOf[kind].join(", ")}.`,
    );
  /** @param write writes some of the rows */
  const made = <R>(read: (row: TableRow, chain: string | undefined) => R, write: Write<R>): TableToImport => {
    const all = rows.map((row) => read(row, chain));
    return {
      kind,
      rows: all.length,
      write: (database) =>
        database.transaction(async (sql) => {
          for (const part of parts(all)) await write(sql, part);
        }),
    };
  };
  if (kind === "prices") return made(priceOf, writePrices);
  if (kind === "labels") return made(labelOf, writeLabels);
  return made(tokenOf, writeRegistry);
}

type Write<R> = (sql: Sql, rows: readonly R[]) => Promise<void>;

const columnsOf = {
  prices: ["chain", "token", "time", "usd", "source"],
  tokens: [
    "chain",
    "token",
    "symbol",
    "name",
    "decimals",
    "logo_url",
    "canonical_id",
    "stable",
    "wraps_native",
    "override",
  ],
  labels: ["chain", "address", "label"],
} as const satisfies Record<TableToImport["kind"], readonly string[]> as Record<
  TableToImport["kind"],
  readonly string[]
>;

function parts<R>(rows: readonly R[]): readonly (readonly R[])[] {
  const count = Math.ceil(rows.length / chunk);
  return Array.from({ length: count }, (_, index) => rows.slice(index * chunk, (index + 1) * chunk));
}

function priceOf(row: TableRow, chain: string | undefined): PriceRow {
  const { time = "", usd = "", source = "import" } = row.values;
  const price = readExact(usd);
  if (!price || price.digits < 0n) throw wrong(row, "usd", "a number that is not negative", usd);
  return { chain: chainOf(row, chain), token: addressOf(row, "token"), time: timeOf(row, time), usd, source };
}

function tokenOf(row: TableRow, chain: string | undefined): TokenFacts {
  const {
    symbol = null,
    name = null,
    decimals,
    logo_url = null,
    canonical_id = null,
    stable = "false",
    wraps_native,
    override = "false",
  } = row.values;
  if (decimals !== undefined && !/^(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])$/.test(decimals))
    throw wrong(row, "decimals", "0 to 255", decimals);
  const isTrue = (column: string, value: string): boolean => {
    if (value !== "true" && value !== "false") throw wrong(row, column, "true or false", value);
    return value === "true";
  };
  return {
    chain: chainOf(row, chain),
    token: addressOf(row, "token"),
    symbol,
    name,
    decimals: decimals === undefined ? null : Number(decimals),
    logoUrl: logo_url,
    canonicalId: canonical_id,
    isStable: isTrue("stable", stable),
    wrapsNative: wraps_native === undefined ? null : isTrue("wraps_native", wraps_native),
    overrides: isTrue("override", override),
  };
}

function labelOf(row: TableRow, chain: string | undefined): LabelRow {
  const { label = "" } = row.values;
  if (label === "") throw wrong(row, "label", "a name", label);
  const isOfOne = row.values.chain !== undefined || chain !== undefined;
  return { chain: isOfOne ? chainOf(row, chain) : "", address: addressOf(row, "address"), label };
}

function chainOf(row: TableRow, chain: string | undefined): string {
  const written = row.values.chain ?? chain;
  const found = written === undefined ? undefined : dataChainOfName(written);
  if (!found) throw wrong(row, "chain", "the name of a chain, such as ethereum", written ?? "");
  return found.name;
}

function addressOf(row: TableRow, name: string): string {
  const written = row.values[name] ?? "";
  if (!/^0x[\da-f]{40}$/i.test(written)) throw wrong(row, name, "an address, 0x and 40 hex digits", written);
  return written.toLowerCase();
}

function timeOf(row: TableRow, time: string): number {
  const seconds = /^\d{1,11}$/.test(time) ? Number(time) : Math.floor(Date.parse(time) / 1000);
  const isClear = /^\d{1,11}$|^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:\d{2})$/i.test(time);
  if (isClear && Number.isSafeInteger(seconds) && seconds >= 0) return seconds;
  throw wrong(row, "time", "a time such as 2026-01-31T12:00:00Z, or seconds since 1970", time);
}

function wrong({ line }: TableRow, column: string, wanted: string, found: string): TableError {
  return new TableError(`Line ${line}: ${column} must be ${wanted}, not ${quoteForeign(found)}.`);
}
