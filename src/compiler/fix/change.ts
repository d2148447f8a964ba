import type { Edit } from "../diagnostics/diagnostic.js";
import type { Source } from "../source/source.js";
import { encodePiece, encodeQuoted, quotingOf } from "./encode-text.js";
import type { Nest } from "./same-tree.js";
import {
  keyUse,
  type PlacedObject,
  type Scalar,
  type Scalars,
  type ScalarValue,
  valueUse,
} from "./scalars.js";
import type { Splice } from "./splice.js";

/** A change of one scalar, of a part of its text or of all of it, or of where members of an object stand. */
export type Change = ScalarChange | NestChange;

/** A change of one scalar. */
export type ScalarChange = {
  readonly scalar: Scalar;
  /** What it is meant for, among the scalar's uses. */
  readonly uses: ReadonlySet<string>;
} & (
  | { readonly kind: "part"; readonly start: number; readonly end: number; readonly text: string }
  | { readonly kind: "value"; readonly value: string | number | boolean }
);

/** Members of an object that are put into an object of their own. */
export interface NestChange extends Nest {
  readonly kind: "nest";
  readonly object: PlacedObject;
  /** Which of the object's pointers it is meant for. */
  readonly uses: ReadonlySet<string>;
}

/** The change an edit asks for; nothing when there is no such thing in the text, or nothing to change about it. */
export function changeOf(edit: Edit, scalars: Scalars): Change | undefined {
  if (edit.kind === "nest") return nestOf(edit, scalars);
  const at = edit.kind === "part" ? edit.of.at : edit.at;
  const scalar = scalars.at(at);
  if (!scalar) return undefined;
  const uses = new Set([keyUse(at.pointer), valueUse(at.pointer)].filter((use) => scalar.uses.has(use)));
  if (uses.size === 0) return undefined;
  if (edit.kind === "part") return partOf(scalar, uses, edit);
  const { value } = edit;
  if (typeof value === "string" && typeof scalar.value === "string") {
    return partOf(scalar, uses, { start: 0, end: scalar.value.length, text: value });
  }
  return value === scalar.value ? undefined : { kind: "value", scalar, uses, value };
}

function nestOf(edit: Extract<Edit, { kind: "nest" }>, scalars: Scalars): NestChange | undefined {
  const object = scalars.objectAt(edit.at);
  const { pointer } = edit.at;
  if (!object?.uses.has(pointer) || edit.keys.length === 0) return undefined;
  return { kind: "nest", object, uses: new Set([pointer]), keys: new Set(edit.keys), under: edit.under };
}

/** Leaves out what stays the same at both ends, so that it also stays as it is written. */
function partOf(
  scalar: Scalar,
  uses: ReadonlySet<string>,
  { start, end, text }: { readonly start: number; readonly end: number; readonly text: string },
): ScalarChange | undefined {
  const { value } = scalar;
  if (typeof value !== "string" || start < 0 || end < start || end > value.length) return undefined;
  const room = Math.min(end - start, text.length);
  let before = 0;
  while (before < room && value[start + before] === text[before]) before += 1;
  let behind = 0;
  while (behind < room - before && value[end - 1 - behind] === text[text.length - 1 - behind]) behind += 1;
  const put = text.slice(before, text.length - behind);
  if (put === "" && start + before === end - behind) return undefined;
  return { kind: "part", scalar, uses, start: start + before, end: end - behind, text: put };
}

/** What a change is of: only changes of one thing can get into each other's way. */
export function subjectOf(change: Change): Scalar | PlacedObject {
  return change.kind === "nest" ? change.object : change.scalar;
}

/** Whether two changes get into each other's way. Touching is enough: which comes first would be a guess. */
export function collide(a: Change, b: Change): boolean {
  if (a.kind === "nest" || b.kind === "nest") return subjectOf(a) === subjectOf(b);
  if (a.scalar !== b.scalar) return false;
  if (a.kind === "value" || b.kind === "value") return true;
  return a.start <= b.end && b.start <= a.end;
}

/** What a scalar is after all the changes of it, which do not collide. */
export function changedValue(scalar: Scalar, changes: readonly ScalarChange[]): ScalarValue {
  let value = scalar.value;
  for (const change of changes.toReversed()) {
    if (change.kind === "value") return change.value;
    value = String(value).slice(0, change.start) + change.text + String(value).slice(change.end);
  }
  return value;
}

/** Writes changed parts in the way the scalar is written; nothing where that has no means for them. */
export function writeParts(changes: readonly ScalarChange[], source: Source): readonly Splice[] | undefined {
  const splices: Splice[] = [];
  for (const change of changes) {
    const { string, at } = change.scalar;
    if (change.kind === "value" || !string) return undefined;
    const text = encodePiece(change.text, quotingOf(source.text[at.start], source.path));
    if (text === undefined) return undefined;
    const { start, end } = string.part(change.start, change.end);
    splices.push({ start, end, text });
  }
  return splices;
}

/** Writes the whole of a scalar anew. A text is put in double quotes, which every format has. */
export function writeWhole({ at }: Scalar, value: ScalarValue, source: Source): Splice {
  const text = typeof value === "string" ? encodeQuoted(value) : String(value);
  const written = source.text.slice(at.start, at.end);
  const header = /^[|>][-+\d]*([^\r\n]*)/.exec(written);
  if (!header) return { start: at.start, end: at.end, text };
  // A block of YAML: the comment behind its mark stays, and so do the blank lines behind it.
  const comment = header[1] ?? "";
  return {
    start: at.start,
    end: at.start + inkedLength(written),
    text: text + comment.slice(0, inkedLength(comment)),
  };
}

/** The length without what YAML takes for white space at the end; other white space belongs to a text. */
function inkedLength(text: string): number {
  let length = text.length;
  while (length > 0 && " \t\r\n".includes(text[length - 1] as string)) length -= 1;
  return length;
}
