import { chainWindows } from "../../datasets/sync/chain-windows.js";
import { ChainError } from "../../runtime/chain/chain.js";
import type { RequestLimits } from "../../runtime/chain/rpc/request-budget.js";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import type { SourcePlace } from "../../runtime/sources/create-source.js";
import { openPatientReader } from "../reader/open-patient-reader.js";
import type { WantedTable } from "./fill-folder.js";
import type { SourceNeeds, SyncSource } from "./sync-source.js";

/** A node, an archive, or an archive first and a node for the rest. */
export interface NodePlace extends RequestLimits {
  /** The node's address; `undefined` when offline. */
  readonly url: string | undefined;
  /** The archive's folder, absolute; `undefined` for none. */
  readonly archive: string | undefined;
  readonly verify: VerifyMode;
  /** A service with the history of the chain. */
  readonly history?: SourcePlace | undefined;
}

/**
 * Opens a node or an archive to read a dataset from. @throws ChainError when it does not answer, or does not report a
 * final block
 */
export async function openNodeSource(
  { url, archive, verify, history, ...limits }: NodePlace,
  { kind, network, contract, decoder, to }: WantedTable,
  { patience: limit, signal, onRetry, say }: SourceNeeds,
): Promise<SyncSource> {
  const { reader, chainIdentity, source, patience } = await openPatientReader(
    { network: network.network, url, archive },
    to,
    {
      ...limits,
      patience: limit,
      signal,
      onRetry,
      say,
      verify,
      history,
      // Without a final block, nothing is written, and the code below reports this.
      onRefused: () => undefined,
    },
  );
  const head = await source.chain.head();
  const refused = (why: string): never => {
    throw new ChainError(why);
  };
  const final = network.chainId === undefined ? head.number : (await reader.final(head, refused))?.number;
  const { archived } = reader;
  const what = { kind, ...(contract !== undefined && { addresses: [contract] }), decoder };
  return {
    identity: chainIdentity,
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
    // The archive keeps the complete part of the data of an incomplete file.
    abandon: async () => archived?.flush(),
    requests: (isLimited) => (isLimited ? (limits.maxRequests ?? 0) : reader.requests()),
    leftOut: () => source.verification.leftOut,
  };
}
