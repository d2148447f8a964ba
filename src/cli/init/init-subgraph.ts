import { remotely } from "../remote/remotely.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { DeployInitArguments } from "./deploy-init.js";
import { isWithoutTask } from "./init-arguments.js";
import { initProject } from "./init-project.js";

/**
 * Generates a project and, with `--deploy`, deploys it; returns the exit code. If the arguments name nothing to
 * generate it from, it starts the guide in a terminal.
 */
export async function initSubgraph(args: DeployInitArguments, terminal: Terminal): Promise<number> {
  if (terminal.prompts && isWithoutTask(args)) {
    const { runGuide } = await import("../guide/guide.js");
    const { nameAndVersion: name, force, format, color, cache, verbose } = args;
    return runGuide({ name, force, yes: false, format, color, cache, verbose }, terminal);
  }
  if (args.deploy) {
    const deploy = await remotely(async () => (await import("./deploy-init.js")).deployInit)();
    return deploy(args, terminal);
  }
  // Without a deployment, there is no results document.
  const outcome = await initProject({ ...args, output: "table" }, terminal);
  return outcome.kind === "written" ? exitCodes.clean : outcome.code;
}
