import { quote } from "../../base/text/quote.js";
import { unstorableIn } from "../../base/text/unstorable.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { Host } from "../../compiler/host.js";
import { loadConfig } from "../../compiler/load/load-config.js";
import type { LocatedString } from "../../compiler/source/source.js";
import type { Member, StringNode, TreeNode } from "../../compiler/source/tree.js";
import type { DefinedLookup, DefinedPipeline } from "./definition.js";
import { type FetchedAbi, fetchAbis, type ReadAddress } from "./fetch-abis.js";
import { modernForm } from "./old-form.js";
import { readDefinition } from "./read-definition.js";
import { readLookupFile } from "./read-lookup-file.js";
import { replaceParts } from "./replace-parts.js";
import { reportPlaceholders, reportRawTemplate } from "./report-template.js";
import type { DefinedSinkType } from "./sink-type.js";

/** Values by the names of variables. */
export type Variables = (name: string) => string | undefined;

/** What reading a definition needs from outside. */
export interface LoadWorld {
  readonly host: Host;
  readonly variables: Variables;
  readonly sinkTypes: readonly DefinedSinkType[];
  /** What fetches ABIs that queries name by their addresses. */
  readonly read: ReadAddress;
  /** Why files that a definition names cannot be read; absent if they can. */
  readonly noFiles?: string;
  /** ABIs that were fetched before. */
  readonly abis?: readonly FetchedAbi[];
}

/** A definition without mistakes in its settings. */
export interface LoadedDefinition {
  readonly definition: DefinedPipeline;
  /** As it is written, in today's form and with the names of its variables. */
  readonly written: TreeNode;
  /** The ABIs that its queries name by their addresses. */
  readonly abis: readonly FetchedAbi[];
}

/**
 * Reads the definition of a pipeline or a stream from a file, and reports all mistakes in its settings.
 * @param path a YAML or JSON file, or `-` for standard input
 * @returns `undefined` after an error that leaves nothing to look at
 */
export async function loadDefinition(
  path: string,
  { host, variables, sinkTypes, read, noFiles, abis: known = [] }: LoadWorld,
  report: Report,
): Promise<LoadedDefinition | undefined> {
  const tree = await loadConfig(path, host, report, "name, sources and sinks", reportRawTemplate);
  if (!tree || reportPlaceholders(tree, report)) return undefined;
  const written = modernForm(tree, report);
  const substituted = substitute(written, variables, report);
  reportUnstorable(substituted, report);
  const { tree: whole, abis } = await fetchAbis(substituted, known, read, report);
  const defined = readDefinition(whole, sinkTypes, report);
  if (!defined) return undefined;
  const lookups: DefinedLookup[] = [];
  for (const lookup of defined.lookups ?? [])
    if (lookup.type !== "file") lookups.push(lookup);
    else if (noFiles === undefined)
      lookups.push({ ...lookup, content: await readLookupFile(lookup, path, host, report) });
    else {
      lookups.push(lookup);
      report.error("lookup-file", lookup.settings.path?.at, noFiles, { hint: listHint });
    }
  return { definition: { ...defined, lookups }, written, abis };
}

const listHint =
  "write the rows into the query: LEFT JOIN (VALUES (…), …) AS t(key, value) ON t.key = <column>";

/** Reports all keys and strings that no database can store, since definitions and their names are kept in databases. */
function reportUnstorable(node: TreeNode, report: Report): void {
  if (node.kind === "string") reportText(node, report);
  if (node.kind === "array") for (const item of node.items) reportUnstorable(item, report);
  if (node.kind !== "object") return;
  for (const { key, value } of node.members) {
    reportText(key, report);
    reportUnstorable(value, report);
  }
}

function reportText(text: LocatedString, report: Report): void {
  const found = unstorableIn(text.value);
  if (!found) return;
  const { at, what } = found;
  report.error("unstorable-text", text.part(at, at + 1), `the text contains ${what}`, {
    label: "no database can store it",
    hint: "remove it",
  });
}

/** A variable in a string. Small letters are left to scripts, which have placeholders of the same form. */
const variable = /\$\{([A-Z_][A-Z0-9_]*)\}/g;

/** Settings whose strings are left as they are: in programs, such placeholders are their own. */
const untouched: ReadonlySet<string> = new Set(["script"]);

/** Replaces the variables in all strings of a definition. One without a value is reported, and stays. */
function substitute(tree: TreeNode, variables: Variables, report: Report): TreeNode {
  switch (tree.kind) {
    case "object":
      return { ...tree, members: tree.members.map((member) => substituteMember(member, variables, report)) };
    case "array":
      return { ...tree, items: tree.items.map((item) => substitute(item, variables, report)) };
    case "string":
      return tree.value.includes("${") ? substituteString(tree, variables, report) : tree;
    default:
      return tree;
  }
}

function substituteMember({ key, value }: Member, variables: Variables, report: Report): Member {
  return { key, value: untouched.has(key.value) ? value : substitute(value, variables, report) };
}

function substituteString(text: StringNode, variables: Variables, report: Report): StringNode {
  const values = [...text.value.matchAll(variable)].map(({ 0: written, 1: name = "", index }) => {
    const end = index + written.length;
    const given = variables(name);
    if (given === undefined)
      report.error("unset-variable", text.part(index, end), `variable ${quote(name)} has no value`, {
        hint: `pass --var ${name}=<value>, or set the environment variable`,
      });
    return { start: index, end, value: given ?? written };
  });
  return replaceParts(text, values);
}
