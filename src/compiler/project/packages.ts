import { posix } from "node:path";
import type { Host } from "../host.js";
import { memberOf } from "./abi-entries.js";
import { candidates, importsIn, isRelative, packageModule, resolveImport } from "./imports.js";
import type { ProjectFiles } from "./project-files.js";

const graphTsName = "@graphprotocol/graph-ts";
const graphCliName = "@graphprotocol/graph-cli";
/** Number of folders above the manifest's to search for packages. */
const mostFolders = 12;

/** The graph-ts with which a project is compiled. */
export interface GraphTs {
  /** Its sources by path inside the package. */
  readonly sources: ReadonlyMap<string, string>;
  /** Its folder, relative to the manifest's folder. */
  readonly folder: string;
  /** Absent for the version that ships with graphloom. */
  readonly version?: string;
}

/** The project's installed packages, from the folders `node_modules` beside and above its manifest. */
export class ProjectPackages {
  readonly #files: ProjectFiles;
  readonly #host: Host;
  #graphTs: Promise<GraphTs> | undefined;

  constructor(files: ProjectFiles, host: Host) {
    this.#files = files;
    this.#host = host;
  }

  /**
   * The version of the project's graph-cli: the installed one, otherwise the lowest that a package.json beside or
   * above the manifest allows; `undefined` without either.
   */
  async graphCli(): Promise<string | undefined> {
    for (const folder of folders) {
      const version = versionOf(await this.#files.text(`${folder}/${graphCliName}/package.json`));
      if (version !== undefined) return version;
      const wanted = dependencyOf(
        await this.#files.text(posix.join(folder, "../package.json")),
        graphCliName,
      );
      if (wanted !== undefined) return wanted.replace(/^\s*(?:[~^=]|>=)\s*/, "");
    }
    return undefined;
  }

  graphTs(): Promise<GraphTs> {
    this.#graphTs ??= this.#findGraphTs();
    return this.#graphTs;
  }

  /**
   * A package module's file, and its path within the folder of packages.
   * @param module such as `@amxx/graphprotocol-utils` or `pkg/src/math`
   */
  async file(module: string): Promise<{ readonly path: string; readonly text: string } | undefined> {
    const name = packageModule(module);
    if (name.split("/").includes("..")) return undefined;
    for (const folder of folders) {
      for (const path of candidates(name)) {
        const text = await this.#files.text(`${folder}/${path}`);
        if (text !== undefined) return { path, text };
      }
    }
    return this.#mainFile(name);
  }

  /** A file of a package whose package.json says where its sources are. */
  async #mainFile(name: string): Promise<{ readonly path: string; readonly text: string } | undefined> {
    const [, owner, file = "index"] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.+))?$/.exec(name) ?? [];
    if (owner === undefined) return undefined;
    for (const folder of folders) {
      const main = mainOf(await this.#files.text(`${folder}/${owner}/package.json`));
      for (const path of candidates(file)) {
        const text = await this.#files.text(`${folder}/${owner}/${main}/${path}`);
        if (text !== undefined) return { path: `${owner}/${path}`, text };
      }
    }
    return undefined;
  }

  async #findGraphTs(): Promise<GraphTs> {
    for (const folder of folders) {
      const root = `${folder}/${graphTsName}`;
      if ((await this.#files.text(`${root}/global/global.ts`)) === undefined) continue;
      const sources = await this.#sourcesOf(root);
      const version = versionOf(await this.#files.text(`${root}/package.json`));
      return { sources, folder, ...(version !== undefined && { version }) };
    }
    return { sources: await this.#host.packageSources(graphTsName), folder: "node_modules" };
  }

  /** The sources of a package that are reachable from its entry files. */
  async #sourcesOf(root: string): Promise<ReadonlyMap<string, string>> {
    const sources = new Map<string, string>();
    const open = ["index", "global/global"];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      for (const file of candidates(path)) {
        const text = sources.has(file) ? undefined : await this.#files.text(`${root}/${file}`);
        if (text === undefined) continue;
        sources.set(file, text);
        for (const module of importsIn(text)) {
          if (isRelative(module)) open.push(resolveImport(file, module));
          else if (module.startsWith(`${graphTsName}/`))
            open.push(packageModule(module).slice(graphTsName.length + 1));
        }
        break;
      }
    }
    return new Map([...sources].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** Whether graph-ts has the type `Int8`, which came with 0.31. */
export function hasInt8({ sources }: GraphTs): boolean {
  return [...sources.values()].some((text) => /\btype Int8\b/.test(text));
}

/** The folders that may contain packages, nearest first. */
const folders = Array.from({ length: mostFolders }, (_, up) => `${"../".repeat(up)}node_modules`);

function mainOf(packageJson: string | undefined): string {
  const main = fieldOf(packageJson, "ascMain");
  return main === undefined ? "assembly" : main.replace(/(?:^|[\\/])index\.ts$/, "") || ".";
}

function versionOf(packageJson: string | undefined): string | undefined {
  return fieldOf(packageJson, "version");
}

/** The version range of a package in a package.json. */
function dependencyOf(packageJson: string | undefined, name: string): string | undefined {
  return (
    fieldOf(packageJson, "devDependencies", name) ??
    fieldOf(packageJson, "dependencies", name) ??
    fieldOf(packageJson, "peerDependencies", name)
  );
}

function fieldOf(packageJson: string | undefined, ...path: readonly string[]): string | undefined {
  if (packageJson === undefined) return undefined;
  try {
    const value = path.reduce<unknown>(memberOf, JSON.parse(packageJson));
    return typeof value === "string" ? value : undefined;
  } catch {
    // Like the compiler, ignore a faulty package.json.
    return undefined;
  }
}
