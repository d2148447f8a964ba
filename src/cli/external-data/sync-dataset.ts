import { join, resolve } from "node:path";
import { writeReasons } from "../../base/file-reasons.js";
import { NoLocksError } from "../../base/lock-file.js";
import { visible } from "../../base/text/visible.js";
import { FolderInUseError, StrangeFolderError } from "../../datasets/sync/marker.js";
import type { DatasetKind } from "../../datasets/tables/dataset.js";
import { datasets } from "../../datasets/tables/datasets.js";
import { openTableFiles } from "../../machine/files/table-files.js";
import { ChainError, ReorgError } from "../../runtime/chain/chain.js";
import { RequestLimitError } from "../../runtime/chain/rpc/request-budget.js";
import { findSources } from "../reader/find-sources.js";
import { openSession } from "../remote/session.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { archiveToRead } from "../terminal/given-archive.js";
import { size } from "../terminal/size.js";
import type { Terminal } from "../terminal/terminal.js";
import { type Filled, fillFolder, type OpenSource } from "./fill-folder.js";
import { findNetwork, findNode, type SyncedNetwork } from "./find-network.js";
import { openNodeSource } from "./node-source.js";
import { readDecoder } from "./read-decoder.js";
import { openServerSource, ServerSourceError } from "./server-source.js";
import { checkSyncArguments, contractOf, type SyncArguments } from "./sync-arguments.js";
import { SyncDisplay } from "./sync-display.js";

/** Where the files of a dataset are, below the folder of the chain. */
const places: Partial<Record<DatasetKind, string>> = {
  raw_blocks: "raw/blocks",
  raw_logs: "raw/logs",
  raw_transactions: "raw/transactions",
  decoded_logs: "decoded/logs",
};

/** Writes a dataset as Parquet files; returns the exit code. @throws ApiProblem, HttpError and ApiAnswerError of a server */
export async function syncDataset(
  kind: DatasetKind,
  args: SyncArguments,
  terminal: Terminal,
): Promise<number> {
  checkSyncArguments(args);
  const network = findNetwork(args.network);
  const source = await sourceOf(args, network, terminal);
  const contract = await contractOf(args.contractAddress, kind === "decoded_logs", terminal);
  const read =
    kind === "decoded_logs" ? await readDecoder(args.abi ?? [], contract, terminal.cwd) : undefined;
  const { version } = datasets[kind];
  const folder = join(args.out, network.name, places[kind] ?? kind, `v${version}`);
  const display = new SyncDisplay(terminal, () => performance.now());
  terminal.onWriting(true);
  try {
    const filled = await fillFolder(
      { kind, version, network, contract, ...read, from: args.fromBlock, to: args.toBlock },
      source.open,
      { patience: args.patience * 1000, blocksPerFile: args.blocksPerFile },
      openTableFiles(resolve(terminal.cwd, folder)),
      display,
      terminal.signal,
    );
    display.end();
    const what = `${network.name} ${kind}`;
    terminal.out(reportText(filled, what, visible(folder), source));
    return terminal.signal.aborted || filled.isLimited ? exitCodes.interrupted : exitCodes.clean;
  } catch (error) {
    display.end();
    if (terminal.signal.aborted && !(error instanceof StrangeFolderError)) return exitCodes.interrupted;
    return explain(error, folder, terminal);
  } finally {
    terminal.onWriting(false);
  }
}

/** Where the rows come from. */
interface RowSource {
  readonly open: OpenSource;
  readonly name: "node" | "server";
  readonly hasArchive: boolean;
}

/** Finds where the rows come from. @throws UsageError for options that contradict each other, or that are missing */
async function sourceOf(args: SyncArguments, network: SyncedNetwork, terminal: Terminal): Promise<RowSource> {
  if (args.server) {
    const { datasets: api } = await openSession(args, terminal);
    return {
      name: "server",
      hasArchive: false,
      open: (wanted, needs) => openServerSource(api, wanted, needs),
    };
  }
  const archive = archiveToRead(args, terminal);
  const url = args.offline ? undefined : findNode(args.rpc ?? [], args.network, network, terminal.env ?? {});
  const { verify, requestsPerSecond, maxRequests } = args;
  const history = findSources(args.source ?? [], [network.network], terminal.env ?? {}).get(network.network);
  const place = { url, archive, verify, history, requestsPerSecond, maxRequests };
  const open: OpenSource = (wanted, needs) => openNodeSource(place, wanted, needs);
  return { name: "node", hasArchive: archive !== undefined, open };
}

/** Reports why the files could not be written; returns the exit code. @throws every other error */
function explain(error: unknown, folder: string, terminal: Terminal): number {
  if (error instanceof StrangeFolderError) {
    terminal.err(
      `${visible(folder)} was not changed: ${visible(error.message)}.\nTo write to a different folder, pass --out.\n`,
    );
    return exitCodes.diagnostics;
  }
  if (error instanceof FolderInUseError || error instanceof NoLocksError) {
    const advice =
      error instanceof NoLocksError
        ? "Pass a folder on a local disk with --out."
        : "Wait until that process has ended, or pass another folder with --out.";
    terminal.err(`${visible(folder)} was not changed: ${visible(error.message)}.\n${advice}\n`);
    return exitCodes.diagnostics;
  }
  if (error instanceof RequestLimitError) {
    terminal.err(`Nothing was read: ${error.message} before the first file. Pass a higher --max-requests.\n`);
    return exitCodes.interrupted;
  }
  if (error instanceof ServerSourceError || error instanceof ChainError || error instanceof ReorgError) {
    terminal.err(`${visible(error.message)}\n`);
    return exitCodes.remote;
  }
  const { code, message, path } = error as NodeJS.ErrnoException;
  if (typeof code !== "string") throw error;
  const reason = Object.hasOwn(writeReasons, code)
    ? writeReasons[code as keyof typeof writeReasons]
    : message;
  // An archive may be on another disk.
  const what = path === undefined || path.startsWith(resolve(terminal.cwd, folder)) ? folder : path;
  terminal.err(`${visible(what)} cannot be written: ${visible(reason)}.\n`);
  return exitCodes.diagnostics;
}

function reportText(filled: Filled, what: string, folder: string, source: RowSource): string {
  const { from, to, rows, files, bytes, present, requests, leftOut, misfit } = filled;
  const lines = [
    `${what}, blocks ${from} to ${to}: ${count(rows, "row")} in ${count(files, "file")}, ${size(bytes)}, with ${count(requests, "request")} to the ${source.name}`,
    ...(present > 0 ? [`${count(present, "file")} of the range already existed`] : []),
    ...(filled.isLimited ? [`Stopped after ${count(requests, "request")}, as --max-requests says`] : []),
    ...(filled.missing > 0
      ? [`${count(filled.missing, "file")} still missing. ${continuation(filled, source.hasArchive)}`]
      : []),
    ...(leftOut > 0
      ? [`The node left out ${count(leftOut, "log")}, which graphloom found by other means`]
      : []),
    ...(misfit === undefined
      ? []
      : [
          `Some logs do not match their event in the ABI and were left out, such as one in block ${misfit}. Check which parameters the ABI marks as indexed.`,
        ]),
    folder,
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function continuation({ isLimited, files }: Filled, hasArchive: boolean): string {
  if (isLimited && files === 0 && !hasArchive)
    return "None was completed: pass a higher --max-requests, or --archive, which keeps parts of a file.";
  return "The same command continues.";
}
