import type { Edit } from "../diagnostics/diagnostic.js";
import type { Source } from "../source/source.js";
import { encodePiece, encodeQuoted, quotingOf } from "./encode-text.js";
import type { Addition, Nest } from "./same-tree.js";
import {
  keyUse,
  type PlacedList,
  type PlacedObject,
  type Scalars,
  type ScalarValue,
  valueUse,
  type WrittenScalar,
} from "./scalars.js";
import type { Splice } from "./splice.js";

/** A change to a scalar, to a part of its text, to an object's members, or to a list. */
export type TextChange = ScalarChange | ShapeChange;

export type ShapeChange = WrapChange | NestChange | AddChange | FlatChange;

export type ScalarChange = {
  readonly scalar: WrittenScalar;
  /** The uses of the scalar that the change targets. */
  readonly uses: ReadonlySet<string>;
} & (
  | { readonly kind: "part"; readonly start: number; readonly end: number; readonly text: string }
  | { readonly kind: "value"; readonly value: string | number | boolean }
);

/** Puts a text into a new object. */
export interface WrapChange {
  readonly kind: "wrap";
  readonly scalar: WrittenScalar;
  /** The pointers of the text that the change targets. */
  readonly uses: ReadonlySet<string>;
  readonly under: string;
}

/** Replaces a list of texts by one text. */
export interface FlatChange {
  readonly kind: "flat";
  readonly list: PlacedList;
  /** The pointers of the list that the change targets. */
  readonly uses: ReadonlySet<string>;
  readonly value: string | number | boolean;
}

/** Moves members of an object into a new nested object. */
export interface NestChange extends Nest {
  readonly kind: "nest";
  readonly object: PlacedObject;
  /** The pointers of the object that the change targets. */
  readonly uses: ReadonlySet<string>;
}

/** Adds a member to an object. */
export interface AddChange extends Addition {
  readonly kind: "add";
  readonly object: PlacedObject;
  /** The pointers of the object that the change targets. */
  readonly uses: ReadonlySet<string>;
}

/**
 * The change that an edit makes; `undefined` if its target does not exist in the text, or if nothing changes.
 */
export function changeOf(edit: Edit, scalars: Scalars): TextChange | undefined {
  if (edit.kind === "nest") return nestOf(edit, scalars);
  if (edit.kind === "add") return additionOf(edit, scalars);
  const at = edit.kind === "part" ? edit.of.at : edit.at;
  const list = edit.kind === "value" ? scalars.listAt(at) : undefined;
  if (list && edit.kind === "value") return flatOf(list, edit);
  const scalar = scalars.at(at);
  if (!scalar) return undefined;
  if (edit.kind === "wrap") return wrapOf(scalar, edit);
  const uses = new Set([keyUse(at.pointer), valueUse(at.pointer)].filter((use) => scalar.uses.has(use)));
  if (uses.size === 0) return undefined;
  if (edit.kind === "part") return partOf(scalar, uses, edit);
  const { value } = edit;
  if (typeof value === "string" && typeof scalar.value === "string") {
    return partOf(scalar, uses, { start: 0, end: scalar.value.length, text: value });
  }
  return value === scalar.value ? undefined : { kind: "value", scalar, uses, value };
}

function wrapOf(
  scalar: WrittenScalar,
  { at, under }: Extract<Edit, { kind: "wrap" }>,
): WrapChange | undefined {
  const isText = typeof scalar.value === "string" && scalar.uses.has(valueUse(at.pointer));
  return isText ? { kind: "wrap", scalar, uses: new Set([at.pointer]), under } : undefined;
}

function flatOf(list: PlacedList, { at, value }: Extract<Edit, { kind: "value" }>): FlatChange | undefined {
  const isOfTexts = list.uses.has(at.pointer) && list.node.items.every(({ kind }) => kind === "string");
  return isOfTexts ? { kind: "flat", list, uses: new Set([at.pointer]), value } : undefined;
}

function nestOf(edit: Extract<Edit, { kind: "nest" }>, scalars: Scalars): NestChange | undefined {
  const object = scalars.objectAt(edit.at);
  const { pointer } = edit.at;
  if (!object?.uses.has(pointer) || edit.keys.length === 0) return undefined;
  return { kind: "nest", object, uses: new Set([pointer]), keys: new Set(edit.keys), under: edit.under };
}

function additionOf(edit: Extract<Edit, { kind: "add" }>, scalars: Scalars): AddChange | undefined {
  const object = scalars.objectAt(edit.at);
  const { pointer } = edit.at;
  const members = object?.node.members ?? [];
  const isFree = members.length > 0 && members.every(({ key }) => key.value !== edit.key);
  if (!object?.uses.has(pointer) || !isFree) return undefined;
  return { kind: "add", object, uses: new Set([pointer]), key: edit.key, value: edit.value };
}

/** Trims the common prefix and suffix, so that they stay as written. */
function partOf(
  scalar: WrittenScalar,
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

/** The subject of a change. Only changes to the same subject can collide. */
export function changedThing(change: TextChange): WrittenScalar | PlacedObject | PlacedList {
  if ("scalar" in change) return change.scalar;
  return "list" in change ? change.list : change.object;
}

/** Whether a change affects the tree's shape rather than a scalar's value. */
export function isOfShape(change: TextChange): change is ShapeChange {
  return change.kind !== "part" && change.kind !== "value";
}

/** Whether two changes collide. Touching counts as colliding, because their order would be a guess. */
export function collide(a: TextChange, b: TextChange): boolean {
  if (isOfShape(a) || isOfShape(b)) return changedThing(a) === changedThing(b);
  if (a.scalar !== b.scalar) return false;
  if (a.kind === "value" || b.kind === "value") return true;
  return a.start <= b.end && b.start <= a.end;
}

/** The value of a scalar after all its changes, which do not collide. */
export function changedValue(scalar: WrittenScalar, changes: readonly ScalarChange[]): ScalarValue {
  let value = scalar.value;
  for (const change of changes.toReversed()) {
    if (change.kind === "value") return change.value;
    value = String(value).slice(0, change.start) + change.text + String(value).slice(change.end);
  }
  return value;
}

/** Writes changed parts in the scalar's own quoting style; `undefined` if that style cannot express them. */
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

/** Rewrites a whole scalar. Strings are double-quoted, which every format supports. */
export function writeWhole({ at }: WrittenScalar, value: ScalarValue, source: Source): Splice {
  const text = typeof value === "string" ? encodeQuoted(value) : String(value);
  const written = source.text.slice(at.start, at.end);
  const header = /^[|>][-+\d]*([^\r\n]*)/.exec(written);
  if (!header) return { start: at.start, end: at.end, text };
  // A YAML block scalar: keep the comment after its header and the blank lines after the scalar.
  const comment = header[1] ?? "";
  return {
    start: at.start,
    end: at.start + inkedLength(written),
    text: text + comment.slice(0, inkedLength(comment)),
  };
}

/** The length without trailing YAML white space; any other white space is part of the text. */
function inkedLength(text: string): number {
  let length = text.length;
  while (length > 0 && " \t\r\n".includes(text[length - 1] as string)) length -= 1;
  return length;
}
