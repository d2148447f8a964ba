import type { Host } from "../host.js";

/** A build tool for contracts: its configuration file, its output folder, and its command. */
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

/** The command that builds a missing ABI, and the evidence for it. */
export interface MissingBuild {
  readonly hint: string;
  readonly notes: readonly string[];
}

/** Checks whether a path is in the output folder of a build tool that is set up but has not run. */
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
        `${configuration} exists but the folder "${folder}" does not: the contracts have not been built yet`,
      ];
      return { hint: `run "${command}" first`, notes };
    }
  }
  return undefined;
}
