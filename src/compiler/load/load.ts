import type { Report } from "../diagnostics/report.js";
import type { Host } from "../host.js";
import { loadAbis } from "./load-abis.js";
import { loadConfig } from "./load-config.js";
import { loadMapping } from "./load-mapping.js";
import type { LoadedProject } from "./loaded-project.js";

/**
 * Reads a configuration, every ABI it declares, and the user's own mapping.
 * @param configPath path for the host, or `-` for standard input
 * @returns `undefined` if the configuration cannot be parsed; unreadable ABIs and mappings are reported and left out
 */
export async function load(
  configPath: string,
  host: Host,
  report: Report,
): Promise<LoadedProject | undefined> {
  const config = await loadConfig(configPath, host, report);
  if (!config) return undefined;
  return {
    config,
    abis: await loadAbis(config, configPath, host, report),
    mapping: await loadMapping(config, configPath, host, report),
  };
}
