import { isRecord } from "../base/text/json-value.js";
import type { Sql } from "../store/database/database.js";
import { readFailures, rootValue } from "./answer/assemble.js";
import { namedTypeObject, schemaObject, textArgument } from "./answer/introspection.js";
import { answerObject, type PlainObject, plainObject, plainValue } from "./answer/plain-value.js";
import type { DeploymentState } from "./deployment.js";
import type { Foreseen } from "./foresight.js";
import type { ReadBlock } from "./locate-block.js";
import { type PlanScope, planRoot, type RootPlan } from "./plan/root-sql.js";
import { QueryError, QueryErrors, reasonsIn } from "./query-error.js";
import type { BlockGroup } from "./request/blocks.js";
import type { SelectedField } from "./request/selection.js";
import { QueryTimeout, type RunBudget, runPlan } from "./run-plan.js";

export interface GroupScope {
  readonly plans: PlanScope;
  readonly sql: Sql;
  readonly deploymentId: string;
  readonly state: DeploymentState;
  readonly budget: RunBudget;
  /** Whether anything follows a failed statement. */
  readonly isGuarded: boolean;
  /** The only field that is read from tables, if its statement was sent ahead. */
  readonly foreseen: Foreseen | undefined;
}

/** The result of a group of root fields: data, errors, or data that may be wrong. */
export interface GroupAnswer {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly errors: readonly QueryError[];
}

/** Answers the root fields that are read at one block. @throws DatabaseError */
export async function runGroup(group: BlockGroup, at: ReadBlock, scope: GroupScope): Promise<GroupAnswer> {
  try {
    return judged(await dataOf(group.fields, at, scope), group, at, scope.state);
  } catch (error) {
    if (error instanceof QueryTimeout) throw error;
    return { errors: reasonsIn(error) };
  }
}

async function dataOf(
  fields: readonly SelectedField[],
  at: ReadBlock,
  scope: GroupScope,
): Promise<Record<string, unknown>> {
  const { api } = scope.plans;
  const entities = fields.filter(({ name }) => api.root.has(name));
  checkLogs(fields, entities.length > 0);
  const answer = answerObject();
  await addEntities(answer, entities, at, scope);
  const others = objects(at, scope);
  const beside = fields.filter(({ name }) => !api.root.has(name));
  // Introspection comes last among the fields not read from tables.
  const isIntrospection = ({ name }: SelectedField): boolean => name === "__schema" || name === "__type";
  for (const field of [...beside.filter((one) => !isIntrospection(one)), ...beside.filter(isIntrospection)]) {
    answer[field.key] = besideValue(field, others, api.query.name);
  }
  return answer;
}

function checkLogs(fields: readonly SelectedField[], besideEntities: boolean): void {
  if (!fields.some(({ name }) => name === "_logs")) return;
  if (besideEntities) {
    throw new QueryError("The _logs query cannot be combined with other entity queries in the same request", {
      attestable: false,
    });
  }
  throw new QueryError("Not supported: the `_logs` query is not enabled on this indexer");
}

async function addEntities(
  answer: Record<string, unknown>,
  fields: readonly SelectedField[],
  at: ReadBlock,
  scope: GroupScope,
): Promise<void> {
  const { api } = scope.plans;
  const failures: QueryError[] = [];
  const read: { plan: RootPlan; rows: Awaited<ReturnType<typeof runPlan>> }[] = [];
  for (const field of fields) {
    const plan = scope.foreseen?.plan ?? planRoot(field, at.number, scope.plans);
    try {
      const rows = await runPlan(plan, scope, scope.foreseen?.rows);
      failures.push(...readFailures(plan.rows, rows));
      read.push({ plan, rows });
    } catch (error) {
      if (error instanceof QueryTimeout) throw error;
      failures.push(...reasonsIn(error));
    }
  }
  if (failures.length > 0) throw new QueryErrors(failures);
  for (const { plan, rows } of read) answer[plan.field.key] = rootValue(plan, rows, api, failures);
  if (failures.length > 0) throw new QueryErrors(failures);
}

/** The root fields that are not read from tables, by name. */
function objects(at: ReadBlock, { plans, deploymentId, state }: GroupScope): PlainObject {
  const { schema } = plans.api;
  const { number, hash, timestamp, parentHash } = at;
  const { firstErrorBlock } = state;
  return {
    _meta: {
      block: { hash, number, timestamp, parentHash },
      deployment: deploymentId,
      hasIndexingErrors: firstErrorBlock !== undefined && firstErrorBlock <= number,
    },
    __schema: () => schemaObject(schema),
    __type: (field: SelectedField) => namedTypeObject(textArgument(field, "name"), schema),
  };
}

function besideValue(field: SelectedField, others: PlainObject, query: string): unknown {
  const { name, selection } = field;
  if (name === "__typename") return query;
  const value = plainValue(others, field);
  const [type] = selection?.types ?? [];
  return isRecord(value) && selection && type !== undefined ? plainObject(value, selection, type) : null;
}

const keptWhenDenied = ["_meta", "_logs", "__schema", "__type"];

/** Removes the data, or marks it as possibly wrong, if the subgraph had errors up to the block. */
function judged(
  data: Record<string, unknown>,
  { allowsErrors }: BlockGroup,
  at: ReadBlock,
  { firstErrorBlock }: DeploymentState,
): GroupAnswer {
  const keys = Object.keys(data);
  const isSafe = keys.every((key) => key === "_meta" || key === "_logs");
  if (firstErrorBlock === undefined || at.number < firstErrorBlock || isSafe) return { data, errors: [] };
  const errors = [new QueryError("indexing_error", { attestable: false })];
  if (allowsErrors) return { data, errors };
  const kept = keys.filter((key) => keptWhenDenied.includes(key));
  if (kept.length === 0) return { errors };
  return { data: Object.fromEntries(kept.map((key) => [key, data[key]])), errors };
}
