import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect } from "vitest";
import { parse, stringify } from "yaml";
import { catalogDeployment } from "../../../src/query/catalog-deployment.js";
import { createQueryEngine, type QueryAnswer } from "../../../src/query/engine.js";
import type { RunOptions } from "../../../src/runtime/run-subgraph.js";
import type { Database } from "../../../src/store/database/database.js";
import { type Deployment, layoutOf, openDeployment } from "../../../src/store/deployments/deployments.js";
import type { Graft } from "../../../src/store/deployments/graft.js";
import { newDeployment } from "../../../src/store/deployments/new-deployment.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import type { BuiltFiles } from "../../../src/subgraph/runnable/built-subgraph.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";
import { type Ran, runOn } from "../../runtime/harness.js";
import type { Anvil, Contract } from "../../support/chain/anvil.js";
import { compileContract } from "../../support/chain/solidity.js";
import { world } from "../../support/database/databases.js";
import { plant } from "../../support/folder.js";
import { judge, judgedBuild } from "../../support/judge/judge.js";

/** A shop that emits events for sales and for counts. */
const shopContract = compileContract(
  `contract Shop {
    event Sold(string item, uint256 amount);
    event Counted(string item, uint256 amount);
    function sell(string calldata item, uint256 amount) external { emit Sold(item, amount); }
    function count(string calldata item, uint256 amount) external { emit Counted(item, amount); }
  }`,
  "Shop",
);

/** The parts of the manifest that tests change, as plain data. */
export interface ShopManifest {
  features?: string[];
  graft?: { base: string; block: number };
  indexerHints?: { prune: string | number };
  dataSources: { mapping: { eventHandlers: { event: string; handler: string }[] } }[];
}

/** A shop on a chain, and its subgraph built with the peer's command line. */
export class Shop {
  readonly contract: Contract;
  /** The start block of the data source: the block after the contract's deployment. */
  readonly start: number;
  readonly #anvil: Anvil;
  readonly #files: ReadonlyMap<string, string | Uint8Array>;

  constructor(
    anvil: Anvil,
    contract: Contract,
    start: number,
    files: ReadonlyMap<string, string | Uint8Array>,
  ) {
    this.#anvil = anvil;
    this.contract = contract;
    this.start = start;
    this.#files = files;
  }

  /** Sells in a separate block. @returns the block's number */
  async sell(item: string, amount: number): Promise<number> {
    return Number((await this.#anvil.send(this.contract, "sell", [item, amount])).blockNumber);
  }

  /** The build, with the shop as its data source. @param change changes the manifest */
  build(change: (manifest: ShopManifest) => void = () => undefined): BuiltFiles {
    const manifest = parse(String(this.#files.get("subgraph.yaml")));
    const [{ source }] = manifest.dataSources;
    Object.assign(source, { address: this.contract.address, startBlock: this.start });
    change(manifest);
    return {
      manifest: "subgraph.yaml",
      files: new Map([...this.#files, ["subgraph.yaml", stringify(manifest)]]),
    };
  }

  /** Opens the subgraph in a database, which keeps its state. @param change changes the manifest */
  async in(
    database: Database,
    name: string,
    change: (manifest: ShopManifest) => void = () => undefined,
    graft: Partial<Graft> = {},
  ): Promise<IndexedShop> {
    const build = this.build(change);
    const subgraph = readRunnable(build);
    const deployment = await openDeployment(database, newDeployment(subgraph, name, { graft }));
    const store = openStore(database, deployment, subgraph);
    const queried = catalogDeployment(deployment, layoutOf(deployment));
    const engine = createQueryEngine({ database, deployment: queried, world });
    return {
      deployment,
      run: (options) => runOn(this.#anvil, build, { from: undefined, manifest: "", store, ...options }),
      query: (query) => engine.execute({ query }),
    };
  }
}

/**
 * Shops on a chain, whose subgraph is built before the first test. Call it where tests are declared, and the returned
 * function only inside tests and hooks.
 */
export function useShops(anvil: () => Anvil): () => Promise<Shop> {
  beforeAll(async () => {
    built ??= buildShop();
    await built;
  });
  return async () => {
    const contract = await anvil().deploy(shopContract.abi, shopContract.bytecode);
    return new Shop(anvil(), contract, (await anvil().blockNumber()) + 1, (await built) ?? new Map());
  };
}

/** A subgraph of a shop in a database. */
export interface IndexedShop {
  /** The deployment when it was opened. */
  readonly deployment: Deployment;
  /** Indexes up to the chain head. */
  run(options?: RunOptions): Promise<Ran>;
  query(query: string): Promise<QueryAnswer>;
}

const text = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");
let built: Promise<ReadonlyMap<string, string | Uint8Array>> | undefined;

/** Builds the subgraph with `graph codegen` and `graph build`, once for all files of a worker. */
async function buildShop(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const folder = mkdtempSync(join(tmpdir(), "graphloom-shop-"));
  plant(folder, {
    "subgraph.yaml": text("subgraph.yaml"),
    "schema.graphql": text("schema.graphql"),
    "src/mapping.ts": text("mapping.as"),
    "abis/Shop.json": JSON.stringify(shopContract.abi),
  });
  const { ok, output, build } = await judge(folder, { build: judgedBuild });
  rmSync(folder, { recursive: true });
  expect(ok, output).toBe(true);
  return new Map(
    [...build].map(
      ([path, bytes]) =>
        [
          path.replace(/^build\//, ""),
          path.endsWith(".wasm") ? bytes : Buffer.from(bytes).toString(),
        ] as const,
    ),
  );
}
