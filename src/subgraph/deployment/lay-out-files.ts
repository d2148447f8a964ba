import type { LinkRole } from "../manifest/links.js";

/** A file of a deployment that needs a path. */
export interface RemoteFile {
  /** Path of the link in the manifest: `dataSources[0].mapping.file`. */
  readonly place: string;
  readonly role: LinkRole;
  readonly cid: string;
}

/**
 * Assigns every file the path that it would have in a build folder. Names are untrusted: characters that are
 * unsafe in a path are replaced, and paths are unique even on a file system that ignores case.
 * @returns the paths, by place
 */
export function layOutFiles(files: readonly RemoteFile[]): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  const folders = new Names(["schema.graphql", "subgraph.yaml", "templates"]);
  const folderOf = new Map<string, string>();
  const filesIn = new Map<string, Names>();
  const wasms = new Map<string, string>();
  for (const { place, role, cid } of files) {
    if (role.kind === "schema") {
      paths.set(place, "schema.graphql");
      continue;
    }
    const owner = /^\w+\[\d+\]/.exec(place)?.[0] ?? place;
    const folder = folderOf.get(owner) ?? folders.add(role.source);
    folderOf.set(owner, folder);
    const names = filesIn.get(folder) ?? new Names([`${folder}.wasm`]);
    filesIn.set(folder, names);
    if (role.kind === "mapping") {
      const path = role.isTemplate ? `templates/${folder}/${folder}.wasm` : `${folder}/${folder}.wasm`;
      // As with `graph build`, sources that share a mapping share its file.
      const known = wasms.get(cid) ?? path;
      wasms.set(cid, known);
      paths.set(place, known);
    } else {
      const [name, extension] = role.kind === "abi" ? [role.name, ".json"] : ["file", ""];
      paths.set(place, `${folder}/${names.add(name, extension)}`);
    }
  }
  return paths;
}

/** The names taken in a folder. */
class Names {
  /** In lower case, since some file systems ignore case. */
  readonly #taken: Set<string>;

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken.map((name) => name.toLowerCase()));
  }

  /** A safe, unused name similar to the wanted one. */
  add(wanted: string, extension = ""): string {
    const base = safe(wanted);
    let name = `${base}${extension}`;
    for (let number = 2; this.#taken.has(name.toLowerCase()); number++)
      name = `${base}-${number}${extension}`;
    this.#taken.add(name.toLowerCase());
    return name;
  }
}

/** Keeps letters, digits, `_` and `-`; a name without any of them gets a default. */
function safe(name: string): string {
  const clean = name.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 100) || "unnamed";
  // Windows device names.
  return /^(?:|con|prn|aux|nul|com\d|lpt\d)$/i.test(clean) ? `${clean}_` : clean;
}
