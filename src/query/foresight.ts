import type { Row, Sql } from "../store/database/database.js";
import { type PlanScope, planRoot, type RootPlan } from "./plan/root-sql.js";
import type { BlockGroup } from "./request/blocks.js";
import type { SelectedField } from "./request/selection.js";

/** A statement that was sent before it was known for sure at which block it reads. */
export interface Foreseen {
  readonly plan: RootPlan;
  readonly block: number;
  readonly rows: Promise<readonly Row[]>;
}

/** Guesses at which block a query will be read: the last one, once two queries in a row have found the same. */
export class Foresight {
  #last: number | undefined;
  #likely: number | undefined;

  /** Takes in which block was the last when it was looked up. */
  learn(head: number): void {
    this.#likely = head === this.#last ? head : undefined;
    this.#last = head;
  }

  /**
   * Sends the one statement of a request for the block that is likely, so that it travels with the look at which block
   * it is. Only for requests with nothing before or after that statement that it could spoil.
   */
  foresee(groups: readonly BlockGroup[], sql: Sql, plans: PlanScope): Foreseen | undefined {
    const block = this.#likely;
    if (block === undefined) return undefined;
    const field = onlyField(groups, plans);
    if (!field) return undefined;
    const plan = planRoot(field, block, plans);
    if (plan.statement === undefined) return undefined;
    const rows = sql.query(plan.statement, plan.parameters);
    // Whoever needs them hears of it; till then it must not count as unhandled.
    rows.catch(() => undefined);
    return { plan, block, rows };
  }
}

/** The field that is read from tables, when it is the only one, and read at the last block. */
function onlyField(groups: readonly BlockGroup[], { api }: PlanScope): SelectedField | undefined {
  const [group, another] = groups;
  if (!group || another || group.constraint.kind !== "latest") return undefined;
  const [field, ...more] = group.fields.filter(({ name }) => api.root.has(name));
  const others = group.fields.filter(({ name }) => !api.root.has(name));
  return more.length === 0 && others.every(({ name }) => name === "_meta") ? field : undefined;
}
