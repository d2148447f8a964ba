import { visible } from "../../base/text/visible.js";
import { offlineClient } from "../../datasets/archive/offline-client.js";
import { openChain } from "../../machine/open-chain.js";
import type { ChainMemory } from "../../runtime/chain/chain-guard.js";
import { createRpcChain } from "../../runtime/chain/rpc-chain.js";
import { createMemoryStore } from "../../runtime/store/create-memory-store.js";
import type { BuildToKeep, KeptStore } from "../../store/kept-stores.js";
import { buildWarnings, judgeBuild } from "../../subgraph/runnable/judge-build.js";
import type { NamedBuilds } from "../named/named-builds.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import type { ChainToRun } from "./index-chain.js";
import type { RunArguments } from "./run-arguments.js";

/** Opens the stores of builds that are not simply in memory. */
export interface StoresToRun {
  store(
    build: BuildToKeep,
  ): Promise<
    Pick<KeptStore, "store" | "startBlock"> & { memory: ChainMemory | undefined } & Partial<
        Pick<KeptStore, "bytes" | "openSource">
      >
  >;
}

/**
 * The chains that have a node, each with its store. With a database, it is the stored one, and the block to continue
 * from is printed. Warnings about a build are printed too.
 * @param urls the nodes' addresses by chain
 * @throws DatabaseError; UsageError when the database has a chain indexed from a different block; ChainError when the
 * node is needed for the block of a graft but cannot be reached
 */
export async function chainsToRun(
  { builds, name: named, version }: NamedBuilds,
  urls: ReadonlyMap<string, string | undefined>,
  kept: StoresToRun | undefined,
  { fromBlock, patience }: Pick<RunArguments, "fromBlock" | "patience">,
  terminal: Terminal,
): Promise<readonly ChainToRun[]> {
  const chains: ChainToRun[] = [];
  const name = named === undefined ? undefined : { name: named, version };
  for (const { chain, build } of builds) {
    if (!urls.has(chain)) continue;
    const url = urls.get(chain);
    judgeBuild(build);
    const built = build.subgraph;
    for (const warning of buildWarnings(build))
      terminal.err(`${visible(chain)}: warning: ${visible(warning)}\n`);
    const first = fromBlock ?? Math.min(...built.dataSources.map(({ startBlock }) => startBlock));
    const options = { patience: patience * 1000, signal: terminal.signal };
    const node = url === undefined ? createRpcChain(offlineClient) : openChain(url, options);
    const blockHash = async (number: number) => (await node.block(number))?.hash;
    const { store, memory, startBlock, bytes, openSource } = kept
      ? await kept.store({ build, name, first, blockHash })
      : {
          store: createMemoryStore(built),
          memory: undefined,
          startBlock: first,
          bytes: undefined,
          openSource: undefined,
        };
    const source = built.dataSources.find(({ subgraph }) => subgraph)?.subgraph;
    if (source && !openSource) {
      throw new UsageError(
        `${visible(chain)} has the subgraph ${source.deployment} as a source, which is read from a database.`,
        "Index it with graphloom run --database first, and pass the same database.",
      );
    }
    if (startBlock !== first) {
      throw new UsageError(
        `The database has ${visible(chain)} indexed from block ${startBlock}, not from block ${first}.`,
        `Pass --from-block ${startBlock}, or a different --database.`,
      );
    }
    const head = await store.head();
    if (head) terminal.err(`${visible(chain)}: continuing after block ${head.number}\n`);
    chains.push({ chain, url, built, first, store, memory, bytes, openSource });
  }
  return chains;
}
