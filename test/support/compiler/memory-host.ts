import { posix } from "node:path";
import type { FileRead, Host } from "../../../src/compiler/host.js";
import { createNodeHost } from "../../../src/machine/files/host.js";

/** Shared by all in-memory hosts, so that the sources of a package are read once. */
const real = createNodeHost({ cwd: "/" });

/**
 * A host whose files are all in memory. `-` is standard input, and a prefix of a path is a folder. Only packages and
 * templates are real files.
 */
export function memoryHost(
  files: Readonly<Record<string, string | Uint8Array>>,
): Host & { readonly reads: string[] } {
  const normal = (path: string): string => {
    if (path === "-") return path;
    const name = posix.normalize(path).replace(/^(\.?\/)+/, "");
    return name === "-" ? "./-" : name;
  };
  const contents = new Map(Object.entries(files).map(([path, content]) => [normal(path), content]));
  const reads: string[] = [];

  function read(path: string, limit: number): FileRead {
    const name = normal(path);
    const content = contents.get(name);
    if (content !== undefined) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      return bytes.length > limit ? { kind: "too-large", size: bytes.length } : { kind: "bytes", bytes };
    }
    const folder = name === "" || name === "." ? "" : `${name}/`.replace(/\/+$/, "/");
    const isFolder = [...contents.keys()].some((known) => known.startsWith(folder));
    return { kind: isFolder ? "directory" : "missing" };
  }

  return {
    reads,
    readFile: async (path, limit) => {
      reads.push(path);
      return read(path, limit);
    },
    filesUnder: async (folder, depth) => {
      const prefix =
        normal(folder) === "" || normal(folder) === "." ? "" : `${normal(folder).replace(/\/$/, "")}/`;
      const inside = [...contents.keys()].filter((path) => path.startsWith(prefix));
      const names = inside.map((path) => path.slice(prefix.length));
      return names.filter((name) => !name.startsWith("../") && name.split("/").length <= depth).sort();
    },
    resolveBeside: real.resolveBeside,
    packageSources: real.packageSources,
    readTemplate: real.readTemplate,
  };
}
