import { resolve } from "node:path";
import type { Host } from "../compiler/host.js";

/** A host that remembers which files it has read. */
export interface NotedHost extends Host {
  /** Absolute paths of the files whose bytes were read, as they were asked for. */
  readonly inputs: ReadonlySet<string>;
}

/** Where what comes in as standard input may be a file. */
const standardInput = "/dev/stdin";

/**
 * Notes what is read of a host.
 * @param cwd the folder relative paths start from
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
