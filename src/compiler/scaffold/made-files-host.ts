import { posix } from "node:path";
import type { Host } from "../host.js";

/**
 * A host that serves files from memory and hides the disk. Packages and templates come from the underlying
 * host.
 */
export function madeFilesHost(files: ReadonlyMap<string, string>, host: Host): Host {
  return {
    readFile: async (path) => {
      const text = files.get(path);
      return text === undefined
        ? { kind: "missing" }
        : { kind: "bytes", bytes: new TextEncoder().encode(text) };
    },
    resolveBeside: (file, relative) => posix.join(posix.dirname(file), relative),
    packageSources: (name) => host.packageSources(name),
    readTemplate: (name) => host.readTemplate(name),
  };
}
