import { groupBy } from "../../../base/group-by.js";
import { quote } from "../../../base/text/quote.js";
import type { Report } from "../../diagnostics/report.js";
import type { Location } from "../../source/source.js";

/** A dependency of one call on another, and its location in the configuration. */
export interface Need {
  readonly from: string;
  readonly to: string;
  readonly at: Location;
  /** Whether it is in `depends_on`; otherwise an expression reads its result. */
  readonly isDependency: boolean;
}

/** Dependencies of calls that form cycles. */
export interface CallCycles {
  /** Whether a dependency is part of a reported cycle. */
  has(from: string, to: string): boolean;
}

/**
 * Reports cycles of calls, at the first dependency on a later call.
 * @param needs the dependencies in written order; no call depends on itself
 * @param refs the calls in written order
 * @param isEssential whether the call's revert aborts the enrichment; otherwise, its result is null
 */
export function reportCycles(
  needs: readonly Need[],
  refs: readonly string[],
  isEssential: (ref: string) => boolean,
  report: Report,
): CallCycles {
  const positions = new Map(refs.map((ref, position) => [ref, position]));
  const isLater = ({ from, to }: Need): boolean => (positions.get(to) ?? -1) > (positions.get(from) ?? 0);
  const byCall = groupBy(needs, ({ from }) => from);
  const reported = new Set<string>();
  const circular = new Set<string>();
  for (const need of needs.filter(isLater)) {
    const way = wayBack(need, byCall);
    if (!way) continue;
    const cycle = [need, ...way];
    for (const { from, to } of cycle) circular.add(edgeKey(from, to));
    const members = cycle.map(({ from }) => from).sort();
    if (reported.has(members.join())) continue;
    reported.add(members.join());
    const unmet = cycle.filter(isLater);
    const isFatal = unmet.some(({ to, isDependency }) => isDependency || isEssential(to));
    reportCycle(cycle, unmet.length, isFatal, report);
  }
  return { has: (from, to) => circular.has(edgeKey(from, to)) };
}

/** Dependencies by call. */
type Needs = ReadonlyMap<string, readonly Need[]>;

function edgeKey(from: string, to: string): string {
  return `${from} ${to}`;
}

/** The shortest path from a dependency's target back to its source; `undefined` if there is none. */
function wayBack({ from, to }: Need, needs: Needs): readonly Need[] | undefined {
  const reachedBy = new Map<string, Need>();
  const reached = new Set([to]);
  // The iteration also visits values added to the set meanwhile.
  for (const ref of reached) {
    for (const need of needs.get(ref) ?? []) {
      if (reached.has(need.to)) continue;
      reached.add(need.to);
      reachedBy.set(need.to, need);
    }
  }
  const way: Need[] = [];
  for (let need = reachedBy.get(from); need; need = need.from === to ? undefined : reachedBy.get(need.from)) {
    way.unshift(need);
  }
  return way.length > 0 ? way : undefined;
}

/** @param unmet number of dependencies on later calls */
function reportCycle(cycle: readonly Need[], unmet: number, isFatal: boolean, report: Report): void {
  const [first, ...others] = cycle;
  if (!first) return;
  const names = cycle.map(({ from }) => quote(from));
  const words = ({ from, to }: Need): string => `${quote(from)} needs ${quote(to)}`;
  const removal = first.isDependency
    ? `remove ${quote(first.to)} from "depends_on"`
    : `do not use calls.${first.to} here`;
  // The order that satisfies all dependencies except the first.
  const order = [first, ...others.toReversed()].map(({ from }) => from);
  report[isFatal ? "error" : "warning"](
    "call-order",
    first.at,
    `calls ${names.slice(0, -1).join(", ")} and ${names.at(-1)} form a cycle`,
    {
      label: words(first),
      related: others.map((need) => ({ at: need.at, text: words(need) })),
      hint: unmet > 1 ? `${removal} and write the calls in the order ${order.join(", ")}` : removal,
    },
  );
}
