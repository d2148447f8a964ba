import { visible } from "../../base/text/visible.js";
import type { Diagnostic } from "./diagnostic.js";

/**
 * All that a diagnostic says, as lines for a program that shows the place by itself. Control characters are escaped.
 * @param related lines about the related places, if the program does not show them
 */
export function messageLines(
  { message, label, notes, hint }: Pick<Diagnostic, "message" | "label" | "notes" | "hint">,
  related: readonly string[] = [],
): readonly string[] {
  return [
    label === undefined ? message : `${message}: ${label}`,
    ...related,
    ...notes.flatMap((note) => `note: ${note}`.split(/\r?\n/)),
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
  ].map(visible);
}
