import { chainOfId } from "../../chains/look-up-chain.js";
import { askIdentity } from "../../datasets/archive/identity.js";
import { chainWindows } from "../../datasets/sync/chain-windows.js";
import { pause } from "../../node/world.js";
import { ChainError } from "../../runtime/chain/chain.js";
import { createPatientChain } from "../../runtime/chain/patient-chain.js";
import type { RequestLimits } from "../../runtime/chain/request-budget.js";
import { leftOutText, Verification, type VerifyMode } from "../../runtime/indexer/verification.js";
import { createPatience } from "../../runtime/run-subgraph.js";
import { openReader } from "../reader/open-reader.js";
import type { WantedTable } from "./fill-folder.js";
import type { SourceNeeds, SyncSource } from "./sync-source.js";

/** A node, an archive, or an archive first and a node for the rest. */
export interface NodePlace extends RequestLimits {
  /** The node's address; `undefined` when offline. */
  readonly url: string | undefined;
  /** The archive's folder, absolute; `undefined` for none. */
  readonly archive: string | undefined;
  readonly verify: VerifyMode;
}

/** Opens a node or an archive to read a dataset from. @throws ChainError when it does not answer, or does not say what is final */
export async function openNodeSource(
  { url, archive, verify, ...limits }: NodePlace,
  { kind, network, contract, decoder, to }: WantedTable,
  { patience: limit, signal, onRetry, say }: SourceNeeds,
): Promise<SyncSource> {
  const reader = await openReader(
    { network: network.network, url, archive },
    to,
    { ...limits, patience: limit, signal, onRetry },
    {
      onDamage: (why) => say(`part of the archive is not used: ${why}`),
      onTrouble: (why) => say(`no longer writing to the archive: ${why}`),
      // Nothing is written without a final block, which is said below.
      onRefused: () => undefined,
    },
  );
  const patience = createPatience({
    patience: limit,
    signal,
    random: Math.random,
    pause: (wait, why) => {
      onRetry(why, wait);
      return pause(wait, signal);
    },
  });
  const identity = await askIdentity(reader.identity);
  const chain = createPatientChain(reader.chain, patience);
  const head = await chain.head();
  const refused = (why: string): never => {
    throw new ChainError(why);
  };
  const final = network.chainId === undefined ? head.number : (await reader.final(head, refused))?.number;
  const notes = {
    onLeftOut: (block: number, logs: number) => say(leftOutText(block, logs)),
    onUnproved: say,
  };
  const verification = new Verification(verify, notes, chainOfId(identity.chainId)?.rootException);
  const { archived } = reader;
  const source = { chain, verification, ...(archived && { archive: archived }) };
  const what = { kind, ...(contract !== undefined && { addresses: [contract] }), decoder };
  return {
    identity,
    newest: head.number,
    final,
    windows: chainWindows(source, what, {
      newest: head.number,
      onReorg: (error) => patience.wait(error),
    }),
    written: async () => {
      patience.reset();
      await archived?.flush();
    },
    // Of what was read for a file that is not whole, the archive keeps what is.
    abandon: async () => archived?.flush(),
    requests: (isLimited) => (isLimited ? (limits.maxRequests ?? 0) : reader.requests()),
    leftOut: () => verification.leftOut,
  };
}
