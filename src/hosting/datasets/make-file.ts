import type { ArchiveFiles } from "../../datasets/archive/archive-files.js";
import { askIdentity } from "../../datasets/archive/identity.js";
import { openReadableChain } from "../../datasets/archive/readable-chain.js";
import { rootExceptionOf } from "../../datasets/catalog/dataset-chain.js";
import { chainWindows } from "../../datasets/sync/chain-windows.js";
import { windowPieces } from "../../datasets/sync/window-pieces.js";
import type { WindowSource } from "../../datasets/sync/window-source.js";
import { ChainError } from "../../runtime/chain/chain.js";
import { Patience } from "../../runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../runtime/chain/rpc/patient-chain.js";
import type { RpcClient } from "../../runtime/chain/rpc/rpc-client.js";
import { Verification, type VerifyMode } from "../../runtime/indexer/logs/verification.js";
import type { FileEnd, WantedFile } from "./messages.js";

/** The means of creating a file. */
export interface FileMeans {
  readonly client: RpcClient;
  /** Where chain data is kept; `undefined` if it is not kept. */
  readonly archive: ArchiveFiles | undefined;
  readonly verify: VerifyMode;
  readonly mostBytes: number;
  /** Milliseconds of retries while the nodes contradict themselves. */
  readonly patience: number;
  sleep(milliseconds: number): Promise<void>;
  random(): number;
}

/** Bytes of segment files whose content stays in memory. */
const cachedBytes = 8 * 1_048_576;
const ignore = (): void => undefined;

/**
 * Creates the same file of a range of final blocks as `external-data sync` does from the same nodes.
 * @throws ChainError when the nodes do not answer, or belong to another chain; and the errors of `chainWindows`
 */
export async function makeFile(
  { kind, network, chainId, from, to, contract }: WantedFile,
  { client, archive: files, verify, mostBytes, patience: limit, sleep, random }: FileMeans,
): Promise<FileEnd> {
  // Data that the archive lacks or cannot keep is read from the nodes again the next time.
  const notes = { onDamage: ignore, onTrouble: ignore, onRefused: ignore };
  const reader = await openReadableChain({ network, node: client, files, to, cachedBytes, ...notes });
  const identity = await askIdentity(reader.identity);
  if (chainId !== undefined && identity.chainId !== chainId)
    throw new ChainError(`the nodes of ${network} are of chain ${identity.chainId}, not of chain ${chainId}`);
  const patience = new Patience({ limit, pause: sleep, chance: random });
  const chain = createPatientChain(reader.chain, patience);
  const head = await chain.head();
  const refused = (why: string): never => {
    throw new ChainError(why);
  };
  const final = chainId === undefined ? head.number : (await reader.final(head, refused))?.number;
  if (final === undefined || to > final) return { kind: "not-final", final };
  const { archived } = reader;
  const verification = new Verification(verify, {}, rootExceptionOf(identity.chainId), identity.chainId);
  const source = { chain, verification, ...(archived && { archive: archived }) };
  const what = { kind, ...(contract !== undefined && { addresses: [contract] }) };
  const windows = chainWindows(source, what, {
    newest: head.number,
    onReorg: (error) => patience.wait(error),
  });
  const made = await madeOf(windows, kind, { from, to }, mostBytes);
  await archived?.flush();
  return made ? { kind: "made", file: { ...made, identity } } : { kind: "too-large" };
}

/** The file of a window; `undefined` when it has more bytes than are allowed. */
async function madeOf(
  windows: WindowSource,
  kind: WantedFile["kind"],
  window: Pick<WantedFile, "from" | "to">,
  most: number,
): Promise<{ readonly bytes: Uint8Array; readonly day: string } | undefined> {
  for (;;) {
    try {
      const opened = await windows.open(window);
      const pieces: Uint8Array[] = [];
      let length = 0;
      for await (const piece of windowPieces(kind, window, opened)) {
        length += piece.length;
        if (length > most) return undefined;
        pieces.push(piece);
      }
      return { bytes: Buffer.concat(pieces), day: opened.day };
    } catch (error) {
      await windows.again(error);
    }
  }
}
