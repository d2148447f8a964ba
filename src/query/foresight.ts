import type { Row, Sql } from "../store/database/database.js";
import { type PlanScope, planRoot, type RootPlan } from "./plan/root-sql.js";
import type { BlockGroup } from "./request/blocks.js";
import type { SelectedField } from "./request/selection.js";

/** A statement that was sent before its block was certain. */
export interface Foreseen {
  readonly plan: RootPlan;
  readonly block: number;
  readonly rows: Promise<readonly Row[]>;
}

/** Guesses the block at which a query will be read: the last one, once two queries in a row found the same. */
export class Foresight {
  #last: number | undefined;
  #likely: number | undefined;

  /** Records the last block that a lookup found. */
  learn(head: number): void {
    this.#likely = head === this.#last ? head : undefined;
    this.#last = head;
  }

  /**
   * Sends the only statement of a request for the likely block, so that it travels together with the lookup of the
   * block. Only for requests without other statements that a failure could spoil.
   */
  foresee(groups: readonly BlockGroup[], sql: Sql, plans: PlanScope): Foreseen | undefined {
    const block = this.#likely;
    if (block === undefined) return undefined;
    const field = onlyField(groups, plans);
    if (!field) return undefined;
    const plan = planRoot(field, block, plans);
    if (plan.statement === undefined) return undefined;
    const rows = sql.query(plan.statement, plan.parameters);
    // The caller that needs the rows gets the error. Until then the rejection must not count as unhandled.
    rows.catch(() => undefined);
    return { plan, block, rows };
  }
}

/** The only field that is read from tables, if it is read at the last block. */
function onlyField(groups: readonly BlockGroup[], { api }: PlanScope): SelectedField | undefined {
  const [group, another] = groups;
  if (!group || another || group.constraint.kind !== "latest") return undefined;
  const [field, ...more] = group.fields.filter(({ name }) => api.root.has(name));
  const others = group.fields.filter(({ name }) => !api.root.has(name));
  return more.length === 0 && others.every(({ name }) => name === "_meta") ? field : undefined;
}
