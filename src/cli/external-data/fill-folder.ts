import { holderText } from "../../base/lock-holder.js";
import { visible } from "../../base/text/visible.js";
import type { LogDecoder } from "../../datasets/rows/decoded-rows.js";
import { FolderInUseError, StrangeFolderError } from "../../datasets/sync/marker.js";
import { openFolder } from "../../datasets/sync/open-folder.js";
import { ProofRecord } from "../../datasets/sync/proof-record.js";
import { type SyncProgress, syncTable } from "../../datasets/sync/sync-table.js";
import type { TableFiles } from "../../datasets/sync/table-files.js";
import { planWindows } from "../../datasets/sync/windows.js";
import type { DatasetKind } from "../../datasets/tables/dataset.js";
import { RequestLimitError } from "../../runtime/chain/rpc/request-budget.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import type { SyncedNetwork } from "./find-network.js";
import type { SyncDisplay } from "./sync-display.js";
import type { SourceNeeds, SyncSource } from "./sync-source.js";

/** The wanted content of a folder. */
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

/** How a source is opened for a table. */
export type OpenSource = (wanted: WantedTable, needs: SourceNeeds) => Promise<SyncSource>;

/** How to write the files. */
export interface FillOptions {
  /** Milliseconds of retries. */
  readonly patience: number;
  /** The folder's own number if left out. */
  readonly blocksPerFile: number | undefined;
}

/** The files that were written, and the files that existed before. */
export interface Filled extends SyncProgress {
  readonly from: number;
  readonly to: number;
  /** Files of the range that existed before. */
  readonly present: number;
  /** Files of the range that do not exist yet. */
  readonly missing: number;
  /** Requests that were sent to the node. */
  readonly requests: number;
  /** Whether it ended because it sent all allowed requests. */
  readonly isLimited: boolean;
  /** Logs that the node left out. */
  readonly leftOut: number;
  /** The block of a log that has the signature of an event but does not decode, if there is one. */
  readonly misfit: number | undefined;
}

/** Blocks of a file: fewer where each has hundreds of rows. */
const usualBlocks = { few: 1_000, many: 10_000 };

/**
 * Writes the missing files of a range to a folder. Once the signal is aborted, it returns after the current file, or
 * throws the error of the aborted request. Once all allowed requests were sent, it returns without the current file.
 * @throws StrangeFolderError; FolderInUseError and NoLocksError; UsageError for a range that the chain does not have;
 * errors of the source, such as RequestLimitError when the requests are too few to begin; the system's errors about
 * files
 */
export async function fillFolder(
  wanted: WantedTable,
  open: OpenSource,
  { patience, blocksPerFile }: FillOptions,
  files: TableFiles,
  display: SyncDisplay,
  signal: AbortSignal,
): Promise<Filled> {
  const { kind, version, network, contract, events = [], from } = wanted;
  const say = (text: string): void => display.print(`${visible(text)}\n`);
  const source = await open(wanted, {
    patience,
    signal,
    say,
    onRetry: (why, wait) => display.wait(`retrying in ${(wait / 1000).toFixed(1)} s: ${visible(why)}`),
  });
  const { identity } = source;
  if (network.chainId !== undefined && identity.chainId !== network.chainId)
    throw new UsageError(
      `--network ${network.name} is chain ${network.chainId}, but the node serves chain ${identity.chainId}. Pass the network of the node, or a node of ${network.name}.`,
    );
  const to = lastBlock(source, network, from, wanted.to);
  const lock = await files.lock();
  if (lock.kind === "held") throw new FolderInUseError(`it is being written by ${holderText(lock.holder)}`);
  try {
    const marker = { ...identity, dataset: kind, version, contract: contract ?? null, events, blocksPerFile };
    const hasMany = contract === undefined && (kind === "raw_logs" || kind === "raw_transactions");
    const opened = await openFolder(files, marker, hasMany ? usualBlocks.few : usualBlocks.many, (path) =>
      say(`${path} is damaged; writing it again`),
    );
    const { blocksPerFile: size } = opened.marker;
    const plan = planWindows({ from, to }, size, opened.files);
    const record = await ProofRecord.begin(files, opened, plan);
    display.expect(plan.missing.reduce((sum, window) => sum + window.to - window.from + 1, 0));
    let written: SyncProgress = { rows: 0, files: 0, bytes: 0, blocks: 0 };
    let isLimited = false;
    try {
      await syncTable(source.windows, kind, plan, files, {
        signal,
        onProgress: (progress) => display.update(progress),
        onFile: async (progress, window, proofs) => {
          written = progress;
          await record.add(window, proofs);
          await source.written();
        },
      });
    } catch (error) {
      isLimited = error instanceof RequestLimitError;
      if (!isLimited && (!signal.aborted || error instanceof StrangeFolderError)) throw error;
      // The current window is left out. The archive keeps the complete parts of its data.
      await source.abandon();
    }
    return {
      ...written,
      from,
      to,
      present: plan.present,
      missing: plan.missing.length - written.files,
      requests: source.requests(isLimited),
      isLimited,
      leftOut: source.leftOut(),
      misfit: wanted.decoder?.misfit?.block.number,
    };
  } finally {
    lock.release();
  }
}

/**
 * The last block to write: the wanted one, or else the newest final block. Blocks that a reorganisation may still replace
 * are refused, since files are not corrected; a chain on the user's machine has none.
 * @throws UsageError when the chain does not have the range
 */
function lastBlock(
  { newest, final }: Pick<SyncSource, "newest" | "final">,
  { name }: SyncedNetwork,
  from: number,
  wanted: number | undefined,
): number {
  if (final === undefined)
    throw new UsageError(
      `${name} has no final block yet: its newest block is ${newest}. Wait, and run it again.`,
    );
  const to = wanted ?? final;
  if (to < from)
    throw new UsageError(
      `--from-block ${from} is after the newest final block, ${final}. Pass an earlier first block.`,
    );
  if (to > final)
    throw new UsageError(
      `--to-block ${to} is after the newest final block, ${final}, and may still be replaced. Pass --to-block ${final}, or omit it.`,
    );
  return to;
}
