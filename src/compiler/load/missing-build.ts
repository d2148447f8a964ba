import type { Host } from "../host.js";

/** A tool that makes ABIs: what configures it, where it puts them, and how it is started. */
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

/** What to do where an ABI is still to be made, and why we think so. */
export interface MissingBuild {
  readonly hint: string;
  readonly notes: readonly string[];
}

/** Whether a path leads into what a tool makes, and that tool is there but has made nothing yet. */
export async function missingBuild(
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
        `there is ${configuration}, but no folder "${folder}": the contracts have not been built yet`,
      ];
      return { hint: `run "${command}" first`, notes };
    }
  }
  return undefined;
}
