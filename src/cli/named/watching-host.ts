import { resolve } from "node:path";
import type { Host } from "../../compiler/host.js";
import type { FileWatcher } from "../../node/watch.js";

/**
 * A host that watches the files it reads, except those of packages.
 * @param read receives their absolute paths
 * @param cwd absolute
 */
export function watchingHost(host: Host, watcher: FileWatcher, read: Set<string>, cwd: string): Host {
  return {
    ...host,
    readFile(path, limit) {
      const absolute = resolve(cwd, path);
      if (!absolute.includes("/node_modules/")) {
        read.add(absolute);
        watcher.note(absolute);
      }
      return host.readFile(path, limit);
    },
  };
}
