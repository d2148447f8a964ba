import { posix } from "node:path";

/** Reads a text file relative to the project's folder; `undefined` when there is none. */
export type ReadText = (path: string) => Promise<string | undefined>;

/** The sources that a program consists of. */
export interface CollectedSources {
  /** By path relative to the project; those of packages are below `node_modules/`. */
  readonly files: ReadonlyMap<string, string>;
  /** Imported packages that are missing. */
  readonly missing: readonly string[];
}

const imports = /\b(?:from|import)\s*(["'])([^"'\n]+)\1/g;
const packageOf = /^(@[^/]+\/[^/]+|[^/]+)/;

/**
 * Collects a program's files by following its imports, as the AssemblyScript compiler would.
 * @param entry path relative to the project
 * @param known packages whose sources the compiler gets in another way
 * @param packages the folder of the packages, relative to the project
 */
export async function collectSources(
  entry: string,
  read: ReadText,
  known: ReadonlySet<string>,
  packages = "node_modules",
): Promise<CollectedSources> {
  const files = new Map<string, string>();
  const missing = new Set<string>();
  const seen = new Set<string>();
  const waiting = [entry.replace(/\.ts$/, "")];
  const readPlain = async (path: string): Promise<string | undefined> => {
    const inPackages = path.startsWith("node_modules/");
    return read(inPackages ? posix.join(packages, path.slice("node_modules/".length)) : path);
  };
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const found = await firstOf([`${path}.ts`, `${path}/index.ts`], readPlain);
    if (!found) continue;
    files.set(found.path, found.text);
    for (const [, , target = ""] of found.text.matchAll(imports)) {
      if (target.startsWith("."))
        waiting.push(posix.join(posix.dirname(found.path), target).replace(/\.ts$/, ""));
      else {
        const name = packageOf.exec(target)?.[1] ?? target;
        if (known.has(name)) continue;
        const inPackage = await entryOf(name, target, readPlain, files);
        if (inPackage === undefined) missing.add(name);
        else waiting.push(inPackage);
      }
    }
  }
  return { files, missing: [...missing] };
}

async function firstOf(
  paths: readonly string[],
  read: ReadText,
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  for (const path of paths) {
    const text = await read(path);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

/** The path of an import from a package without `.ts`; the package says where its main file is. */
async function entryOf(
  name: string,
  target: string,
  read: ReadText,
  files: Map<string, string>,
): Promise<string | undefined> {
  const folder = `node_modules/${name}`;
  const manifest = await read(`${folder}/package.json`);
  if (manifest === undefined) return undefined;
  files.set(`${folder}/package.json`, manifest);
  if (target !== name) return `node_modules/${target}`.replace(/\.ts$/, "");
  const main = /"ascMain"\s*:\s*"([^"]+)"/.exec(manifest)?.[1] ?? "index.ts";
  return `${folder}/${main.replace(/\.ts$/, "")}`;
}
