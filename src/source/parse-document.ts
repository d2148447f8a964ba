import type { Report } from "../diagnostics/report.js";
import { JsonScanner } from "./json-scanner.js";
import { parseJson } from "./parse-json.js";
import { parseYaml } from "./parse-yaml.js";
import type { Source } from "./source.js";
import type { TreeNode } from "./tree.js";

/**
 * Reads a configuration in the format its name says: `.json` (comments and trailing commas tolerated), `.json5`,
 * `.yaml`, `.yml`. Any other name, standard input among them, is judged by its first character.
 * @returns nothing when the text is faulty, which is then reported
 */
export function parseDocument(source: Source, report: Report): TreeNode | undefined {
  switch (formatOf(source)) {
    case "json":
      return parseJson(source, "json", report);
    case "json5":
      return parseJson(source, "json5", report);
    case "yaml":
      return parseYaml(source, report);
  }
}

function formatOf(source: Source): "json" | "json5" | "yaml" {
  switch (/\.([a-z0-9]+)$/i.exec(source.path)?.[1]?.toLowerCase()) {
    case "json":
    case "jsonc":
      return "json";
    case "json5":
      return "json5";
    case "yaml":
    case "yml":
      return "yaml";
    default:
      return startsLikeJson(source) ? "json" : "yaml";
  }
}

function startsLikeJson(source: Source): boolean {
  const scan = new JsonScanner(source, "json");
  try {
    return scan.skipBlank() && /[[{]/.test(scan.text[scan.at] as string);
  } catch {
    // A comment in the style of JSON that never ends: the JSON reader says so.
    return true;
  }
}
