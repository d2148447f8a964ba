import type { Artifact, Log, Result, Location as SarifLocation } from "sarif";
import { visible, visibleJson } from "../../base/text/visible.js";
import { type Location, positionAt } from "../source/source.js";
import { type Code, catalog } from "./catalog.js";
import type { Diagnostic } from "./diagnostic.js";
import { messageLines } from "./message-lines.js";

/**
 * Renders diagnostics as a SARIF 2.1.0 log, which code hosts and editors read. Paths are relative to the folder in which
 * the command runs. What is written where a mistake is not in a file, such as on standard input, has no place.
 */
export function renderSarif(diagnostics: readonly Diagnostic[]): string {
  const codes = [...new Set(diagnostics.map(({ code }) => code))].sort();
  const log: Log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "graphloom", rules: codes.map(ruleOf) } },
        columnKind: "utf16CodeUnits",
        artifacts: artifactsOf(diagnostics),
        results: diagnostics.map((diagnostic) => resultOf(diagnostic, codes.indexOf(diagnostic.code))),
      },
    ],
  };
  return `${visibleJson(JSON.stringify(log, null, 2))}\n`;
}

function ruleOf(id: Code) {
  const { title, explanation, example } = catalog[id];
  const text = `${explanation}\n\nWrong:\n${example.wrong}\n\nRight:\n${example.right}`;
  return { id, shortDescription: { text: title }, fullDescription: { text: explanation }, help: { text } };
}

function artifactsOf(diagnostics: readonly Diagnostic[]): Artifact[] {
  const uris = diagnostics.flatMap(({ at }) => (at ? [uriOf(at)] : [])).filter((uri) => uri !== undefined);
  return [...new Set(uris)].map((uri) => ({ location: { uri } }));
}

function resultOf(diagnostic: Diagnostic, ruleIndex: number): Result {
  const { code, severity, at, related } = diagnostic;
  const place = at && locationOf(at);
  const others = related.flatMap((other) => {
    const location = locationOf(other.at);
    return location ? [{ ...location, message: { text: visible(other.text) } }] : [];
  });
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text: messageLines(diagnostic).join("\n") },
    ...(place && { locations: [place] }),
    ...(others.length > 0 && {
      relatedLocations: others.map((location, id) => ({ id, ...location })),
    }),
  };
}

function locationOf(at: Location): SarifLocation | undefined {
  const uri = uriOf(at);
  if (uri === undefined) return undefined;
  const first = positionAt(at.source, at.start);
  const last = positionAt(at.source, at.end);
  return {
    physicalLocation: {
      artifactLocation: { uri },
      region: {
        startLine: first.line,
        startColumn: first.column,
        endLine: last.line,
        endColumn: last.column,
      },
    },
    ...(at.pointer !== "" && { logicalLocations: [{ fullyQualifiedName: visible(at.pointer) }] }),
  };
}

/** @returns `undefined` for standard input */
function uriOf({ source: { path } }: Location): string | undefined {
  if (path === "<stdin>") return undefined;
  return path.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
}
