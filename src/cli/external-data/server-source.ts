import { ApiProblem } from "../../api/answers/problem.js";
import type { ServedDatasetChain } from "../../api/dataset-operations.js";
import type { DatasetFileAnswer, DatasetsApi } from "../../api/datasets-api.js";
import type { Proofs } from "../../datasets/extract/proofs.js";
import type { LogDecoder } from "../../datasets/rows/decoded-rows.js";
import { logOfRow } from "../../datasets/rows/log-of-row.js";
import { readWindow, StrangeWindowError } from "../../datasets/sync/read-window.js";
import type { WindowBatch } from "../../datasets/sync/window-source.js";
import type { Window } from "../../datasets/sync/windows.js";
import type { DatasetKind, DatasetRow } from "../../datasets/tables/dataset.js";
import { datasets } from "../../datasets/tables/datasets.js";
import { pause } from "../../machine/world.js";
import type { ChainIdentity } from "../../runtime/chain/chain-guard.js";
import { Patience } from "../../runtime/chain/rpc/patience.js";
import { HttpError } from "../../web/http/http-error.js";
import type { WantedTable } from "./fill-folder.js";
import type { SourceNeeds, SyncSource } from "./sync-source.js";

/** A server's answer cannot be used. The message is a sentence. */
export class ServerSourceError extends Error {
  override readonly name = "ServerSourceError";
}

/**
 * Opens a running `graphloom serve` to read a dataset from. This process reads, judges and rewrites its
 * files, so that nothing the server sends reaches the disk unread. Logs are decoded here: the server sends
 * them raw.
 * @throws ServerSourceError; ApiProblem, HttpError and ApiAnswerError as `DatasetsApi`
 */
export async function openServerSource(
  api: DatasetsApi,
  { kind: written, network, contract, decoder }: WantedTable,
  { patience: limit, signal, onRetry, say }: SourceNeeds,
): Promise<SyncSource> {
  const kind = written === "decoded_logs" ? "raw_logs" : written;
  const patience = new Patience({
    limit,
    pause: (wait, why) => {
      onRetry(why, wait);
      return pause(wait, signal);
    },
    chance: Math.random,
    signal,
  });
  let requests = 0;
  const ask = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      requests += 1;
      try {
        return await work();
      } catch (error) {
        if (!mayPass(error)) throw error;
        await patience.wait(error).catch(() => {
          // The server's message is more informative than a timeout.
          throw error;
        });
      }
    }
  };
  const chain = await ask(() => knownChain(api, network.name));
  const { most, identity } = readChain(chain, kind, contract !== undefined);
  let span = most;
  const question = { dataset: `${network.name}.${kind}`, contract };

  /** Reads a part of a window, while the server still creates files of that size. */
  async function readPart(window: Window): Promise<WindowBatch & { readonly day: string }> {
    for (;;) {
      const part = { from: window.from, to: Math.min(window.to, window.from + span - 1) };
      try {
        const answer = await ask(() => api.file({ ...question, ...part }));
        checkChain(answer, identity);
        const rows = await readWindow(answer.bytes, { kind, contract, day: answer.day, ...part });
        return { rows: decoder ? decoded(rows, decoder) : rows, to: part.to, day: answer.day, proofs };
      } catch (error) {
        if (error instanceof StrangeWindowError)
          throw new ServerSourceError(
            `The server's file of blocks ${part.from} to ${part.to} ${error.message}. Nothing of it was kept.`,
          );
        if (!isTooLarge(error) || part.to === part.from) throw error;
        span = Math.ceil((part.to - part.from + 1) / 2);
        say(
          `The server cannot make one file of blocks ${part.from} to ${part.to}: asking for ${span} at a time.`,
        );
      }
    }
  }

  /** The rest of a window after its first part. */
  async function* partsFrom(first: WindowBatch, to: number): AsyncGenerator<WindowBatch, void, void> {
    let part = first;
    yield part;
    while (part.to < to) {
      signal.throwIfAborted();
      part = await readPart({ from: part.to + 1, to });
      yield part;
    }
  }

  return {
    identity,
    newest: chain.newest_block ?? 0,
    final: chain.final_block ?? undefined,
    windows: {
      async open(window) {
        const first = await readPart(window);
        return { day: first.day, batches: partsFrom(first, window.to) };
      },
      again: (error) => Promise.reject(error),
    },
    written: async () => patience.reset(),
    abandon: async () => undefined,
    requests: () => requests,
    leftOut: () => 0,
  };
}

/** The server's proofs are not checked again. */
const proofs: Proofs = { proved: [], believed: { rows: "read from a graphloom server" } };

/** Rows of `decoded_logs`, computed from rows of `raw_logs`. */
function decoded(rows: readonly DatasetRow[], decoder: LogDecoder): readonly DatasetRow[] {
  return rows.flatMap((row) => {
    const { log, timestamp } = logOfRow(row);
    const made = decoder.row(log, timestamp);
    return made ? [made] : [];
  });
}

/** The server's chain, once its nodes answer. */
async function knownChain(api: DatasetsApi, name: string): Promise<ServedDatasetChain> {
  const chain = await api.chain(name);
  if (chain.chain_id === null)
    throw new SilentNodesError(`The server cannot read its nodes of ${name} now. Its log says why.`);
  return chain;
}

/** The nodes of a server do not answer, which may be temporary. */
class SilentNodesError extends ServerSourceError {}

/** Reads a server's facts about a chain. @throws ServerSourceError */
function readChain(
  {
    chain,
    chain_id: chainId,
    first_block: first,
    newest_block: newest,
    final_block: final,
    datasets: all,
  }: ServedDatasetChain,
  kind: DatasetKind,
  isOfContract: boolean,
): { readonly most: number; readonly identity: ChainIdentity } {
  const strange = (what: string): ServerSourceError =>
    new ServerSourceError(`The server's answer about the chain has a strange ${what}.`);
  if (chainId === null || !/^\d{1,78}$/.test(chainId)) throw strange("id");
  if (first && !(isBlock(first.number) && /^0x[0-9a-f]{64}$/.test(first.hash))) throw strange("first block");
  if (!isBlock(newest) || !(final === null || isBlock(final))) throw strange("newest block");
  const dataset = all.find(({ name }) => name === `${chain}.${kind}`);
  const { version } = datasets[kind];
  if (!dataset) throw new ServerSourceError(`The server makes no files of ${kind}.`);
  if (dataset.version !== version)
    throw new ServerSourceError(
      `The server has version ${dataset.version} of ${kind}, and this program has ${version}. Use the graphloom of the server's version.`,
    );
  const most = (isOfContract ? dataset.most_blocks_of_contract : undefined) ?? dataset.most_blocks;
  if (!isBlock(most) || most < 1) throw strange("limit of blocks");
  return { most, identity: { chainId, ...(first && { first: { number: first.number, hash: first.hash } }) } };
}

function isBlock(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** @throws ServerSourceError for a file of a different chain than before */
function checkChain({ chainId, firstBlock }: DatasetFileAnswer, identity: ChainIdentity): void {
  if (chainId === identity.chainId && firstBlock === identity.first?.hash) return;
  throw new ServerSourceError(
    "The server's node is of another chain now, as a local chain is after a restart. Nothing of its answer was kept.",
  );
}

/** Whether the same request may succeed later. */
function mayPass(error: unknown): error is Error {
  if (error instanceof SilentNodesError) return true;
  if (error instanceof ApiProblem) return [429, 502, 503, 504].includes(error.status);
  return error instanceof HttpError && ["unreachable", "timeout", "cut"].includes(error.kind);
}

function isTooLarge(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 413;
}
