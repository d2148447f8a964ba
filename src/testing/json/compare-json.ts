import type { JsonTree } from "../../runtime/wasm/json.js";

/**
 * Whether an answer equals the expected one, by gnd's rules: lists may be in any order, and a string of digits is
 * equal to the number with the same digits.
 */
export function isAsExpected(actual: JsonTree, expected: JsonTree): boolean {
  if (actual.kind === "object" && expected.kind === "object") {
    const wanted = new Map(expected.value);
    return (
      actual.value.length === wanted.size &&
      actual.value.every(([key, value]) => {
        const other = wanted.get(key);
        return other !== undefined && isAsExpected(value, other);
      })
    );
  }
  if (actual.kind === "array" && expected.kind === "array") {
    const left = [...expected.value];
    return (
      actual.value.length === left.length &&
      actual.value.every((item) => {
        const at = left.findIndex((other) => isAsExpected(item, other));
        if (at === -1) return false;
        left.splice(at, 1);
        return true;
      })
    );
  }
  if (isText(actual) && isText(expected)) return actual.value === expected.value;
  if (actual.kind === "bool" && expected.kind === "bool") return actual.value === expected.value;
  return actual.kind === "null" && expected.kind === "null";
}

function isText(tree: JsonTree): tree is JsonTree & { readonly kind: "number" | "string" } {
  return tree.kind === "string" || tree.kind === "number";
}

/** The answer with the items of its lists in the order of the expected ones that they resemble most. */
export function aligned(actual: JsonTree, expected: JsonTree): JsonTree {
  if (actual.kind === "object" && expected.kind === "object") {
    const wanted = new Map(expected.value);
    return {
      kind: "object",
      value: actual.value.map(([key, value]) => [key, aligned(value, wanted.get(key) ?? value)] as const),
    };
  }
  if (actual.kind !== "array" || expected.kind !== "array") return actual;
  const left = [...actual.value];
  const found = expected.value.flatMap((item) => {
    const scores = left.map((one) => likeness(one, item));
    const best = scores.indexOf(Math.max(...scores));
    return best === -1 ? [] : left.splice(best, 1).map((one) => aligned(one, item));
  });
  return { kind: "array", value: [...found, ...left] };
}

function likeness(actual: JsonTree, expected: JsonTree): number {
  if (actual.kind !== "object" || expected.kind !== "object") return isAsExpected(actual, expected) ? 1 : 0;
  const wanted = new Map(expected.value);
  let score = 0;
  for (const [key, value] of actual.value) {
    const other = wanted.get(key);
    if (other && isAsExpected(value, other)) score += key === "id" ? 100 : 1;
  }
  return score;
}

/** A value as indented JSON, a line for each item. Keys are in one order, so that two values can be compared. */
export function jsonLines(tree: JsonTree, indent = ""): readonly string[] {
  if (tree.kind !== "object" && tree.kind !== "array") {
    return [
      tree.kind === "string"
        ? JSON.stringify(tree.value)
        : tree.kind === "null"
          ? "null"
          : String(tree.value),
    ];
  }
  const [open, close] = tree.kind === "object" ? "{}" : "[]";
  const items =
    tree.kind === "object"
      ? tree.value.map(([key, value]) => [`${JSON.stringify(key)}: `, value] as const)
      : tree.value.map((value) => ["", value] as const);
  if (items.length === 0) return [`${open}${close}`];
  const inner = `${indent}  `;
  const lines = items.flatMap(([label, value], index) => {
    const [first = "", ...rest] = jsonLines(value, inner);
    const shown = [`${inner}${label}${first}`, ...rest];
    return index === items.length - 1 ? shown : [...shown.slice(0, -1), `${shown.at(-1)},`];
  });
  return [`${open}`, ...lines, `${indent}${close}`];
}

/** Lines that are compared; a longer text is shown without a comparison. */
const mostLines = 1_000;

/** Both texts, line by line: `-` before lines of the first only, `+` before lines of the second only. */
export function differenceOf(first: readonly string[], second: readonly string[]): readonly string[] {
  if (first.length > mostLines || second.length > mostLines) {
    return [
      ...first.slice(0, 50).map((line) => `- ${line}`),
      "…",
      ...second.slice(0, 50).map((line) => `+ ${line}`),
      "…",
    ];
  }
  // Lengths of the longest common subsequences of the remaining lines.
  const width = second.length + 1;
  const lengths = new Uint16Array((first.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = first.length - 1; i >= 0; i--) {
    for (let j = second.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        first[i] === second[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < first.length || j < second.length) {
    if (i < first.length && j < second.length && first[i] === second[j]) {
      lines.push(`  ${first[i]}`);
      i += 1;
      j += 1;
    } else if (j >= second.length || (i < first.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push(`- ${first[i]}`);
      i += 1;
    } else {
      lines.push(`+ ${second[j]}`);
      j += 1;
    }
  }
  return lines;
}
