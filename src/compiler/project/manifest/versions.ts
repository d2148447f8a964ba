import { type GraphCliRules, graphCliRules } from "../../abi/graph-cli-rules.js";

/** The rules of a version of graph-cli; of 0.98.1 if the version is unknown. */
export function rulesOf(version: string | undefined): GraphCliRules {
  return graphCliRules((first) => version === undefined || !isOlder(version, first));
}

/** Whether a version such as `0.0.5` or `0.25.0-alpha.1` is older than another; false for other texts. */
export function isOlder(version: string, than: string): boolean {
  const [one, other] = [numbersOf(version), numbersOf(than)];
  if (!one || !other) return false;
  for (const [at, number] of one.entries()) {
    const bound = other[at] ?? 0;
    if (number !== bound) return number < bound;
  }
  return false;
}

function numbersOf(version: string): readonly number[] | undefined {
  const found = /^\s*v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(version);
  return found ? found.slice(1).map((part = "0") => Number(part)) : undefined;
}
