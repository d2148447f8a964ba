import type { FileRead, Host } from "../host.js";
import { digest } from "./cache-key.js";

/** A recorded read of a file or of a folder's listing. */
export type Asked = AskedFile | AskedFolder;

export interface AskedFile {
  readonly path: string;
  /** Size limit in bytes. */
  readonly limit: number;
}

export interface AskedFolder {
  /** Path for the host. */
  readonly folder: string;
  readonly depth: number;
}

/** The outcome of a read, with a digest instead of the content. */
export type ReadOutcome =
  | { readonly kind: "bytes" | "names"; readonly sha256: string }
  | Exclude<FileRead, { readonly kind: "bytes" }>;

/** A host that performs each read once, and records it. */
export interface RecordedHost extends Host {
  /** The distinct recorded reads, in order. */
  readonly asked: readonly Asked[];
  /** Performs reads or returns their earlier outcomes, without recording them. */
  outcomes(asked: readonly Asked[]): Promise<readonly ReadOutcome[]>;
}

/** Records the reads of a host. Keeps the content of standard input, which can be read only once. */
export function recordHost(host: Host): RecordedHost {
  const files = new Map<string, Promise<FileRead>>();
  const folders = new Map<string, Promise<readonly string[]>>();
  const asked = new Map<string, Asked>();

  function read({ path, limit }: AskedFile): Promise<FileRead> {
    const key = `${limit} ${path}`;
    const known = files.get(key) ?? host.readFile(path, limit);
    files.set(key, known);
    return known;
  }

  function look({ folder, depth }: AskedFolder): Promise<readonly string[]> {
    const key = `${depth} ${folder}`;
    const known = folders.get(key) ?? host.filesUnder?.(folder, depth) ?? Promise.resolve([]);
    folders.set(key, known);
    return known;
  }

  return {
    get asked() {
      return [...asked.values()];
    },
    outcomes: (all) =>
      Promise.all(
        all.map(async (one) => ("folder" in one ? namesIn(await look(one)) : outcomeOf(await read(one)))),
      ),
    readFile(path, limit) {
      const file = { path, limit };
      asked.set(`file ${limit} ${path}`, file);
      return read(file);
    },
    ...(host.filesUnder && {
      filesUnder(folder: string, depth: number) {
        const one = { folder, depth };
        asked.set(`folder ${depth} ${folder}`, one);
        return look(one);
      },
    }),
    resolveBeside: (file, relative) => host.resolveBeside(file, relative),
    packageSources: (name) => host.packageSources(name),
    readTemplate: (name) => host.readTemplate(name),
  };
}

function outcomeOf(read: FileRead): ReadOutcome {
  return read.kind === "bytes" ? { kind: "bytes", sha256: digest(read.bytes) } : read;
}

function namesIn(paths: readonly string[]): ReadOutcome {
  return { kind: "names", sha256: digest(new TextEncoder().encode(paths.join("\0"))) };
}
