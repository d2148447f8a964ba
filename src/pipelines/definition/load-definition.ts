import type { Report } from "../../compiler/diagnostics/report.js";
import type { Host } from "../../compiler/host.js";
import { loadConfig } from "../../compiler/load/load-config.js";
import type { DefinedPipeline } from "./definition.js";
import { modernForm } from "./old-form.js";
import { readDefinition } from "./read-definition.js";
import { substitute, type Variables } from "./substitute.js";
import { reportUnstorable } from "./unstorable-text.js";

/**
 * Reads the definition of a pipeline or a stream from a file, and reports all mistakes in its settings.
 * @param path a YAML or JSON file, or `-` for standard input
 * @returns `undefined` after an error that leaves nothing to look at
 */
export async function loadDefinition(
  path: string,
  host: Host,
  variables: Variables,
  report: Report,
): Promise<DefinedPipeline | undefined> {
  const tree = await loadConfig(path, host, report, "name, sources and sinks");
  if (!tree) return undefined;
  const substituted = substitute(modernForm(tree, report), variables, report);
  reportUnstorable(substituted, report);
  return readDefinition(substituted, report);
}
