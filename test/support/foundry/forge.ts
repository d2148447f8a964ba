import { execFile, execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { plant } from "../folder.js";
import { cacheFolder } from "../servers/java-server.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const require = createRequire(import.meta.url);
/** Of the first account that every anvil has. */
const key = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

const forge = findForge();

/** Why the tests that run Foundry are skipped; `undefined` if they are not. */
export const forgeMissing: string | undefined =
  forge === undefined ? "forge is not there; .ci/run brings it" : undefined;

/** The package that .ci/run brings, or a forge that the user installed. */
function findForge(): string | undefined {
  const cpu = process.arch === "x64" ? "amd64" : process.arch;
  const inside = `forge/node_modules/@foundry-rs/forge-${process.platform}-${cpu}/bin/forge`;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return [join(cacheFolder, inside), ...folders.map((folder) => join(folder, "forge"))].find(existsSync);
}

/** A Foundry project of the contracts and scripts beside this file, and what runs of them leave in its folder. */
export class ForgeProject {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Sets up and builds the project. */
  static build(folder: string): ForgeProject {
    const read = (name: string): string => readFileSync(join(here, name), "utf8");
    const packages = dirname(dirname(require.resolve("@openzeppelin/contracts/package.json")));
    plant(folder, {
      "src/Contracts.sol": read("Contracts.sol"),
      "script/Deploy.s.sol": read("Scripts.s.sol"),
      // The same contracts in another script file, whose records are in another folder.
      "script/Upgrade.s.sol": read("Scripts.s.sol"),
      solc: compiler(require.resolve("solc")),
      "foundry.toml": `[profile.default]
solc = "./solc"
offline = true
bytecode_hash = "none"
remappings = ["@openzeppelin/=${packages}/"]
allow_paths = ["${packages}"]
`,
    });
    chmodSync(join(folder, "solc"), 0o755);
    execFileSync(forge ?? "forge", ["build"], { cwd: folder, stdio: "pipe" });
    return new ForgeProject(folder);
  }

  /** Copies the built project to an empty folder. */
  copyTo(folder: string): ForgeProject {
    cpSync(this.folder, folder, { recursive: true });
    return new ForgeProject(folder);
  }

  /**
   * Runs a script and sends its transactions.
   * @param script as in `Deploy.s.sol:Upgrade`
   * @param signal kills forge
   * @returns whether it succeeded, and its output
   */
  broadcast(
    script: string,
    options: readonly string[],
    env: Readonly<Record<string, string>> = {},
    signal?: AbortSignal,
  ): Promise<{ readonly isDone: boolean; readonly output: string }> {
    const line = ["script", `script/${script}`, "--private-key", key, "--broadcast", ...options];
    const more = {
      cwd: this.folder,
      env: { ...process.env, ...env },
      signal,
      killSignal: "SIGKILL",
    } as const;
    return new Promise((resolve) => {
      execFile(forge ?? "forge", line, more, (error, out, err) =>
        resolve({ isDone: error === null, output: out + err }),
      );
    });
  }
}

/** A program that answers forge like solc. It runs the compiler of the npm package. */
function compiler(solc: string): string {
  return `#!${process.execPath}
const solc = require(${JSON.stringify(solc)});
if (process.argv.includes("--version")) console.log("Version: " + solc.version());
else process.stdout.write(solc.compile(require("node:fs").readFileSync(0, "utf8")));
`;
}
