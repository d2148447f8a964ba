import { Counter, type Registry } from "prom-client";
import type { MetricsView } from "./metrics-view.js";
import type { Reading } from "./read-server.js";

/** Counts queries by deployment and by what answered them. */
export class QueryCounts {
  readonly #counts = new Map<string, Map<string, number>>();

  add(deployment: string, answeredBy: string): void {
    const own = this.#counts.get(deployment) ?? new Map<string, number>();
    own.set(answeredBy, (own.get(answeredBy) ?? 0) + 1);
    this.#counts.set(deployment, own);
  }

  /** Drops the counts of all other deployments. */
  keepOnly(deployments: ReadonlySet<string>): void {
    for (const deployment of this.#counts.keys())
      if (!deployments.has(deployment)) this.#counts.delete(deployment);
  }

  /** Registers the visible counts; a view without names gets only totals. */
  tell(registry: Registry, { deployments }: Reading, { kind }: MetricsView): void {
    // Of a build that several projects have, nobody knows whose queries they are.
    const visible = new Set(
      deployments?.flatMap(({ deployment, isShared }) => (isShared ? [] : [deployment])),
    );
    const counter = new Counter({
      name: "graphloom_queries_total",
      help: "Queries, by what answered them.",
      labelNames: ["deployment", "answered_by"],
      registers: [registry],
    });
    for (const [deployment, counts] of this.#counts) {
      const isSeen = kind === "all" || visible.has(deployment);
      if (kind !== "nameless" && !isSeen) continue;
      for (const [from, count] of counts) {
        counter.inc({ ...(kind !== "nameless" && { deployment }), answered_by: from }, count);
      }
    }
  }
}
