import multipart, { type MultipartFile } from "@fastify/multipart";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ByteShares } from "../../base/turns/byte-shares.js";
import { FairTurns } from "../../base/turns/fair-turns.js";
import { largestFile } from "../../deploy/ipfs/largest-file.js";
import { addedFile, isCidV0 } from "../../web/ipfs/cid.js";
import { anyone } from "../endpoints/scope.js";
import { acceptTexts } from "../http/accept-texts.js";
import { logFailure, problemOf, type Routes } from "../http/app.js";
import { goneOf } from "../http/limits/gone-of.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { downloadLimits, readDeployedFile } from "../subgraphs/downloads/deployed-files.js";
import type { DoorCallers } from "./door-callers.js";
import { hasFile, keepFile, type Owner, readFile } from "./door-files.js";
import { type DoorLimits, refuseForeignPages } from "./door-limits.js";

/** The API of kubo, the usual IPFS node. */
const base = "/api/v0";
/** The version of kubo that these answers imitate. */
const version = {
  Version: "0.32.1",
  Commit: "",
  Repo: "16",
  System: "amd64/linux",
  Golang: "go1.23.3",
} as const;
/** The most files of one upload. */
const mostFiles = 100;
/** Options of `add` that could change the CID, with the values that do not. */
const plainOptions: ReadonlyMap<string, string> = new Map([
  ["cid-version", "0"],
  ["raw-leaves", "false"],
  ["trickle", "false"],
  ["inline", "false"],
  ["wrap-with-directory", "false"],
  ["chunker", "size-262144"],
  ["hash", "sha2-256"],
]);
/** The most bytes of uploads in memory. */
const memoryLimits = {
  all: 4 * largestFile,
  one: 2 * largestFile,
  refusal: "Too many bytes are being uploaded. Wait for the other uploads, then try again.",
};

/** The port of an IPFS node, with what tools need to deploy: `add`, `pin/add`, `cat` and `version`. */
export function ipfsDoor(
  { database, memory }: Pick<Platform, "database" | "memory">,
  callers: DoorCallers,
  limits: DoorLimits,
): Routes {
  const uploads = new ByteShares(memoryLimits);
  const downloads = new FairTurns(downloadLimits);
  /** A file of the readers' deployments, however they were deployed. */
  const fileOfDeployment = async (
    readers: readonly Owner[],
    request: FastifyRequest,
    cid: string,
  ): Promise<Uint8Array | undefined> => {
    for (const reader of readers) {
      if (!("project" in reader)) continue;
      const read = async (): Promise<Uint8Array | undefined> => {
        memory?.require();
        return readDeployedFile(database, reader.project, cid);
      };
      const found = await downloads.run(reader.project, read, goneOf(request));
      if (found) return found;
    }
    return undefined;
  };

  const add = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    checkOptions(queryOf(request));
    if (!request.isMultipart()) throw new Problem("bad-request", "file argument 'path' is required");
    memory?.require();
    const owner = await callers.uploader(request);
    const asker = "project" in owner ? owner.project : `client ${owner.client}`;
    const isKept = queryOf(request).get("only-hash") !== "true";
    const lines = await uploads.hold(asker, sizeOf(request), async () => {
      const said: string[] = [];
      for await (const part of request.files()) {
        if (part.mimetype === "application/x-directory") {
          part.file.resume();
          continue;
        }
        said.push(await addPart(part, owner, isKept));
      }
      return said;
    });
    if (lines.length === 0) throw new Problem("bad-request", "file argument 'path' is required");
    return reply.header("content-type", "application/json").send(Buffer.from(lines.join("")));
  };

  const addPart = async (part: MultipartFile, owner: Owner, isKept: boolean): Promise<string> => {
    const bytes = await part.toBuffer();
    if (part.file.truncated) {
      throw new Problem("too-large", `A file can have at most ${largestFile.toLocaleString("en")} bytes`);
    }
    const { cid, totalSize } = addedFile(bytes);
    if (isKept) await keepFile(database, owner, { cid, bytes });
    return `${JSON.stringify({ Name: fileName(part.filename) ?? cid, Hash: cid, Size: String(totalSize) })}\n`;
  };

  const cat = async (request: FastifyRequest, reply: FastifyReply, arg: string): Promise<FastifyReply> => {
    const readers = await callers.readers(request);
    const cid = cidIn(arg);
    const bytes = (await readFile(database, readers, cid)) ?? (await fileOfDeployment(readers, request, cid));
    if (!bytes) throw notFound(`block was not found locally (offline): ipld: could not find ${cid}`);
    return reply.header("content-type", "application/octet-stream").send(Buffer.from(bytes));
  };

  const pin = async (request: FastifyRequest): Promise<{ readonly Pins: readonly string[] }> => {
    const cids = queryOf(request).getAll("arg").map(cidIn);
    if (cids.length === 0) throw missingArgument();
    const readers = callers.isOpen ? await callers.readers(request) : [await callers.uploader(request)];
    for (const cid of cids) {
      if (await hasFile(database, readers, cid)) continue;
      throw notFound(`pin: block was not found locally (offline): ipld: could not find ${cid}`);
    }
    return { Pins: cids };
  };

  return async (app: FastifyInstance) => {
    acceptTexts(app);
    await app.register(multipart, {
      limits: {
        fileSize: largestFile,
        files: mostFiles,
        fields: 20,
        fieldSize: 1_000,
        parts: mostFiles + 20,
      },
      throwFileSizeLimit: false,
    });
    app.setErrorHandler((error: unknown, request, reply) => sendError(error, request, reply));
    app.addHook("onRequest", refuseForeignPages);
    app.addHook("onRequest", limits.count);
    app.post(`${base}/add`, { config: anyone, bodyLimit: largestBody }, add);
    app.post(`${base}/pin/add`, { config: anyone }, async (request, reply) =>
      sendJson(reply, await pin(request)),
    );
    app.post(`${base}/cat`, { config: anyone }, async (request, reply) =>
      cat(request, reply, argumentOf(request)),
    );
    app.route({
      method: ["GET", "POST"],
      url: `${base}/version`,
      config: anyone,
      exposeHeadRoute: false,
      handler: async (_, reply) => sendJson(reply, version),
    });
    // graph-node treats a server that answers HEAD as a gateway, and then does not use the API.
    app.get<{ Params: { readonly cid: string } }>(
      "/ipfs/:cid",
      { config: anyone, exposeHeadRoute: false },
      async (request, reply) => cat(request, reply, request.params.cid),
    );
    app.all("/*", { config: anyone }, async ({ method, url }, reply) => {
      const isKnown = /^\/api\/v0\/(?:add|cat|pin\/add)(?:\?|$)/.test(url) && method !== "POST";
      return isKnown
        ? reply
            .status(405)
            .header("allow", "OPTIONS, POST")
            .type("text/plain")
            .send("405 - Method Not Allowed\n")
        : reply.status(404).type("text/plain").send("404 page not found\n");
    });
  };
}

/** The most bytes in the body of `add`. */
const largestBody = mostFiles * largestFile;

function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URL(url, "http://localhost").searchParams;
}

function argumentOf(request: FastifyRequest): string {
  const arg = queryOf(request).get("arg");
  if (arg === null) throw missingArgument();
  return arg;
}

function missingArgument(): Problem {
  return new Problem("bad-request", 'argument "ipfs-path" is required');
}

/** @param path `Qm…`, `/ipfs/Qm…` or `ipfs/Qm…` @throws Problem for anything else */
function cidIn(path: string): string {
  const [cid = "", ...below] = path.replace(/^(?:\/?ipfs\/|ipfs:\/\/)/, "").split("/");
  if (!isCidV0(cid)) throw notFound(`invalid path ${JSON.stringify(path.slice(0, 200))}: invalid CID`);
  if (below.some((part) => part !== "")) {
    throw notFound(`no link named ${JSON.stringify(below[0])} under ${cid}`);
  }
  return cid;
}

/** kubo's answer with status 500. */
function notFound(message: string): NodeError {
  return new NodeError(message);
}

/** A failure of an IPFS node, which always has the status 500. */
class NodeError extends Error {
  override readonly name = "NodeError";
}

/** @throws Problem for options that would change the CID */
function checkOptions(query: URLSearchParams): void {
  for (const [option, value] of plainOptions) {
    const given = query.get(option);
    if (given === null || given === value) continue;
    throw new Problem("bad-request", `${option}=${given.slice(0, 100)} is not supported: leave it out`);
  }
}

/** The name of a file as kubo reports it. Clients send it URI-encoded. */
function fileName(filename: string | undefined): string | undefined {
  if (!filename) return undefined;
  try {
    return decodeURIComponent(filename);
  } catch (error) {
    if (error instanceof URIError) return filename;
    throw error;
  }
}

/** Bytes of an upload in memory: files are kept one by one, and chunked requests do not say how large they are. */
function sizeOf({ headers }: FastifyRequest): number {
  return Math.min(Number(headers["content-length"] ?? largestFile), largestFile);
}

function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  return reply.header("content-type", "application/json").send(Buffer.from(`${JSON.stringify(value)}\n`));
}

/** Answers with the JSON whose message every client shows. */
function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof NodeError) return sendFailure(reply, 500, error.message);
  const problem = problemOf(error);
  logFailure(request, problem, error);
  if (problem.retryAfter !== undefined) reply.header("retry-after", String(problem.retryAfter));
  const isAuth =
    problem.type === "unauthorized" || (problem.type === "forbidden" && request.headers.authorization);
  const message = isAuth ? `auth failure: ${problem.message}` : problem.message;
  return sendFailure(reply, problem.status, message);
}

function sendFailure(reply: FastifyReply, status: number, message: string): FastifyReply {
  return sendJson(reply.status(status), { Message: message, Code: 0, Type: "error" });
}
