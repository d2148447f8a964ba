import {
  type CompletionItem,
  CompletionItemKind,
  type DocumentSymbol,
  MarkupKind,
  SymbolKind,
} from "vscode-languageserver";
import type { Host } from "../compiler/host.js";
import type { Location } from "../compiler/source/source.js";
import { completeAt, type Proposal } from "./complete.js";
import { rangeOf } from "./findings.js";
import { hoverAt, type Shown } from "./hover.js";
import type { OutlinePart } from "./outline.js";
import { completeDefinition } from "./pipelines/complete-definition.js";
import { hoverDefinition } from "./pipelines/hover-definition.js";
import { definitionOfNode, nodeRenaming } from "./pipelines/node-places.js";
import { typedDefinition } from "./pipelines/typed-definition.js";
import { placeIn } from "./place-in.js";
import { definitionAt, type Renaming, renamingAt } from "./places.js";

/** What can be said about a place of a document. */
export interface Answers {
  complete(): CompletionItem[];
  hover(): Shown | undefined;
  definition(): Location | undefined;
  renaming(): Renaming | undefined;
}

/** About a place of a pipeline's definition; `undefined` if the text is none, or cannot be parsed. */
export function definitionPlace(path: string, text: string, offset: number): Answers | undefined {
  // Other texts need not be parsed once more.
  if (!/\b(?:sources|sinks)\b/.test(text)) return undefined;
  const place = typedDefinition(path, text, offset);
  if (!place) return undefined;
  const { source, word } = place;
  return {
    complete: () => {
      const range = rangeOf({ source, start: word.start, end: word.end });
      return completeDefinition(place).map((proposal, index) => itemOf(proposal, index, range));
    },
    hover: () => hoverDefinition(place),
    definition: () => definitionOfNode(place),
    renaming: () => nodeRenaming(place),
  };
}

/** About a place of a configuration; `undefined` if the text is none, or cannot be parsed. */
export async function configPlace(
  path: string,
  text: string,
  position: Parameters<typeof placeIn>[2],
  host: Host,
): Promise<Answers | undefined> {
  const place = await placeIn(path, text, position, host);
  if (!place) return undefined;
  const { config, cursor } = place;
  return {
    complete: () => {
      const { all, replaces, isQuoted } = completeAt(config, cursor);
      const part = cursor.text && replaces && cursor.text.string.part(replaces.start, replaces.end);
      // What is not in the document yet was put there to read it.
      const range =
        part && rangeOf({ source: config.source, start: part.start, end: Math.min(part.end, text.length) });
      return all.map((proposal, index) =>
        itemOf(isQuoted ? { ...proposal, written: JSON.stringify(proposal.label) } : proposal, index, range),
      );
    },
    hover: () => hoverAt(config, cursor),
    definition: () => definitionAt(config, cursor),
    renaming: () => renamingAt(config, cursor),
  };
}

const completionKinds: Readonly<Record<Proposal["kind"], CompletionItemKind>> = {
  key: CompletionItemKind.Property,
  value: CompletionItemKind.Value,
  field: CompletionItemKind.Field,
  variable: CompletionItemKind.Variable,
  function: CompletionItemKind.Function,
  class: CompletionItemKind.Class,
};

function itemOf(
  { label, written: newText = label, kind, detail, about }: Proposal,
  index: number,
  range: ReturnType<typeof rangeOf> | undefined,
): CompletionItem {
  return {
    label,
    kind: completionKinds[kind],
    // In the order of the ABI, and of the schema.
    sortText: String(index).padStart(5, "0"),
    filterText: newText,
    ...(detail !== undefined && { detail }),
    ...(about !== undefined && { documentation: { kind: MarkupKind.PlainText, value: about } }),
    ...(range ? { textEdit: { range, newText } } : { insertText: newText }),
  };
}

const symbolKinds: Readonly<Record<OutlinePart["kind"], SymbolKind>> = {
  abi: SymbolKind.Interface,
  instance: SymbolKind.Object,
  handler: SymbolKind.Event,
  call: SymbolKind.Function,
  entity: SymbolKind.Class,
  sources: SymbolKind.Interface,
  transforms: SymbolKind.Function,
  lookups: SymbolKind.Array,
  sinks: SymbolKind.Object,
};

/** A part of an outline in the protocol's form. */
export function symbolOf({ name, kind, detail, at, nameAt, parts }: OutlinePart): DocumentSymbol {
  return {
    // Clients refuse empty names.
    name: name === "" ? "(empty)" : name,
    kind: symbolKinds[kind],
    ...(detail !== undefined && { detail }),
    range: rangeOf(at),
    selectionRange: rangeOf(nameAt),
    children: parts.map(symbolOf),
  };
}
