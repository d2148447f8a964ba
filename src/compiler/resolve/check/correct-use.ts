import { nearName } from "../../diagnostics/correct-name.js";
import type { Details, Edit } from "../../diagnostics/diagnostic.js";
import type { Location } from "../../source/source.js";
import type { NameUse } from "../../syntax/parsed-expression.js";
import type { SourceExpression } from "../expression-parser.js";

/** The location of a name in an expression, or of the whole expression if there is none. */
export function locationOf({ source }: SourceExpression, use: NameUse | undefined): Location {
  return use ? source.part(use.offset, use.offset + use.name.length) : source.at;
}

/** A hint with the name that was probably intended, or with all existing names if there are few. */
export function correctUse(
  expression: SourceExpression,
  use: NameUse,
  known: readonly string[],
  before: string,
): Pick<Details, "hint" | "fix"> {
  const near = nearName(use.name, known);
  if (near) {
    const { hint, fix } = putInPlace(expression, use, near.name, before);
    return { hint, ...(near.certain && { fix }) };
  }
  if (known.length === 0) return {};
  const some = known.length > 8 ? [...known.slice(0, 8), "…"] : known;
  return { hint: `write one of ${some.map((name) => (name === "…" ? name : before + name)).join(", ")}` };
}

/** Replaces a name with the intended one. */
export function putInPlace(
  { source }: SourceExpression,
  { name, offset }: NameUse,
  meant: string,
  before: string,
): { readonly hint: string; readonly fix: readonly Edit[] } {
  const fix: Edit = { kind: "part", of: source, start: offset, end: offset + name.length, text: meant };
  return { hint: `write ${before}${meant}`, fix: [fix] };
}
