import { notFound, unprocessable } from "./management-problem.js";
import type { ManagementState, TestTag, TestVersion } from "./management-state.js";

/**
 * A deployed version.
 * @throws Problem when there is none, or when it is a tag
 */
export function versionOf(state: ManagementState, name: unknown, version: unknown): TestVersion {
  const found = state.versions.find((each) => each.name === name && each.version === version);
  if (found) return found;
  if (state.tags.some((each) => each.name === name && each.tag === version)) {
    throw unprocessable(`"${version}" is a tag; name a version.`);
  }
  throw notFound(`${name}/${version}`);
}

/** A tag, if there is one. */
export function tagOf(state: ManagementState, name: unknown, tag: unknown): TestTag | undefined {
  return state.tags.find((each) => each.name === name && each.tag === tag);
}

/** Versions and tags, by name and label. */
export function entriesOf(state: ManagementState): (TestVersion | TestTag)[] {
  return [...state.versions, ...state.tags].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function keyOf(entry: TestVersion | TestTag): string {
  return `${entry.name} ${"tag" in entry ? entry.tag : entry.version}`;
}
