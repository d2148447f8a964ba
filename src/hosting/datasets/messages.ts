import type { MessagePort } from "node:worker_threads";
import type { DatasetKind } from "../../datasets/tables/dataset.js";
import type { ChainIdentity } from "../../runtime/chain/chain-guard.js";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";

/** The datasets that a server offers as files. Decoding needs ABIs, so clients decode `raw_logs` themselves. */
export const servedKinds = [
  "raw_blocks",
  "raw_logs",
  "raw_transactions",
] as const satisfies readonly DatasetKind[];
export type ServedKind = (typeof servedKinds)[number];

/** A requested file. */
export interface WantedFile {
  readonly kind: ServedKind;
  /** The network of the nodes, as the server was started with it. */
  readonly network: string;
  /** Decimal digits; `undefined` for a chain on a developer's machine, whose blocks cannot be replaced. */
  readonly chainId: string | undefined;
  /** First and last block. */
  readonly from: number;
  readonly to: number;
  /** Only logs of this contract, in lower case. */
  readonly contract: string | undefined;
}

/** The start data of a thread that creates a file. */
export interface FileStart {
  readonly wanted: WantedFile;
  readonly verify: VerifyMode;
  /** The most bytes of the file. */
  readonly mostBytes: number;
  /** Milliseconds that the nodes may be away or contradict themselves. */
  readonly patience: number;
  /** The node's name in messages. */
  readonly nodeName: string;
  readonly nodes: MessagePort;
  /** The port to the files of the archive, if there is one. */
  readonly archive: MessagePort | undefined;
}

/** A file of a dataset. */
export interface MadeFile {
  readonly bytes: Uint8Array;
  /** The day of its first block, in UTC: `yyyy-MM-dd`. */
  readonly day: string;
  /** The chain that it was read from. */
  readonly identity: ChainIdentity;
}

/** The outcome of a thread. */
export type FileEnd =
  | { readonly kind: "made"; readonly file: MadeFile }
  /** The file would have more bytes than are allowed. */
  | { readonly kind: "too-large" }
  /** The range ends after the newest final block; `undefined` if the chain has none yet. */
  | { readonly kind: "not-final"; readonly final: number | undefined }
  /** The nodes or the archive cannot be read, or contradict themselves. */
  | { readonly kind: "failed"; readonly why: string };
