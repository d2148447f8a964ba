import type { Location } from "../../compiler/source/source.js";
import { member, memberAt, type TreeNode } from "../../compiler/source/tree.js";
import type { Renaming } from "../places.js";
import { isSql, nodeNamed, nodesOf } from "./nodes.js";
import { tableReferences } from "./table-references.js";
import type { DefinitionPlace } from "./typed-definition.js";

/** A place that names a node. */
interface Named {
  readonly name: string;
  readonly at: Location;
}

/** The node that the place names; `undefined` if it names none. */
export function namedAt({ tree, cursor, source, word }: DefinitionPlace): Named | undefined {
  const offset = word.start + word.text.length;
  const found = namesIn(tree).find(({ at }) => at.start <= offset && offset <= at.end);
  // A text that is put there to read the rest is nothing that the user has written.
  return found && cursor.text && found.at.end <= source.text.length ? found : undefined;
}

/** Where the node is defined that a place names. */
export function definitionOfNode(place: DefinitionPlace): Location | undefined {
  const named = namedAt(place);
  return named && nodeNamed(place.tree, named.name)?.key.at;
}

/** All places of the source, transform, lookup or sink at a place; `undefined` if there is none. */
export function nodeRenaming(place: DefinitionPlace): Renaming | undefined {
  // With a text put at the cursor, later places would not be those of the editor.
  const named = place.isWhole ? namedAt(place) : undefined;
  if (!named) return undefined;
  const name = named.name.toLowerCase();
  const all = namesIn(place.tree).filter((one) => one.name.toLowerCase() === name);
  return {
    at: named.at,
    name: named.name,
    places: all.map(({ at }) => at),
    pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
    rule: "a letter or _, then letters, digits and _",
    taken: new Set(nodesOf(place.tree).map(({ key }) => key.value.toLowerCase())),
  };
}

/** All places that name nodes: keys, `from`, queries and tests. */
function namesIn(tree: TreeNode): readonly Named[] {
  const nodes = nodesOf(tree);
  const names = new Set(nodes.map(({ key }) => key.value.toLowerCase()));
  const isNode = (name: string): boolean => names.has(name.toLowerCase());
  const inside = nodes.flatMap(({ part, key, value }): readonly Named[] => {
    const own = { name: key.value, at: key.part(0, key.value.length) };
    const from = member(value, "from")?.value;
    const read = from?.kind === "string" && isNode(from.value) ? [wholeOf(from)] : [];
    const queries = ["sql", "filter"].flatMap((setting) => {
      const query = member(value, setting)?.value;
      if (query?.kind !== "string" || !isSql(tree, [part, key.value, setting])) return [];
      return tableReferences(query.value)
        .filter(({ name }) => names.has(name))
        .map(({ name, start, end }) => ({ name, at: query.part(start, end) }));
    });
    return [own, ...read, ...queries];
  });
  const tests = member(tree, "tests")?.value;
  const rows = (tests?.kind === "array" ? tests.items : []).flatMap((test) =>
    ["given", "expect"].flatMap((side) => {
      const held = memberAt(test, [side]);
      return held?.kind === "object" ? held.members.map(({ key }) => wholeOf(key)) : [];
    }),
  );
  return [...inside, ...rows.filter(({ name }) => isNode(name))];
}

function wholeOf(text: { readonly value: string; part(start: number, end: number): Location }): Named {
  return { name: text.value, at: text.part(0, text.value.length) };
}
