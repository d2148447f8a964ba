import type { ArchiveFiles } from "../../../src/datasets/archive/archive-files.js";
import { ArchivedChain } from "../../../src/datasets/archive/archived-chain.js";
import { checkedClient } from "../../../src/datasets/archive/checked-client.js";
import { offlineClient } from "../../../src/datasets/archive/offline-client.js";
import { openArchive } from "../../../src/datasets/archive/open-archive.js";
import type { Compilation } from "../../../src/exports/index.js";
import { finalBlock } from "../../../src/runtime/chain/final-block.js";
import type { RpcClient } from "../../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../../src/runtime/chain/rpc-chain.js";
import type { RunOptions } from "../../../src/runtime/run-subgraph.js";
import { type Ran, runOn } from "../../runtime/harness.js";
import { buildTokens, deployFactory, moving, tokenOf } from "../../runtime/token-subgraph.js";
import type { Anvil } from "../chain/anvil.js";

/** A run through an archive. */
export interface ArchivedRun {
  readonly ran: Ran;
  /** Requests that the node was sent. */
  readonly requests: number;
  readonly damage: readonly string[];
  /** Why nothing was kept any more. */
  readonly troubles: readonly string[];
}

/** Options of a run; offline, no node is asked. */
export type ArchivedRunOptions = RunOptions & { readonly offline?: boolean };

/** Counts the requests that a client sends. */
function counted(client: RpcClient): RpcClient & { count: number } {
  const counting = {
    count: 0,
    request: (...parameters: Parameters<RpcClient["request"]>) => {
      counting.count += 1;
      return client.request(...parameters);
    },
  };
  return counting;
}

/** Runs a subgraph through an archive, as `run --archive` does. */
export async function runArchived(
  anvil: Anvil,
  files: ArchiveFiles,
  built: Compilation,
  options: ArchivedRunOptions = {},
): Promise<ArchivedRun> {
  const damage: string[] = [];
  const troubles: string[] = [];
  const node = counted(anvil.client);
  const opened = await openArchive(files, "mainnet", options.offline ? undefined : node, (why) =>
    damage.push(why),
  );
  const { archive, identity } = opened;
  const client = options.offline ? undefined : checkedClient(node, opened);
  const chain = new ArchivedChain(createRpcChain(client ?? offlineClient), archive, {
    finalOf: (head) => finalBlock(client ?? offlineClient, head, identity.chainId),
    to: options.to,
    onTrouble: (why) => troubles.push(why),
    recheck: client?.recheck,
  });
  const ran = await runOn(chain, built, { ...options, archive: chain });
  await chain.flush();
  return { ran, requests: node.count, damage, troubles };
}

/** Tokens that move, some of them in one block; then enough blocks to make all of them final. */
export async function busyChain(
  chain: Anvil,
): Promise<{ readonly built: Compilation; readonly last: number }> {
  // What other tests did would be read again by each run.
  await chain.client.request("anvil_reset", []);
  const factory = await deployFactory(chain);
  await chain.send(factory, "make", [3]);
  for (let round = 0; round < 4; round++) {
    const token = await tokenOf(chain, factory, round % 3);
    await chain.inOneBlock([moving(chain, token, 1, 5), moving(chain, token, 2, 6)]);
    await chain.send(factory, "makeAndMove", [chain.account(round)]);
  }
  const last = Number(await chain.client.request("eth_blockNumber", []));
  await chain.client.request("anvil_mine", ["0x190"]);
  return { built: await buildTokens(factory.address), last };
}

/** Entity types of the tokens' subgraph. */
export const tokenTypes: readonly string[] = ["Made", "Moved", "Opened"];

/** All entities of a run of the tokens' subgraph. */
export async function entitiesOf(ran: Ran): Promise<readonly unknown[]> {
  return Promise.all(tokenTypes.map((type) => ran.all(type)));
}
