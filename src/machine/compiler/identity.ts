import { createHash, type Hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { arch, versions } from "node:process";
import { fileURLToPath } from "node:url";

/** The wings whose code takes part in a compilation or in the cache. */
export const ownParts: readonly string[] = ["base", "chains", "compiler", "machine"];

const graphTsName = "@graphprotocol/graph-ts";

/** The packages whose code a compilation runs, with their importers if other than graphloom. */
export const packagesInUse: readonly (readonly [name: string, importer?: string])[] = [
  [graphTsName],
  ["ajv"],
  ["assemblyscript"],
  ["binaryen", "assemblyscript"],
  ["ethers"],
  ["graphql"],
  ["handlebars"],
  ["ts-morph"],
  ["@ts-morph/common", "ts-morph"],
  ["yaml"],
];

const here = fileURLToPath(import.meta.url);
const code = dirname(dirname(dirname(here)));
const root = dirname(code);
/** Packages that the build makes a part of graphloom. */
const shipped = join(code, "packages");

let known: string | undefined;

/**
 * A digest of everything that affects a compilation: graphloom's own code, its templates and schema, the
 * packages it runs, and Node's serialization format. Independent of where it is installed. Computed once, in
 * about 10 ms.
 */
export function codeIdentity(): string {
  known ??= digestOfAll();
  return known;
}

function digestOfAll(): string {
  const hash = createHash("sha256");
  hash.update(`${versions.node.split(".")[0]} ${arch}\n`);
  addCode(code, extname(here), hash);
  addFiles(join(root, "templates"), "templates", ".hbs", hash);
  addFile(join(root, "schemas", "config-v1.schema.json"), "schema", hash);
  const folders = new Map<string, string>();
  for (const [name, importer] of packagesInUse) {
    if (existsSync(join(shipped, name))) continue;
    const folder = folderOf(
      name,
      importer === undefined ? here : join(folders.get(importer) ?? root, "package.json"),
    );
    if (folder === undefined) continue;
    folders.set(name, folder);
    addFile(join(folder, "package.json"), name, hash);
  }
  // Its source code becomes part of every build, and no other dependency's files are read as data.
  const graphTs = folders.get(graphTsName) ?? join(shipped, graphTsName);
  if (existsSync(graphTs)) addFiles(graphTs, "graph-ts", ".ts", hash);
  // Modules of both kinds, .js and .cjs.
  if (existsSync(shipped)) addFiles(shipped, "packages", "js", hash);
  return hash.digest("hex");
}

function addCode(folder: string, ending: string, hash: Hash): void {
  for (const part of ownParts) addFiles(join(folder, part), part, ending, hash);
}

const foreign = new Set(["node_modules", "test"]);

/** Adds the files with an extension, in a folder and its subfolders, to a digest. */
function addFiles(folder: string, name: string, ending: string, hash: Hash): void {
  for (const entry of namesIn(folder)) {
    const path = join(folder, entry.name);
    const inside = `${name}/${entry.name}`;
    if (entry.isDirectory() && !foreign.has(entry.name)) addFiles(path, inside, ending, hash);
    else if (entry.isFile() && entry.name.endsWith(ending)) addFile(path, inside, hash);
  }
}

function addFile(path: string, name: string, hash: Hash): void {
  const bytes = readFileSync(path);
  hash.update(`${name} ${bytes.length}\n`).update(bytes);
}

function namesIn(folder: string) {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The folder of the package that an importer resolves. */
function folderOf(name: string, importer: string): string | undefined {
  const folders = createRequire(importer).resolve.paths(name) ?? [];
  const folder = folders.find((one) => existsSync(join(one, name, "package.json")));
  // The real path, because a linked package's own dependencies are beside its real folder.
  return folder && realpathSync(join(folder, name));
}
