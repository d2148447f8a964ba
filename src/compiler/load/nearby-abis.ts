import { differsInCase, nearName } from "../diagnostics/correct-name.js";
import { type Details, rewrite } from "../diagnostics/diagnostic.js";
import type { Host } from "../host.js";
import type { StringNode } from "../source/tree.js";

interface BuildTool {
  readonly folder: string;
  readonly configurations: readonly string[];
  readonly command: string;
}

const tools: readonly BuildTool[] = [
  { folder: "out", configurations: ["foundry.toml"], command: "forge build" },
  {
    folder: "artifacts",
    configurations: ["ts", "js", "cjs", "mjs", "cts", "mts"].map((ending) => `hardhat.config.${ending}`),
    command: "npx hardhat compile",
  },
  { folder: "build", configurations: ["truffle-config.js"], command: "npx truffle compile" },
];

/** How to build a missing ABI, and the evidence for that. */
interface MissingBuild {
  readonly hint: string;
  readonly notes: readonly string[];
}

/** Folders that may contain ABIs: beside a configuration, or beside its folder. */
const places = ["abis", "abi", "artifacts", "out", "build"].flatMap((folder) => [
  `./${folder}`,
  `../${folder}`,
]);
/**
 * Levels of folders to search. Hardhat puts an artifact into a folder named after its source file, within a mirror of
 * the source folders.
 */
const deepest = 6;
/** Files that build tools put beside ABIs. */
const others =
  /(?:^|\/)(?:build-info|cache|generated)\/|\.(?:dbg|metadata)\.json$|(?:^|\/)(?:package|package-lock|tsconfig)\.json$/;
/** Maximum number of files that a diagnostic names. */
const mostShown = 5;
/** Maximum number of diagnostics with such hints, because searching takes time. */
const mostAdvised = 20;

/** Minimum length of a name: shorter ones resemble too many others. */
const shortest = 4;

export class NearbyAbis {
  readonly #configPath: string;
  readonly #host: Host;
  readonly #folders = new Map<string, Promise<readonly string[]>>();
  #advised = 0;

  constructor(configPath: string, host: Host) {
    this.#configPath = configPath;
    this.#host = host;
  }

  /**
   * A hint about a missing ABI file: how to build it, or an existing file to use instead.
   * @returns `undefined` if nothing is found or the host cannot list folders
   */
  async insteadOf(path: StringNode): Promise<Pick<Details, "hint" | "fix" | "notes"> | undefined> {
    this.#advised += 1;
    if (this.#advised > mostAdvised || isUrl(path.value)) return undefined;
    const found = await this.#around(path.value);
    const unbuilt = await missingBuild(path.value, this.#configPath, this.#host);
    if (unbuilt) return { ...unbuilt, notes: [...unbuilt.notes, ...listed(found)] };
    const stem = stemOf(path.value);
    const near = stem.length < shortest ? undefined : nearName(stem, new Set(found.map(stemOf)));
    const meant = near ? found.filter((each) => isSameName(stemOf(each), near.name)) : [];
    const same = found.filter((each) => isSameName(stemOf(each), stem));
    const [proposed, ...more] = same.length > 0 ? same : meant;
    if (proposed === undefined) return found.length > 0 ? { notes: listed(found) } : undefined;
    const isCertain = more.length === 0 && (same.length > 0 || near?.certain === true);
    return {
      hint: `write ${JSON.stringify(proposed)}`,
      notes: more.length > 0 ? listed([proposed, ...more]) : [],
      ...(isCertain && { fix: [rewrite(path, proposed)] }),
    };
  }

  /** The JSON files in the intended folder and in the usual ABI folders, as paths for the configuration. */
  async #around(written: string): Promise<readonly string[]> {
    const folder = written.slice(0, written.lastIndexOf("/") + 1).replace(/(?<=.)\/$/, "");
    const names = new Map<string, string>();
    for (const [place, depth] of [
      ...(folder === "" ? [] : [[folder, 1] as const]),
      ...places.map((each) => [each, deepest] as const),
      [".", 1] as const,
    ]) {
      for (const file of await this.#filesUnder(this.#resolve(place), depth)) {
        const name = `${place.replace(/\/$/, "")}/${file}`;
        const resolved = this.#resolve(name);
        const isOther = !file.endsWith(".json") || others.test(file) || resolved === this.#configPath;
        if (!isOther && !names.has(resolved)) names.set(resolved, name);
      }
    }
    return [...names.values()];
  }

  #resolve(path: string): string {
    return this.#host.resolveBeside(this.#configPath, path);
  }

  #filesUnder(folder: string, depth: number): Promise<readonly string[]> {
    const key = `${depth} ${folder}`;
    const files = this.#folders.get(key) ?? this.#host.filesUnder?.(folder, depth) ?? Promise.resolve([]);
    this.#folders.set(key, files);
    return files;
  }
}

/** Whether a text is a URL, which has no neighbouring files. */
export function isUrl(text: string): boolean {
  return /^[a-z]+:\/\//i.test(text);
}

/** The contract's name, after which files are named. */
function stemOf(path: string): string {
  return path.replace(/^.*[/\\]/s, "").replace(/\.json$/i, "");
}

function isSameName(a: string, b: string): boolean {
  return a === b || differsInCase(a, b);
}

function listed(files: readonly string[]): readonly string[] {
  if (files.length === 0) return [];
  const more = files.length > mostShown ? ` and ${files.length - mostShown} more` : "";
  return [`nearby JSON files: ${files.slice(0, mostShown).join(", ")}${more}`];
}

/** Checks whether a path is in the output folder of a build tool that is set up but has not run. */
async function missingBuild(
  written: string,
  configPath: string,
  host: Host,
): Promise<MissingBuild | undefined> {
  const names = written.split("/");
  for (const { folder, configurations, command } of tools) {
    const position = names.indexOf(folder);
    if (position === -1) continue;
    const kindOf = async (...path: readonly string[]): Promise<string> => {
      const whole = [...names.slice(0, position), ...path].join("/");
      return (await host.readFile(host.resolveBeside(configPath, whole), 0)).kind;
    };
    if ((await kindOf(folder)) !== "missing") continue;
    for (const configuration of configurations) {
      if (!/^(?:bytes|too-large)$/.test(await kindOf(configuration))) continue;
      const notes = [
        `${configuration} exists but the folder "${folder}" does not: the contracts have not been built yet`,
      ];
      return { hint: `run "${command}" first`, notes };
    }
  }
  return undefined;
}
