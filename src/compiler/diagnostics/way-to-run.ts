import { inShell } from "../../base/text/in-shell.js";

/**
 * How to run a subgraph that is not a configuration.
 * @param path of its manifest
 */
export function wayToRun(path: string, network = "<chain>"): string {
  const usual = path.replace(/(?:^|\/)subgraph\.yaml$/, "");
  return `run it as it is: graphloom dev ${inShell(usual === "" ? "." : usual)} --rpc ${network}=<url>`;
}
