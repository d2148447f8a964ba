import type { Report } from "../diagnostics/report.js";
import type { Source } from "../source/source.js";
import type { TreeNode } from "../source/tree.js";
import { JsonScanner } from "./json-scanner.js";
import { parseJsonSource } from "./parse-json-source.js";

/** The signature of `parseYaml`. */
export type YamlParser = (source: Source, report: Report) => TreeNode | undefined;

/**
 * Parses a configuration in the format of its file extension: `.json` (comments and trailing commas tolerated),
 * `.json5`, `.yaml`, `.yml`. Any other name, including standard input, is detected by its first character.
 * @param parseYaml called for YAML only
 * @param beginning what an empty document should start with, unless it is a configuration
 * @returns `undefined` after a reported error
 */
export function parseDocument(
  source: Source,
  report: Report,
  parseYaml: YamlParser,
  beginning?: string,
): TreeNode | undefined {
  const format = formatOf(source);
  if (isEmpty(source, format)) {
    report.error("empty-config", { source, pointer: "", start: 0, end: 0 }, "the configuration is empty", {
      label: "only white space and comments",
      hint: `start with ${beginning ?? (format === "yaml" ? 'version: "1"' : '{ "version": "1" }')}`,
    });
    return undefined;
  }
  return format === "yaml" ? parseYaml(source, report) : parseJsonSource(source, format, report);
}

export function isYaml(source: Source): boolean {
  return formatOf(source) === "yaml";
}

type Format = "json" | "json5" | "yaml";

/** Whether a text has only white space and comments. */
function isEmpty(source: Source, format: Format): boolean {
  if (format === "yaml") return !/^[^\S\n]*[^\s#]/m.test(source.text);
  const scan = new JsonScanner(source, format);
  try {
    return !scan.skipBlank();
  } catch {
    // The parser reports an unterminated comment.
    return false;
  }
}

function formatOf(source: Source): Format {
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
    // The JSON parser reports an unterminated JSON comment.
    return true;
  }
}
