import { resolve } from "node:path";
import type { Host } from "../../compiler/host.js";

/** A host that records which files were read. */
export interface NotedHost extends Host {
  /** Absolute paths of the files that were read, as requested. */
  readonly inputs: ReadonlySet<string>;
}

/** Standard input may be a redirected file. */
const standardInput = "/dev/stdin";

/**
 * Wraps a host to record the files that it reads.
 * @param cwd working directory
 */
export function noteReads(host: Host, cwd: string): NotedHost {
  const inputs = new Set<string>();
  return {
    inputs,
    async readFile(path, limit) {
      const read = await host.readFile(path, limit);
      if (read.kind === "bytes") inputs.add(path === "-" ? standardInput : resolve(cwd, path));
      return read;
    },
    ...(host.filesUnder && { filesUnder: host.filesUnder }),
    resolveBeside: (file, relative) => host.resolveBeside(file, relative),
    packageSources: (name) => host.packageSources(name),
    readTemplate: (name) => host.readTemplate(name),
  };
}
