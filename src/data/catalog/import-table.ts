import { quoteForeign } from "../../base/quote-foreign.js";
import type { Database } from "../../store/database/database.js";
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

/** What a file was found to hold. */
export interface Imported {
  readonly kind: "prices" | "tokens" | "labels";
  readonly rows: number;
}

/** Rows of a statement. */
const chunk = 5_000;

/**
 * Imports prices, facts about tokens, or names of addresses. Its columns tell which: `usd`, `label`, or else those of tokens.
 * Rows replace those with the same key. All rows are checked before the first is written, and all are written or none.
 * @param text CSV or JSON
 * @param chain of rows without one
 * @throws TableError that names the line; DatabaseError
 */
export async function importTable(database: Database, text: string, chain?: string): Promise<Imported> {
  const rows = parseTable(text);
  const [first] = rows;
  if (!first) throw new TableError("It has no rows.");
  const names = new Set(rows.flatMap(({ values }) => Object.keys(values)));
  const kind = names.has("usd") ? "prices" : names.has("label") ? "labels" : "tokens";
  const wrong = [...names].find((name) => !columnsOf[kind].includes(name));
  if (wrong !== undefined)
    throw new TableError(
      `It has a column ${quoteForeign(wrong)}. The columns of ${kind} are ${columnsOf[kind].join(", ")}.`,
    );
  await database.transaction(async (sql) => {
    if (kind === "prices") {
      const made = rows.map((row) => priceOf(row, chain));
      for (const part of parts(made)) await writePrices(sql, part);
    } else if (kind === "labels") {
      const made = rows.map((row) => labelOf(row, chain));
      for (const part of parts(made)) await writeLabels(sql, part);
    } else {
      const made = rows.map((row) => tokenOf(row, chain));
      for (const part of parts(made)) await writeRegistry(sql, part);
    }
  });
  return { kind, rows: rows.length };
}

const columnsOf = {
  prices: ["chain", "token", "time", "usd", "source"],
  tokens: ["chain", "token", "symbol", "name", "decimals", "logo_url", "canonical_id", "stable"],
  labels: ["chain", "address", "label"],
} as const satisfies Record<Imported["kind"], readonly string[]> as Record<
  Imported["kind"],
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
  } = row.values;
  if (decimals !== undefined && !/^(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])$/.test(decimals))
    throw wrong(row, "decimals", "0 to 255", decimals);
  if (stable !== "true" && stable !== "false") throw wrong(row, "stable", "true or false", stable);
  return {
    ...{ chain: chainOf(row, chain), token: addressOf(row, "token"), symbol, name },
    decimals: decimals === undefined ? null : Number(decimals),
    ...{ logoUrl: logo_url, canonicalId: canonical_id, isStable: stable === "true" },
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
