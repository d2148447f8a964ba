import { quote } from "../../base/quote.js";
import type { Report } from "../diagnostics/report.js";
import type { CallConfig } from "../validate/config.js";
import type { SourceExpression } from "./expression-parser.js";
import { findCall } from "./expression-scope.js";

/** The calls of a valid enrichment, and their readers. */
export interface CallReaders {
  readonly calls: readonly CallConfig[];
  /** All expressions of the enrichment. */
  readonly expressions: readonly SourceExpression[];
  /** Whether it stores anything, which can depend on the success of a call. */
  readonly stores: boolean;
}

/** Warns about useless calls: their results are not read, and nothing depends on their success. */
export function reportUnreadCalls(enrichments: readonly CallReaders[], report: Report): void {
  const places = new Set<number>();
  for (const { ref } of enrichments.flatMap(unreadCalls)) {
    // YAML aliases bring the same enrichment several times.
    if (places.has(ref.at.start)) continue;
    places.add(ref.at.start);
    report.warning("call-unread", ref.at, `nothing reads the result of call ${quote(ref.value)}`, {
      label: "a wasted call on every run",
      hint: `store calls.${ref.value} in a field of an entity, or remove the call`,
    });
  }
}

function unreadCalls({ calls, expressions, stores }: CallReaders): readonly CallConfig[] {
  const refs = calls.map(({ ref }) => ({ ref: ref.value }));
  const dependencies = new Set(calls.flatMap(({ dependsOn }) => dependsOn.map(({ value }) => value)));
  const read = new Map<string, Set<SourceExpression["source"]>>();
  for (const { parsed, source } of expressions) {
    for (const [root, use] of parsed.paths.map(({ names }) => names)) {
      if (root?.name !== "calls") continue;
      // An expression that gets all calls as an argument may read any.
      if (!use) return [];
      const ref = findCall(use.name, refs)?.ref ?? "";
      read.set(ref, (read.get(ref) ?? new Set()).add(source));
    }
  }
  return calls.filter((call) => {
    const { ref, required, pre, post } = call;
    const decides = required || pre !== undefined || post !== undefined || dependencies.has(ref.value);
    const readers = [...(read.get(ref.value) ?? [])].filter((source) => source !== pre && source !== post);
    return readers.length === 0 && !(stores && decides);
  });
}
