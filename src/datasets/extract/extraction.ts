import type { PatientChain } from "../../runtime/chain/rpc/patient-chain.js";
import type { History } from "../../runtime/indexer/history/history.js";
import type { Verification } from "../../runtime/indexer/logs/verification.js";
import type { RunArchive } from "../../runtime/indexer/run-archive.js";
import type { LogDecoder } from "../rows/decoded-rows.js";
import type { DatasetKind, DatasetRow } from "../tables/dataset.js";
import type { Pace } from "./pace.js";
import type { Proofs } from "./proofs.js";

export interface Extraction {
  readonly kind: DatasetKind;
  /** First and last block. */
  readonly from: number;
  readonly to: number;
  /** Only logs of these contracts, in lower case; all by default. Not for blocks and transactions. */
  readonly addresses?: readonly string[] | undefined;
  /**
   * Contracts that wrap native coins, in lower case. In `erc20_transfers`, their deposits and withdrawals are
   * transfers from and to the zero address.
   */
  readonly wrapped?: readonly string[] | undefined;
  /** Decodes logs, for `decoded_logs`. */
  readonly decoder?: LogDecoder | undefined;
  /** Maximum number of blocks to request at once. */
  readonly span?: number | undefined;
  /** Number of ranges to fetch at the same time; 4 by default. */
  readonly parallel?: number | undefined;
  /** How large blocks are, from earlier extractions, which update it. */
  readonly pace?: Pace | undefined;
}

/** A source of history, and the chain with the blocks that it has returned, which lack transactions. */
export interface ExtractedHistory {
  readonly history: History;
  readonly chain: PatientChain;
}

export interface ExtractionSource {
  readonly chain: PatientChain;
  /** Serves final ranges of filtered logs in place of the node. */
  readonly history?: ExtractedHistory | undefined;
  readonly verification: Verification;
  readonly archive?: RunArchive | undefined;
}

/** Drops what is not confirmed yet, because the chain has contradicted it. */
export function forgetUnconfirmed({ archive, history }: ExtractionSource): void {
  archive?.forget();
  history?.history.forget();
}

/** All rows of a range of blocks, in the order of the blocks and their contents. */
export interface RowBatch {
  readonly from: number;
  readonly to: number;
  readonly rows: readonly DatasetRow[];
  readonly proofs: Proofs;
}
