import { isRecord, parseJson } from "../base/text/json-value.js";
import type { Host } from "../compiler/host.js";
import type { FoundContract, Tool } from "./found.js";
import { type FoundryFolders, usualFolders } from "./foundry-folders.js";
import { readAbi, readTextFile } from "./read-abi.js";
import { isName } from "./record-values.js";

/** Maximum number of artifacts to read in a folder. */
const mostArtifacts = 1_000;

/** Where other build tools than Foundry put artifacts and people put ABIs. Hardhat mirrors the source folders. */
const places: readonly { readonly folder: string; readonly depth: number; readonly tool: Tool }[] = [
  { folder: "artifacts", depth: 6, tool: "Hardhat" },
  { folder: "abis", depth: 2, tool: "an ABI" },
  { folder: "abi", depth: 2, tool: "an ABI" },
  { folder: ".", depth: 1, tool: "an ABI" },
];
/** Files beside artifacts, and artifacts of tests and scripts. */
const others = /(?:^|\/)(?:build-info|cache)\/|\.(?:dbg|metadata)\.json$|\.[ts]\.sol\//;
/** Sources that do not belong to the project itself. */
const foreignSource = /^(?:lib|node_modules|npm|test|tests|script|scripts|forge-std|@[^/]+)\//;

/**
 * Finds the contracts that Foundry (`out/`) and Hardhat (`artifacts/`) compiled, and ABIs in the folder or in
 * `abis/`, if they have anything to index. Contracts with code come first. Library contracts are returned
 * only if there are no others.
 * @param host host whose `filesUnder` lists the folder
 */
export async function findContracts(
  host: Host,
  { out }: FoundryFolders = usualFolders,
): Promise<readonly FoundContract[]> {
  const found: { readonly contract: FoundContract; readonly isForeign: boolean }[] = [];
  for (const { folder, depth, tool } of [{ folder: out, depth: 6, tool: "Foundry" } as const, ...places]) {
    const files = (await host.filesUnder?.(folder, depth)) ?? [];
    const artifacts = files.filter((file) => file.endsWith(".json") && !others.test(file));
    for (const file of artifacts.slice(0, mostArtifacts)) {
      const one = await readArtifact(folder === "." ? file : `${folder}/${file}`, tool, host);
      if (one) found.push(one);
    }
  }
  const own = found.filter(({ isForeign }) => !isForeign);
  const contracts = (own.length > 0 ? own : found).map(({ contract }) => contract);
  return contracts.sort(
    (a, b) => Number(a.isAbstract) - Number(b.isAbstract) || (a.name < b.name ? -1 : Number(a.name > b.name)),
  );
}

async function readArtifact(
  path: string,
  tool: Tool,
  host: Host,
): Promise<{ readonly contract: FoundContract; readonly isForeign: boolean } | undefined> {
  const read = await readTextFile(path, host);
  // ABIs begin with a bracket; files of other kinds may be large.
  if (read.kind !== "text" || !/^\s*[[{]/.test(read.text)) return undefined;
  const abi = readAbi(path, read.text);
  if (abi.kind !== "abi" || !abi.abi.events.some(({ anonymous }) => !anonymous)) return undefined;
  const parsed = parseJson(read.text);
  const artifact = isRecord(parsed) ? parsed : {};
  const { source, name = stemOf(path) } = targetOf(artifact);
  const isAbstract = codeOf(artifact.bytecode) === "0x";
  return {
    contract: { name, tool, path, abi, isAbstract },
    isForeign: source !== undefined && foreignSource.test(source),
  };
}

/**
 * The contract that an artifact belongs to. Hardhat names it; Foundry names it only in the compiler's
 * metadata.
 */
function targetOf(artifact: Readonly<Record<string, unknown>>): { source?: string; name?: string } {
  const { sourceName, contractName, metadata } = artifact;
  if (typeof sourceName === "string" && isName(contractName))
    return { source: sourceName, name: contractName };
  const settings = isRecord(metadata) && isRecord(metadata.settings) ? metadata.settings : {};
  const [target] = isRecord(settings.compilationTarget) ? Object.entries(settings.compilationTarget) : [];
  return target && isName(target[1]) ? { source: target[0], name: target[1] } : {};
}

function codeOf(bytecode: unknown): unknown {
  return isRecord(bytecode) ? bytecode.object : bytecode;
}

function stemOf(path: string): string {
  return path.replace(/^.*\//s, "").replace(/(?:\.(?:abi|json))+$/i, "");
}
