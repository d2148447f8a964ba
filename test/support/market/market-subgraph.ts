import { join } from "node:path";
import { expect } from "vitest";
import { type Compilation, renderText } from "../../../src/exports/index.js";
import { build } from "../../../src/machine/compiler/compile.js";
import { createNodeHost } from "../../../src/machine/files/host.js";
import type { Store } from "../../../src/runtime/store/store.js";
import { type Ran, runOn } from "../../runtime/harness.js";
import type { Anvil } from "../chain/anvil.js";
import { asc } from "../compiler/asc.js";
import { examples } from "../compiler/examples.js";
import type { Row } from "./expected-market.js";

/** Builds the example of the market, which must succeed. */
export async function buildMarket(): Promise<Compilation> {
  const built = await build("subgraph.json", createNodeHost({ cwd: join(examples, "market") }), { asc });
  expect(built.ok, renderText(built.diagnostics)).toBe(true);
  return built;
}

/** Indexes a chain to its head, from where a store ends. Nothing may fail. */
export async function indexMarket(anvil: Anvil, built: Compilation, store?: Store): Promise<Ran> {
  const ran = await runOn(anvil, built, store ? { store } : {});
  expect(ran.failure).toBeUndefined();
  return ran;
}

/** The entities of a type as of a block, sorted by id, without what is null. */
export async function rowsOf(ran: Ran, type: string, block?: number): Promise<readonly Row[]> {
  return sorted((await ran.all(type, block)) as readonly Row[]);
}

/** Rows sorted by id, without what is null: the store leaves it out. */
export function sorted(rows: readonly Row[]): readonly Row[] {
  return rows.map(withoutNulls).sort((one, other) => (String(one.id) < String(other.id) ? -1 : 1));
}

function withoutNulls(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
