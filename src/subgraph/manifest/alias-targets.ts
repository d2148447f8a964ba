import { type Alias, type Document, type Node, visit } from "yaml";

/** The targets of a document's aliases. */
export type AliasTargets = ReadonlyMap<Alias, Node>;

/** Finds the targets of aliases: the last earlier node with the anchor. */
export function aliasTargets(document: Document): AliasTargets {
  const anchored = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Value: (_, node) => {
      if (node.anchor !== undefined) anchored.set(node.anchor, node);
    },
    Alias: (_, alias) => {
      const target = anchored.get(alias.source);
      if (target) targets.set(alias, target);
    },
  });
  return targets;
}
