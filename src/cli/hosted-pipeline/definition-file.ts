import type { FieldProblem } from "../../api/answers/problem.js";
import type { DefinitionFinding } from "../../api/pipeline-operations.js";
import { isCode } from "../../compiler/diagnostics/catalog.js";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { Report } from "../../compiler/diagnostics/report.js";
import { loadConfig } from "../../compiler/load/load-config.js";
import type { Source } from "../../compiler/source/source.js";
import { member } from "../../compiler/source/tree.js";
import { createNodeHost } from "../../machine/files/host.js";
import { reportRawTemplate } from "../../pipelines/definition/report-template.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { givenVariables } from "../terminal/given-variables.js";
import type { Terminal } from "../terminal/terminal.js";

/** A definition from a file, not yet checked by a server. */
export interface DefinitionFile {
  readonly source: Source;
  /** Values of the variables that it names. */
  readonly variables: Readonly<Record<string, string>>;
  /** The name of the pipeline, if any. */
  readonly name: string | undefined;
}

/**
 * Reads a definition. What cannot be read is reported.
 * @param given values of variables, `<NAME>=<value>`; others come from the environment
 * @returns `undefined` after a reported error
 * @throws UsageError for a value without a name
 */
export async function readDefinitionFile(
  path: string,
  given: readonly string[],
  terminal: Terminal,
): Promise<DefinitionFile | undefined> {
  const report = new Report();
  const { cwd, stdin, within } = terminal;
  const host = createNodeHost({ cwd, stdin, within });
  const tree = await loadConfig(path, host, report, "name, sources and sinks", reportRawTemplate);
  if (!tree || report.failed) {
    reportDiagnostics(report.diagnostics, { format: "text", color: terminal.color }, terminal);
    return undefined;
  }
  const { source } = tree.at;
  const name = member(tree, "name")?.value;
  return {
    source,
    variables: variablesIn(source.text, given, terminal.env ?? {}),
    name: name?.kind === "string" ? name.value : undefined,
  };
}

/** Only variables that the text names leave this machine. */
function variablesIn(
  text: string,
  given: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const values = givenVariables(given);
  const named = new Set([...text.matchAll(/\$\{([A-Z_][A-Z0-9_]*)\}/g)].map(([, name = ""]) => name));
  return Object.fromEntries(
    [...named].flatMap((name) => {
      const value = values.get(name) ?? environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Findings of a server about the text of a definition, as diagnostics of this machine. */
export function diagnosticsOf(
  findings: readonly (FieldProblem | DefinitionFinding)[],
  source: Source,
): readonly Diagnostic[] {
  return findings.map((finding): Diagnostic => {
    const { field, message, code = "", line, column = 1, length = 1, hint } = finding;
    const severity = "severity" in finding ? finding.severity : "error";
    const start = line === undefined ? undefined : offsetOf(source, line, column);
    const pointer = field === undefined ? "" : `/${field.split(".").join("/")}`;
    return {
      severity,
      // A server of another version may have other codes.
      code: isCode(code) ? code : "wrong-value",
      message,
      ...(start !== undefined && { at: { source, pointer, start, end: start + length } }),
      ...(hint !== undefined && { hint }),
      related: [],
      notes: start === undefined && field !== undefined ? [field] : [],
    };
  });
}

/** The offset of a place in a text; `undefined` if the text has no such line. */
function offsetOf({ text }: Source, line: number, column: number): number | undefined {
  let start = 0;
  for (let before = 1; before < line; before += 1) {
    const end = text.indexOf("\n", start);
    if (end === -1) return undefined;
    start = end + 1;
  }
  return Math.min(text.length, start + column - 1);
}
