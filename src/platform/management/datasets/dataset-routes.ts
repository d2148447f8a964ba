import type { FastifyInstance, FastifyRequest } from "fastify";
import { datasetOperations, fileHeaders, type ServedDatasetChain } from "../../../api/dataset-operations.js";
import { parquetMedia } from "../../../api/extension.js";
import {
  type DatasetSource,
  type ServedChain,
  UnreadableChainError,
} from "../../../hosting/datasets/dataset-source.js";
import type { WantedFile } from "../../../hosting/datasets/messages.js";
import {
  datasetsOf,
  mostBlocksOf,
  servedChain,
  servedDataset,
  UnservedError,
} from "../../../hosting/datasets/served-datasets.js";
import { addExtension, type ExtensionAsk } from "../../http/add-extension.js";
import { goneOf } from "../../http/limits/gone-of.js";
import { LateError, withinPatience } from "../../http/limits/in-time.js";
import { callerOf } from "../../http/roles.js";
import type { Platform } from "../../platform.js";
import { type FieldError, Problem } from "../../problem.js";
import { type DeskLimits, type DeskWords, WorkDesk } from "../../work-desk.js";
import { type FileLimits, makeDatasetFile, usualFileLimits } from "./make-dataset-file.js";

/** Limits that differ from the defaults. */
export interface DatasetLimits {
  readonly files?: Partial<DeskLimits>;
  readonly file?: Partial<FileLimits>;
}

const usualLimits: DeskLimits = { perCaller: 2, total: 4 };
/** How refusals speak of files. */
const fileWords: DeskWords = {
  does: (most) => `makes at most ${most} files of datasets`,
  other: "one",
  retryAfter: 5,
};

/**
 * The routes of datasets. Without a source, they explain how an operator turns them on.
 * @param source `undefined` if the server offers no files
 */
export function datasetRoutes(
  app: FastifyInstance,
  platform: Platform,
  source: DatasetSource | undefined,
  limits: DatasetLimits = {},
): void {
  const desk = new WorkDesk({ ...usualLimits, ...limits.files }, fileWords);
  const fileLimits = { ...usualFileLimits, ...limits.file };

  addExtension(app, datasetOperations.listDatasets, { role: "Viewer" }, async ({ query, request }) => {
    const own = turnedOn(source);
    const chains =
      query.chain === undefined
        ? [...own.chains.values()]
        : [found(() => servedChain(own.chains, query.chain))];
    return { data: await Promise.all(chains.map((chain) => describe(own, chain, platform, request))) };
  });

  addExtension(app, datasetOperations.getDatasetFile, { role: "Viewer" }, async (ask) => {
    const own = turnedOn(source);
    const wanted = wantedFile(own, ask);
    const caller = callerOf(ask.request);
    const { bytes, day, identity } = await desk.run(caller, () =>
      makeDatasetFile(own, wanted, caller, platform, fileLimits, goneOf(ask.request)),
    );
    const name = [wanted.from, wanted.to].map((block) => String(block).padStart(10, "0")).join("-");
    void ask.reply
      .type(parquetMedia)
      .header("content-disposition", `attachment; filename="${name}.parquet"`)
      .header("x-content-type-options", "nosniff")
      .header(fileHeaders.day, day)
      .header(fileHeaders.chainId, identity.chainId)
      .header(fileHeaders.firstBlock, identity.first?.hash ?? "");
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  });
}

/** @throws Problem `not-found` when the server makes no files */
function turnedOn(source: DatasetSource | undefined): DatasetSource {
  if (source) return source;
  throw new Problem(
    "not-found",
    "This server makes no files of datasets. Its operator can turn that on: graphloom serve --datasets",
  );
}

/** @throws Problem `not-found` if the server does not have it */
function found<Result>(look: () => Result): Result {
  try {
    return look();
  } catch (error) {
    if (error instanceof UnservedError) throw new Problem("not-found", error.message);
    throw error;
  }
}

/** A chain and its datasets, without its nodes' facts if they do not answer. */
async function describe(
  source: DatasetSource,
  chain: ServedChain,
  { world }: Platform,
  { log }: FastifyRequest,
): Promise<ServedDatasetChain> {
  const reading = await withinPatience(world, () => source.read(chain)).catch((error: unknown) => {
    if (!(error instanceof UnreadableChainError || error instanceof LateError)) throw error;
    log.warn(`The nodes of ${chain.name} cannot be read: ${error.message}`);
    return undefined;
  });
  return {
    chain: chain.name,
    chain_id: reading?.identity.chainId ?? null,
    first_block: reading?.identity.first ?? null,
    newest_block: reading?.newest ?? null,
    final_block: reading?.final ?? null,
    datasets: datasetsOf(chain).map(({ name, kind, version }) => ({
      name,
      version,
      most_blocks: mostBlocksOf(kind, false),
      ...(kind === "raw_logs" && { most_blocks_of_contract: mostBlocksOf(kind, true) }),
    })),
  };
}

/** @throws Problem for an unknown dataset, and for a range that no file may have */
function wantedFile(source: DatasetSource, { path, query }: ExtensionAsk): WantedFile {
  const { chain, kind } = found(() => servedDataset(source.chains, String(path.dataset)));
  const { from_block: from, to_block: to, contract_address: contract } = query;
  const most = mostBlocksOf(kind, contract !== undefined);
  const errors: FieldError[] = [];
  if (to < from) errors.push({ field: "to_block", message: "must not be before from_block" });
  else if (to - from + 1 > most)
    errors.push({ field: "to_block", message: `must be at most ${most} blocks after from_block` });
  if (contract !== undefined && kind !== "raw_logs")
    errors.push({ field: "contract_address", message: "is for raw_logs only" });
  if (errors.length > 0)
    throw new Problem(
      "bad-request",
      `The query has invalid fields: ${errors.map(({ field }) => field).join(", ")}.`,
      {
        errors,
      },
    );
  return {
    kind,
    network: chain.nodes,
    chainId: chain.chainId,
    from,
    to,
    contract: contract?.toLowerCase(),
  };
}
