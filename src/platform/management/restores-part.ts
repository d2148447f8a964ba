import type { FastifyInstance, FastifyRequest } from "fastify";
import { largestOffer, largestPiece, restoreOperations } from "../../api/dump-operations.js";
import { parquetMedia } from "../../api/extension.js";
import { ByteShares } from "../../base/turns/byte-shares.js";
import { type RestoreLimits, RestoreTaker, usualRestoreLimits } from "../dumps/take-restore.js";
import { addExtension, type ExtensionAsk } from "../http/add-extension.js";
import { acceptEmptyJson } from "../http/limits/json-bodies.js";
import { callerOf } from "../http/roles.js";
import { Problem } from "../problem.js";
import type { ServerPart } from "../server-part.js";

/** Bytes of pieces in memory. */
const pieceLimits = {
  all: 4 * largestPiece,
  one: 2 * largestPiece,
  refusal: "Too many bytes of restores are being received. Wait for the others, then try again.",
};

/** The server part that restores dumps which clients send. @param options.isOn whether the operator allows it */
export function restoresPart({
  isOn,
  limits,
}: {
  readonly isOn: boolean;
  readonly limits?: Partial<RestoreLimits>;
}): ServerPart {
  return (platform) => {
    const taker = new RestoreTaker(platform, { ...usualRestoreLimits, ...limits }, isOn);
    return {
      routes: (app) => {
        acceptEmptyJson(app, largestOffer);
        // The route reads it, once its bytes have a share of the memory.
        app.addContentTypeParser(parquetMedia, (_, __, done) => done(null, undefined));
        app.addHook("preClose", async () => taker.close());
        takeRestores(app, taker);
      },
    };
  };
}

function takeRestores(app: FastifyInstance, taker: RestoreTaker): void {
  const shares = new ByteShares(pieceLimits);
  addExtension(app, restoreOperations.beginRestore, { role: "Owner" }, async ({ body, request }) => {
    const { deployment, network, isContinued, tables } = await taker.begin(callerOf(request), body);
    return {
      data: {
        deployment,
        network,
        continued: isContinued,
        tables: tables.map(({ name, lastVid }) => ({ name, last_vid: String(lastVid) })),
      },
    };
  });
  addExtension(app, restoreOperations.addRestoreRows, { role: "Owner" }, async ({ path, query, request }) => {
    const caller = callerOf(request);
    await shares.hold(caller.project, sizeOf(request), async () => {
      const bytes = await readPiece(request);
      await taker.add(caller, path.deployment ?? "", { ...pieceOf(query), bytes });
    });
  });
  addExtension(app, restoreOperations.completeRestore, { role: "Owner" }, async ({ path, request }) => {
    const fail = (error: unknown): void => request.log.error(error, "a restore could not be completed");
    const isDone = await taker.complete(callerOf(request), path.deployment ?? "", fail);
    return { data: { state: isDone ? "done" : "running" } };
  });
}

function pieceOf({ table, form, first, rows, min_vid: minVid, max_vid: maxVid }: ExtensionAsk["query"]) {
  return { table, form, isFirst: first === 1, rows, minVid: BigInt(minVid), maxVid: BigInt(maxVid) };
}

/** The bytes of the body; the most if the request does not say. @throws Problem if they are too many, or no file */
function sizeOf({ headers }: FastifyRequest): number {
  if (headers["content-type"] !== parquetMedia)
    throw new Problem("unsupported-media-type", `Send ${parquetMedia}.`);
  const size = Number(headers["content-length"] ?? largestPiece);
  if (size > largestPiece) throw tooLarge();
  return size;
}

/** @throws Problem if there are more bytes than allowed */
async function readPiece({ raw }: { readonly raw: AsyncIterable<Buffer> }): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of raw) {
    size += chunk.length;
    if (size > largestPiece) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(): Problem {
  return new Problem("too-large", `A piece has at most ${largestPiece.toLocaleString("en")} bytes.`);
}
