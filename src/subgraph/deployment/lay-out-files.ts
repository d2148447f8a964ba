import type { LinkRole } from "../manifest/links.js";

/** A file of a deployment, to be given a path. */
export interface RemoteFile {
  /** Where the manifest refers to it. */
  readonly place: string;
  readonly role: LinkRole;
  readonly cid: string;
}

/**
 * Gives every file the path it would have in a build folder. Names are foreign: whatever no path may hold is
 * replaced, and no two files get paths that a file system could take for the same.
 * @returns path by place
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
      // As `graph build` does it, one file for all who share a mapping.
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

/** Names of files in one folder. */
class Names {
  /** In lower case: some file systems do not tell cases apart. */
  readonly #taken: Set<string>;

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken.map((name) => name.toLowerCase()));
  }

  /** A name that is like the given one, safe and free. */
  add(wanted: string, extension = ""): string {
    const base = safe(wanted);
    let name = `${base}${extension}`;
    for (let number = 2; this.#taken.has(name.toLowerCase()); number++)
      name = `${base}-${number}${extension}`;
    this.#taken.add(name.toLowerCase());
    return name;
  }
}

/** Letters, digits, `_` and `-` stay; a name of nothing else becomes one that is. */
function safe(name: string): string {
  const clean = name.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 100) || "unnamed";
  // A device on Windows.
  return /^(?:|con|prn|aux|nul|com\d|lpt\d)$/i.test(clean) ? `${clean}_` : clean;
}
