import { parseForm } from "../server/multipart-form.js";
import {
  type DoubleAnswer,
  type DoubleServer,
  json,
  type ReceivedRequest,
  startDouble,
} from "./double-server.js";
import { type ImportOptions, importedCid, importedEntries } from "./ipfs-importer.js";

/** A small IPFS node: the parts of Kubo's interface that a deployment uses, and a gateway. Its hashes are real. */
export interface IpfsDouble extends DoubleServer {
  /** Its files, by hash. */
  readonly held: ReadonlyMap<string, Uint8Array>;
  readonly pinned: ReadonlySet<string>;
  /** All added files, in order, with the file names as received. */
  readonly added: readonly AddedFile[];
  /** Adds a file. @returns its hash */
  put(content: string | Uint8Array, options?: Partial<ImportOptions>): Promise<string>;
  forget(cid: string): void;
  /** Returns a file other than the requested one. */
  lie(about: (cid: string, bytes: Uint8Array) => Uint8Array): void;
  /** Returns a wrong hash for an added file. */
  misname(about: (cid: string) => string): void;
  /** Whether it pins files added with `pin=true`; true by default. */
  pinsOnAdd: boolean;
}

export interface AddedFile {
  readonly filename: string;
  readonly cid: string;
  readonly bytes: Uint8Array;
}

/** Starts an IPFS node on a free port, its interface under `/api/v0` and its gateway under `/ipfs`. */
export async function startIpfsDouble(): Promise<IpfsDouble> {
  const held = new Map<string, Uint8Array>();
  const pinned = new Set<string>();
  const added: AddedFile[] = [];
  let lie = (_: string, bytes: Uint8Array): Uint8Array => bytes;
  let misname = (cid: string): string => cid;

  async function add(request: ReceivedRequest): Promise<DoubleAnswer> {
    const parts = parseForm(request.body, request.headers["content-type"]);
    const lines: object[] = [];
    for (const { filename = "", bytes } of parts.filter(({ name }) => name === "file")) {
      const [file, ...folders] = await importedEntries(
        decodeURIComponent(filename),
        bytes,
        optionsOf(request.query),
      );
      if (!file) throw new Error("the importer gave nothing");
      held.set(file.cid, bytes);
      added.push({ filename: decodeURIComponent(filename), cid: file.cid, bytes });
      if (double.pinsOnAdd && request.query.get("pin") !== "false") pinned.add(file.cid);
      const line = (entry: typeof file, cid: string): object => ({
        Name: entry.path,
        Hash: cid,
        Size: `${entry.size}`,
      });
      lines.push(line(file, misname(file.cid)), ...folders.map((folder) => line(folder, folder.cid)));
    }
    return {
      status: 200,
      body: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
      type: "application/json",
    };
  }

  const pin = (cid: string): DoubleAnswer => {
    if (!held.has(cid))
      return refusal(`pin: block was not found locally (offline): ipld: could not find ${cid}`);
    pinned.add(cid);
    return json({ Pins: [cid] });
  };

  const serve = (cid: string): DoubleAnswer => {
    const bytes = held.get(cid);
    if (!bytes) return { status: 404, body: `ipld: could not find ${cid}\n`, type: "text/plain" };
    return { status: 200, body: lie(cid, bytes), type: "application/octet-stream" };
  };

  async function answer(request: ReceivedRequest): Promise<DoubleAnswer> {
    const { method, path, query } = request;
    if (path.startsWith("/ipfs/") && method === "GET") return serve(path.slice("/ipfs/".length));
    if (!path.startsWith("/api/v0/")) return { status: 404, body: "404 page not found\n" };
    if (method !== "POST") return { status: 405, body: "405 - Method Not Allowed\n" };
    const cid = (query.get("arg") ?? "").replace(/^\/ipfs\//, "");
    if (path === "/api/v0/add") return add(request);
    if (path === "/api/v0/version") return json({ Version: "0.32.1", Commit: "", Repo: "16" });
    if (path === "/api/v0/cat") return held.has(cid) ? serve(cid) : refusal(`block ${cid} not found`);
    if (path === "/api/v0/pin/add") return pin(cid);
    if (path === "/api/v0/pin/ls") {
      if (!pinned.has(cid)) return refusal(`path '${cid}' is not pinned`);
      return json({ Keys: { [cid]: { Type: "recursive", Name: "" } } });
    }
    return { status: 404, body: "404 page not found\n" };
  }

  const server = await startDouble(answer);
  const double: IpfsDouble = {
    ...server,
    held,
    pinned,
    added,
    pinsOnAdd: true,
    async put(content, options) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      const cid = await importedCid(bytes, options);
      held.set(cid, bytes);
      return cid;
    },
    forget: (cid) => void held.delete(cid),
    lie: (next) => {
      lie = next;
    },
    misname: (next) => {
      misname = next;
    },
  };
  return double;
}

/** The chunking of a file that a request specifies. */
function optionsOf(query: URLSearchParams): Partial<ImportOptions> {
  const cidVersion = query.get("cid-version") === "1" ? 1 : 0;
  const rawLeaves = query.get("raw-leaves");
  const chunkSize = /^size-(\d+)$/.exec(query.get("chunker") ?? "")?.[1];
  return {
    cidVersion,
    // Version 1 has raw leaves unless the request says otherwise.
    rawLeaves: rawLeaves === null ? cidVersion === 1 : rawLeaves === "true",
    ...(chunkSize !== undefined && { chunkSize: Number(chunkSize) }),
  };
}

function refusal(message: string): DoubleAnswer {
  return json({ Message: message, Code: 0, Type: "error" }, 500);
}
