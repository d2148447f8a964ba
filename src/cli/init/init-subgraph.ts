import { remotely } from "../remote/remotely.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { DeployInitArguments } from "./deploy-init.js";
import { initProject } from "./init-project.js";

/** Generates a project and, with `--deploy`, deploys it; returns the exit code. */
export async function initSubgraph(args: DeployInitArguments, terminal: Terminal): Promise<number> {
  if (args.deploy) {
    const deploy = await remotely(async () => (await import("./deploy-init.js")).deployInit)();
    return deploy(args, terminal);
  }
  // Without a deployment there is no document of results.
  const outcome = await initProject({ ...args, output: "table" }, terminal);
  return outcome.kind === "written" ? exitCodes.clean : outcome.code;
}
