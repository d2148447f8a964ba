import { holderText } from "../../base/lock-file.js";
import { visible } from "../../base/visible.js";
import { chainOfId } from "../../chains/look-up-chain.js";
import { askIdentity } from "../../datasets/archive/identity.js";
import type { LogDecoder } from "../../datasets/rows/decoded-rows.js";
import { FolderInUseError, StrangeFolderError } from "../../datasets/sync/marker.js";
import { openFolder } from "../../datasets/sync/open-folder.js";
import { type SyncProgress, syncTable } from "../../datasets/sync/sync-table.js";
import type { TableFiles } from "../../datasets/sync/table-files.js";
import { planWindows } from "../../datasets/sync/windows.js";
import type { DatasetKind } from "../../datasets/tables/dataset.js";
import { pause } from "../../node/world.js";
import { createPatientChain } from "../../runtime/chain/patient-chain.js";
import { RequestLimitError, type RequestLimits } from "../../runtime/chain/request-budget.js";
import { leftOutText, Verification, type VerifyMode } from "../../runtime/indexer/verification.js";
import { createPatience } from "../../runtime/run-subgraph.js";
import { openReader } from "../reader/open-reader.js";
import { UsageError } from "../terminal/usage-error.js";
import type { SyncedNetwork } from "./find-network.js";
import { lastBlock } from "./last-block.js";
import type { SyncDisplay } from "./sync-display.js";

/** What a folder is to hold. */
export interface WantedTable {
  readonly kind: DatasetKind;
  readonly version: string;
  readonly network: SyncedNetwork;
  /** Only logs of this contract, in lower case. */
  readonly contract: string | undefined;
  readonly decoder?: LogDecoder;
  readonly events?: readonly string[];
  readonly from: number;
  /** The newest final block when left out. */
  readonly to: number | undefined;
}

/** Where it comes from, and how. */
export interface TableSource extends RequestLimits {
  /** The node's address; `undefined` when offline. */
  readonly url: string | undefined;
  /** The archive's folder, absolute; `undefined` for none. */
  readonly archive: string | undefined;
  /** Milliseconds of retries. */
  readonly patience: number;
  readonly verify: VerifyMode;
  /** As the folder has it when left out. */
  readonly blocksPerFile: number | undefined;
}

/** What was written, and what was there. */
export interface Filled extends SyncProgress {
  readonly from: number;
  readonly to: number;
  /** Files of the range that were there before. */
  readonly present: number;
  /** Files of the range that are not there yet. */
  readonly missing: number;
  /** Requests that were sent to the node. */
  readonly requests: number;
  /** Whether it ended because all requests that were allowed were sent. */
  readonly isLimited: boolean;
  /** Logs that the node left out. */
  readonly leftOut: number;
}

/** Blocks of a file: fewer where each has hundreds of rows. */
const usualBlocks = { few: 1_000, many: 10_000 };

/**
 * Writes the files that a folder lacks of a range. Once the signal is aborted, it returns after the file in hand, or throws
 * what the aborted request throws. Once all requests that are allowed were sent, it returns without the file in hand.
 * @throws StrangeFolderError; FolderInUseError and NoLocksError; UsageError for a range that the chain does not have;
 * ChainError and ReorgError; RequestLimitError when the requests do not suffice to begin; what the system says about files
 */
export async function fillFolder(
  { kind, version, network, contract, decoder, events = [], from, to: wantedTo }: WantedTable,
  { url, archive: folder, patience: limit, verify, blocksPerFile, ...limits }: TableSource,
  files: TableFiles,
  display: SyncDisplay,
  signal: AbortSignal,
): Promise<Filled> {
  const onRetry = (why: string, wait: number): void =>
    display.wait(`retrying in ${(wait / 1000).toFixed(1)} s: ${why}`);
  const say = (text: string): void => display.print(`${visible(text)}\n`);
  const reader = await openReader(
    { network: network.network, url, archive: folder },
    wantedTo,
    { ...limits, patience: limit, signal, onRetry },
    {
      onDamage: (why) => say(`part of the archive is not used: ${why}`),
      onTrouble: (why) => say(`the archive is not written any more: ${why}`),
      // Nothing is written without a final block, which is said then.
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
  if (network.chainId !== undefined && identity.chainId !== network.chainId)
    throw new UsageError(
      `--network ${network.name} is chain ${network.chainId}, but the node is of chain ${identity.chainId}. Pass the network of the node, or a node of ${network.name}.`,
    );
  const chain = createPatientChain(reader.chain, patience);
  const { newest, to } = await lastBlock(chain, reader, network, from, wantedTo);
  const lock = await files.lock();
  if (lock.kind === "held") throw new FolderInUseError(`it is being written by ${holderText(lock.holder)}`);
  try {
    const wanted = { ...identity, dataset: kind, version, contract: contract ?? null, events, blocksPerFile };
    const hasMany = contract === undefined && (kind === "raw_logs" || kind === "raw_transactions");
    const opened = await openFolder(files, wanted, hasMany ? usualBlocks.few : usualBlocks.many, (path) =>
      say(`${path} is not whole, and is written again`),
    );
    const plan = planWindows({ from, to }, opened.blocksPerFile, opened.files);
    display.expect(plan.missing.reduce((sum, window) => sum + window.to - window.from + 1, 0));
    const notes = {
      onLeftOut: (block: number, logs: number) => say(leftOutText(block, logs)),
      onUnproved: say,
    };
    const verification = new Verification(verify, notes, chainOfId(identity.chainId)?.rootException);
    const archived = reader.archived;
    const source = { chain, verification, ...(archived && { archive: archived }) };
    const what = { kind, ...(contract !== undefined && { addresses: [contract] }), decoder };
    let written: SyncProgress = { rows: 0, files: 0, bytes: 0, blocks: 0 };
    let isLimited = false;
    try {
      await syncTable(source, what, plan, files, {
        newest,
        signal,
        onProgress: (progress) => display.update(progress),
        onReorg: (error) => patience.wait(error),
        onFile: async (progress) => {
          written = progress;
          patience.reset();
          await archived?.flush();
        },
      });
    } catch (error) {
      isLimited = error instanceof RequestLimitError;
      if (!isLimited && (!signal.aborted || error instanceof StrangeFolderError)) throw error;
      // The window in hand is left out. Of what was read for it, the archive keeps what is whole.
      await archived?.flush();
    }
    return {
      ...written,
      from,
      to,
      present: plan.present,
      missing: plan.missing.length - written.files,
      requests: isLimited ? (limits.maxRequests ?? 0) : reader.requests(),
      isLimited,
      leftOut: verification.leftOut,
    };
  } finally {
    lock.release();
  }
}
