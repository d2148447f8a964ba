import type { Diagnostic, Edit } from "../diagnostics/diagnostic.js";
import type { Source } from "../source/source.js";
import { changedThing, changeOf, collide, type TextChange } from "./change.js";
import type { Scalars } from "./scalars.js";

/** An applicable fix, and the diagnostics that carry it. */
export interface Candidate {
  readonly diagnostics: readonly Diagnostic[];
  readonly changes: readonly TextChange[];
}

/** Why a fix was not applied. */
export type SkipReason =
  /** It changes another file. */
  | "other-file"
  /** It collides with an applied fix; a new check may report it again. */
  | "collision"
  /** It cannot be written without changing something else. */
  | "impossible";

/**
 * The distinct fixes for this source that are applicable on their own.
 * @param reasons receives the reason for each other fix
 */
export function applicableFixes(
  source: Source,
  diagnostics: readonly Diagnostic[],
  scalars: Scalars,
  reasons: Map<Diagnostic, SkipReason>,
): readonly Candidate[] {
  const found = new Map<string, Candidate>();
  for (const diagnostic of diagnostics) {
    const edits = diagnostic.fix ?? [];
    const changes = edits.every((edit) => isIn(edit, source)) ? changesOf(edits, scalars) : "other-file";
    if (typeof changes === "string") {
      reasons.set(diagnostic, changes);
      continue;
    }
    const name = JSON.stringify(changes.map(changeIdentity));
    const twin = found.get(name);
    found.set(name, {
      diagnostics: [...(twin?.diagnostics ?? []), diagnostic],
      changes: twin ? join(twin.changes, changes) : changes,
    });
  }
  return [...found.values()];
}

/** The first of each group of colliding fixes, and the rest, which must wait. */
export function chooseApart(all: readonly Candidate[]): {
  readonly chosen: readonly Candidate[];
  readonly waiting: readonly Candidate[];
} {
  const chosen: Candidate[] = [];
  const waiting: Candidate[] = [];
  const taken = new Map<ReturnType<typeof changedThing>, TextChange[]>();
  for (const candidate of all) {
    const collides = candidate.changes.some((change) =>
      taken.get(changedThing(change))?.some((other) => collide(change, other)),
    );
    (collides ? waiting : chosen).push(candidate);
    if (collides) continue;
    for (const change of candidate.changes) {
      const subject = changedThing(change);
      taken.set(subject, [...(taken.get(subject) ?? []), change]);
    }
  }
  return { chosen, waiting };
}

function isIn(edit: Edit, { path, text }: Source): boolean {
  const { source } = edit.kind === "part" ? edit.of.at : edit.at;
  return source.path === path && source.text === text;
}

function changesOf(edits: readonly Edit[], scalars: Scalars): readonly TextChange[] | SkipReason {
  const changes = new Map<string, TextChange>();
  for (const edit of edits) {
    const change = changeOf(edit, scalars);
    if (!change) return "impossible";
    const name = JSON.stringify(changeIdentity(change));
    const twin = changes.get(name);
    changes.set(name, twin ? withUses(twin, change) : change);
  }
  const all = [...changes.values()];
  const overlap = all.some((change, index) => all.slice(index + 1).some((other) => clash(change, other)));
  return overlap ? "impossible" : all;
}

/** Whether two edits of one fix overlap. They may touch, because a fix has an order. */
function clash(a: TextChange, b: TextChange): boolean {
  if (!collide(a, b)) return false;
  return a.kind !== "part" || b.kind !== "part" || (a.start < b.end && b.start < a.end);
}

function changeIdentity(change: TextChange): readonly unknown[] {
  const thing = changedThing(change);
  const { start, end } = "at" in thing ? thing.at : thing.node.at;
  switch (change.kind) {
    case "nest":
      return [start, end, "nest", ...change.keys, change.under];
    case "add":
      return [start, end, "add", change.key, change.value];
    case "wrap":
      return [start, end, "wrap", change.under];
    case "flat":
    case "value":
      return [start, end, change.value];
    case "part":
      return [start, end, change.start, change.end, change.text];
  }
}

function join(changes: readonly TextChange[], others: readonly TextChange[]): readonly TextChange[] {
  return changes.map((change, index) => withUses(change, others[index] ?? change));
}

function withUses(change: TextChange, other: TextChange): TextChange {
  return { ...change, uses: new Set([...change.uses, ...other.uses]) };
}
