import { Report } from "../compiler/diagnostics/report.js";
import type { Host } from "../compiler/host.js";
import { parseDocument } from "../compiler/parse/parse-document.js";
import { parseYaml } from "../compiler/parse/parse-yaml.js";
import { member } from "../compiler/source/tree.js";
import { findContracts } from "./find-contracts.js";
import { findDeployments } from "./find-deployments.js";
import type { FoundConfig, FoundContract, FoundDeployment } from "./found.js";
import { foundryFolders } from "./foundry-folders.js";
import { readTextFile } from "./read-abi.js";

/** The useful contents of a folder. */
export interface FoundProjects {
  readonly configs: readonly FoundConfig[];
  /** A name may occur more than once, with different files. */
  readonly contracts: readonly FoundContract[];
  readonly deployments: readonly FoundDeployment[];
}

/** Maximum number of files to try as configurations. */
const mostTried = 50;
/** Maximum length of a configuration in characters; no one writes longer ones by hand. */
const longestConfig = 4_000_000;

/**
 * Finds what is useful for a configuration in the working directory of a host: configurations in it and in
 * `config/`, built contracts, and their deployments.
 * @param env the environment, which may choose Foundry's profile and folders
 */
export async function findProjects(
  host: Host,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<FoundProjects> {
  const foundry = await foundryFolders(host, env);
  const { deployments, contracts } = await findDeployments(host, foundry);
  const built = await findContracts(host, foundry);
  return { configs: await findConfigs(host), contracts: [...built, ...contracts], deployments };
}

async function findConfigs(host: Host): Promise<readonly FoundConfig[]> {
  const files = [
    ...((await host.filesUnder?.(".", 1)) ?? []),
    ...((await host.filesUnder?.("config", 1)) ?? []).map((file) => `config/${file}`),
  ].filter((file) => /\.(?:json[5c]?|ya?ml)$/i.test(file) && !/^package(?:-lock)?\.json$/.test(file));
  const found: FoundConfig[] = [];
  for (const path of files.slice(0, mostTried)) {
    const read = await readTextFile(path, host);
    if (read.kind === "text" && read.text.length <= longestConfig && isConfig(path, read.text))
      found.push({ path });
  }
  return found;
}

/** Whether a text is a configuration, valid or not: nothing else has both of these settings. */
function isConfig(path: string, text: string): boolean {
  if (!/\babis\b/.test(text) || !/\binstances\b/.test(text)) return false;
  const tree = parseDocument({ path, text }, new Report(), parseYaml);
  return tree !== undefined && ["abis", "instances"].every((name) => member(tree, name) !== undefined);
}
