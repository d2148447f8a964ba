import { Report } from "../diagnostics/report.js";
import { parseDocument } from "../parse/parse-document.js";
import { parseYaml } from "../parse/parse-yaml.js";
import type { Source } from "../source/source.js";
import type { TreeNode } from "../source/tree.js";
import type { Candidate } from "./candidates.js";
import { changedValue, isOfShape, type ScalarChange, writeParts, writeWhole } from "./change.js";
import { type Addition, type Nest, sameTree } from "./same-tree.js";
import { type ScalarValue, valueUse, type WrittenScalar } from "./scalars.js";
import { type Splice, splice } from "./splice.js";
import { writeAddition } from "./write-addition.js";
import { writeFlat } from "./write-flat.js";
import { writeNest } from "./write-nest.js";
import { writeWrap } from "./write-wrap.js";

/** A fix, and whether to rewrite the strings that it changes in double quotes. */
interface Attempt {
  readonly candidate: Candidate;
  readonly isQuoted: boolean;
}

/** Applies as many fixes as provably change nothing else. */
export class FixProof {
  readonly #source: Source;
  readonly #tree: TreeNode | undefined;
  readonly #attempts: Attempt[] = [];
  text: string;
  splices: readonly Splice[] = [];

  /** @param tree the parsed source */
  constructor(source: Source, tree: TreeNode | undefined) {
    this.#source = source;
    this.#tree = tree;
    this.text = source.text;
  }

  get accepted(): readonly Candidate[] {
    return this.#attempts.map(({ candidate }) => candidate);
  }

  /**
   * Applies fixes that do not collide, on top of earlier ones.
   * @returns the fixes that cannot be applied
   */
  take(candidates: readonly Candidate[]): readonly Candidate[] {
    if (this.#holds(candidates, false)) return [];
    // One bad fix fails all of them; bisection finds the culprits with few parses.
    const [only] = candidates;
    if (only && candidates.length === 1) return this.#holds([only], true) ? [] : [only];
    const middle = candidates.length >> 1;
    return [...this.take(candidates.slice(0, middle)), ...this.take(candidates.slice(middle))];
  }

  #holds(candidates: readonly Candidate[], isQuoted: boolean): boolean {
    if (candidates.length === 0) return true;
    const added = candidates.map((candidate) => ({ candidate, isQuoted }));
    const draft = this.#draft([...this.#attempts, ...added]);
    if (!draft) return false;
    this.#attempts.push(...added);
    this.text = draft.text;
    this.splices = draft.splices;
    return true;
  }

  /** The text with these fixes applied; `undefined` if it does not parse to exactly the intended tree. */
  #draft(attempts: readonly Attempt[]): { readonly text: string; readonly splices: Splice[] } | undefined {
    const wanted = new Map<string, ScalarValue>();
    const nests = new Map<string, Nest>();
    const wraps = new Map<string, string>();
    const additions = new Map<string, Addition>();
    // Comes first, so that an insertion before a key precedes a change to the key.
    const splices: Splice[] = [];
    for (const change of attempts.flatMap(({ candidate }) => candidate.changes)) {
      if (change.kind === "nest") {
        for (const use of change.uses) nests.set(use, change);
        splices.push(...writeNest(change, this.#source));
      } else if (change.kind === "add") {
        for (const use of change.uses) additions.set(use, change);
        splices.push(...writeAddition(change, this.#source));
      } else if (change.kind === "wrap") {
        for (const use of change.uses) wraps.set(use, change.under);
        splices.push(writeWrap(change, this.#source));
      } else if (change.kind === "flat") {
        for (const use of change.uses) wanted.set(valueUse(use), change.value);
        splices.push(...writeFlat(change, this.#source));
      }
    }
    for (const [scalar, { changes, isQuoted }] of byScalar(attempts)) {
      const value = changedValue(scalar, changes);
      for (const use of changes.flatMap(({ uses }) => [...uses])) wanted.set(use, value);
      const parts = isQuoted ? undefined : writeParts(changes, this.#source);
      splices.push(...(parts ?? [writeWhole(scalar, value, this.#source)]));
    }
    splices.sort((a, b) => a.start - b.start);
    const text = splice(this.#source.text, splices);
    // A lone surrogate would pass here, but not survive encoding as UTF-8.
    if (/\p{Cs}/u.test(text) || !this.#tree) return undefined;
    const after = parseDocument({ path: this.#source.path, text }, new Report(), parseYaml);
    return after && sameTree(this.#tree, after, { values: wanted, nests, wraps, additions })
      ? { text, splices }
      : undefined;
  }
}

function byScalar(attempts: readonly Attempt[]) {
  const scalars = new Map<WrittenScalar, { readonly changes: ScalarChange[]; isQuoted: boolean }>();
  for (const { candidate, isQuoted } of attempts) {
    for (const change of candidate.changes) {
      if (isOfShape(change)) continue;
      const known = scalars.get(change.scalar) ?? { changes: [], isQuoted: false };
      known.changes.push(change);
      known.isQuoted ||= isQuoted;
      scalars.set(change.scalar, known);
    }
  }
  for (const { changes } of scalars.values()) changes.sort((a, b) => startOf(a) - startOf(b));
  return scalars;
}

function startOf(change: ScalarChange): number {
  return change.kind === "value" ? 0 : change.start;
}
