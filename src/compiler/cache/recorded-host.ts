import type { FileRead, Host } from "../host.js";
import { digest } from "./cache-key.js";

/** A file that was asked for. */
export interface AskedFile {
  /** As the host reads it. */
  readonly path: string;
  /** Most bytes to read. */
  readonly limit: number;
}

/** What reading a file gave, with a digest in the place of its bytes. */
export type ReadOutcome =
  | { readonly kind: "bytes"; readonly sha256: string }
  | Exclude<FileRead, { readonly kind: "bytes" }>;

/** A host that reads every file once, and remembers what it was asked for and what came of it. */
export interface RecordedHost extends Host {
  /** The files that were asked for, each once, in that order. */
  readonly asked: readonly AskedFile[];
  /** What reading these files gives, or has given. They do not count as asked for. */
  outcomes(files: readonly AskedFile[]): Promise<readonly ReadOutcome[]>;
}

/** Records what is read of a host. Standard input comes only once, so that what was read is given again. */
export function recordHost(host: Host): RecordedHost {
  const reads = new Map<string, Promise<FileRead>>();
  const asked = new Map<string, AskedFile>();
  const identify = ({ path, limit }: AskedFile): string => `${limit} ${path}`;

  function read(file: AskedFile): Promise<FileRead> {
    const known = reads.get(identify(file)) ?? host.readFile(file.path, file.limit);
    reads.set(identify(file), known);
    return known;
  }

  return {
    get asked() {
      return [...asked.values()];
    },
    outcomes: (files) => Promise.all(files.map(async (file) => outcomeOf(await read(file)))),
    readFile(path, limit) {
      const file = { path, limit };
      asked.set(identify(file), file);
      return read(file);
    },
    resolveBeside: (file, relative) => host.resolveBeside(file, relative),
    packageSources: (name) => host.packageSources(name),
    readTemplate: (name) => host.readTemplate(name),
  };
}

function outcomeOf(read: FileRead): ReadOutcome {
  return read.kind === "bytes" ? { kind: "bytes", sha256: digest(read.bytes) } : read;
}
