import type { Diagnostic, Edit } from "../../../src/compiler/diagnostics/diagnostic.js";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import { load } from "../../../src/compiler/load/load.js";
import type { Source } from "../../../src/compiler/source/source.js";
import type { ValidProject } from "../../../src/compiler/validate/config.js";
import { validate } from "../../../src/compiler/validate/validate.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { dataSourceOf, smallestConfig, someAddress } from "../../support/compiler/smallest-config.js";
import { span, textAt } from "../parse/harness.js";

/** The result of validation: a project, or the findings, each with its place, code and message. */
export interface Checked {
  readonly project: ValidProject | undefined;
  /** The project, or what is left of it after errors. */
  readonly rest: ValidProject | undefined;
  readonly found: string[];
  readonly hints: (string | undefined)[];
  readonly notes: (readonly string[])[];
}

const lines = new Map<Source, boolean>();

function hasLines(source: Source): boolean {
  const known = lines.get(source) ?? source.text.includes("\n");
  lines.set(source, known);
  return known;
}

/** Loads and validates a configuration, given as text or as a value. */
export async function check(config: unknown, path = "c.json"): Promise<Checked> {
  const text = typeof config === "string" ? config : JSON.stringify(config);
  const report = new Report();
  const loaded = await load(path, memoryHost({ [path]: text }), report);
  const rest = loaded && validate(loaded, report);
  const all = report.diagnostics;
  return {
    project: report.failed ? undefined : rest,
    rest,
    found: all.map(({ code, at, message, severity }) => {
      const place = at
        ? hasLines(at.source)
          ? span(at)
          : at.source.text.slice(at.start, at.end) || "end"
        : "-";
      return `${place} ${severity === "error" ? "" : `${severity} `}${code}: ${message}`;
    }),
    hints: all.map(({ hint }) => hint),
    notes: all.map(({ notes }) => notes),
  };
}

/** The complete findings about a configuration. */
export async function findings(config: unknown): Promise<readonly Diagnostic[]> {
  const report = new Report();
  const loaded = await load("c.json", memoryHost({ "c.json": JSON.stringify(config) }), report);
  if (loaded) validate(loaded, report);
  return report.diagnostics;
}

/** An edit of a fix: the old text and its replacement. */
export function edited(edit: Edit): string {
  if (edit.kind === "nest") return `${edit.keys.join(", ")} into ${edit.under}`;
  if (edit.kind === "wrap") return `${textAt(edit.at)} into { ${edit.under} }`;
  if (edit.kind === "add") return `${edit.key}: ${edit.value} added`;
  return edit.kind === "part"
    ? `${textAt(edit.of.at)} -> ${edit.text}`
    : `${textAt(edit.at)} -> ${JSON.stringify(edit.value)}`;
}

export const transfer = {
  type: "event",
  name: "E",
  inputs: [{ name: "who", type: "address", indexed: true }],
};
export const address = someAddress;
export const dataSource = dataSourceOf("a");
export const template = { abi: "a", source: { abi: "a", eventSignature: "E(address)", addressParam: "who" } };

/** The smallest valid configuration, with some parts replaced. */
export function minimal(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return smallestConfig("a", [transfer], changes);
}
