import type { FileRead, Host } from "../host.js";
import { digest } from "./cache-key.js";

/** A file that was asked for, or what is in a folder. */
export type Asked = AskedFile | AskedFolder;

export interface AskedFile {
  /** As the host reads it. */
  readonly path: string;
  /** Most bytes to read. */
  readonly limit: number;
}

export interface AskedFolder {
  /** As the host reads it. */
  readonly folder: string;
  readonly depth: number;
}

/** What reading a file or a folder gave, with a digest in the place of what is in it. */
export type ReadOutcome =
  | { readonly kind: "bytes" | "names"; readonly sha256: string }
  | Exclude<FileRead, { readonly kind: "bytes" }>;

/** A host that reads every file and folder once, and remembers what it was asked for and what came of it. */
export interface RecordedHost extends Host {
  /** What was asked for, each thing once, in that order. */
  readonly asked: readonly Asked[];
  /** What reading these gives, or has given. They do not count as asked for. */
  outcomes(asked: readonly Asked[]): Promise<readonly ReadOutcome[]>;
}

/** Records what is read of a host. Standard input comes only once, so that what was read is given again. */
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
