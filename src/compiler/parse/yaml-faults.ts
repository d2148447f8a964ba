import { isAlias, isMap, isScalar, isSeq, type Node } from "yaml";
import { quote } from "../../base/text/quote.js";
import { nearName } from "../diagnostics/correct-name.js";
import type { Details } from "../diagnostics/diagnostic.js";
import type { Location } from "../source/source.js";

// Details about frequent slips in YAML, in addition to the error itself.

/** The details of a key that is not a string; `written` is its source text. */
export function wrongKey(node: Node | null, written: string): Details {
  if (!isScalar(node) || node.value === null) {
    const label = isMap(node) ? "an object" : isSeq(node) ? "a list" : isAlias(node) ? "an alias" : "nothing";
    return { label: `${label} as a key`, hint: "write a name before the colon" };
  }
  const label = typeof node.value === "boolean" ? "true or false" : "a number";
  return { label: `${label}, because it has no quotes`, hint: `write ${quote(written)}, in quotes` };
}

/** The details of a value of `<<` that is not an object; `anchors` are the names known so far. */
export function wrongMerge(node: Node, anchors: ReadonlyMap<string, unknown>): Details {
  if (isAlias(node)) return { label: "an alias of something else", hint: "name an anchored object" };
  const name = isScalar(node) ? String(node.value) : "";
  return {
    label: "not an alias",
    hint: anchors.has(name) ? `write *${name}` : "name an anchored object, such as <<: *defaults",
  };
}

/** The details of an alias without a preceding anchor; `anchors` are the preceding names. */
export function missingAnchor(name: string, at: Location, anchors: ReadonlyMap<string, unknown>): Details {
  const label = "no such anchor before this alias";
  const later = placeOfAnchor(name, at);
  if (later) {
    return {
      label,
      related: [{ at: later, text: "the anchor comes later" }],
      hint: "move the anchor before its aliases",
    };
  }
  const near = nearName(name, anchors.keys());
  return { label, hint: near ? `write *${near.name}` : `put &${name} before the value it stands for` };
}

/** The location of an anchor after a location. */
function placeOfAnchor(name: string, { source, end: from, pointer }: Location): Location | undefined {
  const anchor = `&${name}`;
  for (let start = source.text.indexOf(anchor, from); start !== -1; ) {
    const end = start + anchor.length;
    if (/\s/.test(source.text[start - 1] ?? " ") && /\s/.test(source.text[end] ?? " "))
      return { source, pointer, start, end };
    start = source.text.indexOf(anchor, end);
  }
  return undefined;
}
