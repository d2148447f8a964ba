import type { FieldError } from "../problem.js";

/** The most characters in a name: it must fit into an address. */
const longestName = 200;
/** Characters that are invisible or change how others are displayed: control characters, direction marks, breaks. */
const unseen = /[\p{C}\p{Zl}\p{Zp}]/u;

/** What is wrong with the name of a new endpoint. */
export function nameFaults(name: string): readonly FieldError[] {
  const message = whyNot(name);
  return message === undefined ? [] : [{ field: "name", message }];
}

function whyNot(name: string): string | undefined {
  if (name.length > longestName) return `has more than ${longestName} characters`;
  if (unseen.test(name)) return "must not contain control characters or other invisible characters";
  if (name.trim() !== name || name === "") return "must not be blank, or begin or end with whitespace";
  return isDots(name) ? "must not consist only of dots: in an address, they lead elsewhere" : undefined;
}

/**
 * Reads the name of an endpoint from a path. Earlier versions allowed the names `.` and `..`, which are reached as `%2E`
 * and `%2E%2E` (`/edge/%252E%252E`): clients and proxies would resolve plain dots as steps in the path.
 */
export function edgeNameIn({ name }: { readonly name: string }): string {
  const spelled = name.replaceAll(/%2e/gi, ".");
  return isDots(spelled) ? spelled : name;
}

/** The name of an endpoint as a part of a path, which `edgeNameIn` reads. */
export function edgeNameInPath(name: string): string {
  return encodeURIComponent(isDots(name) ? name.replaceAll(".", "%2E") : name);
}

function isDots(name: string): boolean {
  return /^\.+$/.test(name);
}
