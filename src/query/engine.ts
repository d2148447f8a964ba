import type { DocumentNode } from "graphql";
import type { World } from "../base/world.js";
import { type Database, DatabaseError, type Sql } from "../store/database/database.js";
import { ApiSchema } from "./api/api-schema.js";
import type { DeploymentState, KnownBlock, QueryDeployment } from "./deployment.js";
import { type Foreseen, Foresight } from "./foresight.js";
import { defaultLimits, type QueryLimits } from "./limits.js";
import { locateBlock, type ReadBlock } from "./locate-block.js";
import { Tables } from "./plan/tables.js";
import { type Position, QueryError, reasonsIn } from "./query-error.js";
import { type BlockGroup, blockGroups } from "./request/blocks.js";
import { parseQuery } from "./request/parse-query.js";
import { readDocument } from "./request/read-document.js";
import { type GroupAnswer, runGroup } from "./run-group.js";

/** A client's request. */
export interface QueryRequest {
  readonly query: string;
  /** JSON, by name. */
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Selects one of several operations. */
  readonly operationName?: string | undefined;
}

/** The answer for a client, and what a server adds to it. */
export interface QueryAnswer {
  /** Missing if nothing succeeded. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Missing if nothing failed. */
  readonly errors?: readonly AnswerError[];
  /** Whether every indexer must give this answer. */
  readonly attestable: boolean;
  /** The latest indexed block, if it was looked up. */
  readonly head?: KnownBlock;
}

/** An error in the form that clients get. */
export interface AnswerError {
  readonly locations?: readonly Position[];
  readonly message: string;
}

/** Receives milliseconds of work. */
export type Spend = (milliseconds: number) => void;

/** Answers queries to one deployment. */
export interface QueryEngine {
  readonly api: ApiSchema;
  /**
   * Answers a request from one state of the database.
   * @param spend receives the time of the work on the request, even if the request failed: without waiting for a
   *   connection or a lock, and without the time in which the database was in trouble
   * @param gone aborted when all clients that asked have left. The work ends with the signal's reason
   * @returns the answer, which may contain query errors
   * @throws DatabaseError if the database cannot answer, whatever the query is
   */
  execute(request: QueryRequest, spend?: Spend, gone?: AbortSignal): Promise<QueryAnswer>;
}

/**
 * Creates the engine that answers queries to a deployment in graph-node's words.
 * @param limits limits that differ from graph-node's
 */
export function createQueryEngine({
  database,
  deployment,
  world,
  limits = {},
}: {
  readonly database: Database;
  readonly deployment: QueryDeployment;
  readonly world: Pick<World, "now">;
  readonly limits?: Partial<QueryLimits>;
}): QueryEngine {
  const api = new ApiSchema(deployment.schema);
  const all = { ...defaultLimits, ...limits };
  const tables = new Tables(deployment.layout);
  // Sending two statements at once saves time only with a server.
  const foresight = database.provider === "postgres" ? new Foresight() : undefined;
  const scope: EngineScope = { database, deployment, world, limits: all, api, tables, foresight };
  return {
    api,
    execute: (request, spend = () => undefined, gone = undefined) => execute(request, spend, gone, scope),
  };
}

interface EngineScope {
  readonly database: Database;
  readonly deployment: QueryDeployment;
  readonly world: Pick<World, "now">;
  readonly limits: QueryLimits;
  readonly api: ApiSchema;
  readonly tables: Tables;
  readonly foresight: Foresight | undefined;
}

async function execute(
  { query, variables = {}, operationName }: QueryRequest,
  spend: Spend,
  gone: AbortSignal | undefined,
  scope: EngineScope,
): Promise<QueryAnswer> {
  const { database, deployment, api, limits, world } = scope;
  const came = world.now();
  const late = came + limits.requestTimeout;
  let document: DocumentNode;
  try {
    document = parseQuery(query, limits);
  } catch (error) {
    spend(world.now() - came);
    return failed(error);
  }
  let groups: readonly BlockGroup[];
  try {
    groups = blockGroups(readDocument(document, { variables, operationName }, api, limits));
    spend(world.now() - came);
  } catch (error) {
    spend(world.now() - came);
    // Missing data is reported before errors in the query.
    return failed((await deployment.state(database)) ? error : notStarted(deployment));
  }
  const options = {
    snapshot: true,
    isMeasured: true,
    statementTimeout: limits.statementTimeout,
    signal: gone,
  };
  const isOver = (): boolean => world.now() >= late;
  const attempt = (attempted: EngineScope): Promise<QueryAnswer> =>
    database.transaction(async (sql) => {
      const begun = world.now();
      const pay = (): void => {
        const worked = world.now() - begun - (sql.waited?.() ?? 0);
        spend(Math.min(Math.max(0, worked), limits.requestTimeout));
      };
      try {
        const answer = await answered(groups, sql, isOver, attempted);
        pay();
        return answer;
      } catch (error) {
        // A failing database is not the query's fault.
        if (!(error instanceof DatabaseError)) pay();
        throw error;
      }
    }, options);
  try {
    return await attempt(scope).catch((error: unknown) => {
      if (!(error instanceof Misguess)) throw error;
      return attempt({ ...scope, foresight: undefined });
    });
  } catch (error) {
    return error instanceof RolledBack ? error.answer : failed(error);
  }
}

/** Ends a transaction that failed because its statement was sent for the wrong block. */
class Misguess extends Error {}

/** Ends a transaction that a failed statement has broken, with the answer that reports it. */
class RolledBack extends Error {
  readonly answer: QueryAnswer;

  constructor(answer: QueryAnswer) {
    super("a statement of the query failed");
    this.answer = answer;
  }
}

async function answered(
  groups: readonly BlockGroup[],
  sql: Sql,
  isOver: () => boolean,
  { deployment, api, tables, limits, foresight }: EngineScope,
): Promise<QueryAnswer> {
  const plans = { api, tables, limits };
  const looked = deployment.state(sql);
  const guess = foresight?.foresee(groups, sql, plans);
  const state = await looked;
  if (!state) throw notStarted(deployment);
  foresight?.learn(state.head.number);
  const foreseen = guess && (await confirmed(guess, state));
  const located = await locate(groups, state, deployment, sql);
  const budget = { limit: limits.resultBytes, spent: 0, isOver, isBroken: false };
  const isGuarded = countEntities(groups, api) > 1;
  const answers: GroupAnswer[] = [];
  for (const { group, at } of located) {
    const one = { plans, sql, deploymentId: deployment.id, state, budget, isGuarded, foreseen };
    answers.push(await runGroup(group, at, one));
  }
  const answer = combined(answers, state.head);
  if (budget.isBroken) throw new RolledBack(answer);
  return answer;
}

/**
 * Returns the rows that were read ahead at the right block.
 * @throws Misguess if the block was wrong and the statement failed
 */
async function confirmed(guess: Foreseen, { head }: DeploymentState): Promise<Foreseen | undefined> {
  if (guess.block === head.number) return guess;
  const isWhole = await guess.rows.then(
    () => true,
    () => false,
  );
  if (!isWhole) throw new Misguess("the query was read ahead at the wrong block");
  return undefined;
}

function countEntities(groups: readonly BlockGroup[], { root }: ApiSchema): number {
  return groups.flatMap(({ fields }) => fields).filter(({ name }) => root.has(name)).length;
}

function notStarted({ id }: QueryDeployment): QueryError {
  return new QueryError(
    `Store error: query execution failed: Subgraph \`${id}\` has not started syncing yet. ` +
      "Wait for it to ingest a few blocks before querying it",
    { attestable: false },
  );
}

/** Finds all blocks before anything is read. One unknown block fails the whole request. */
async function locate(
  groups: readonly BlockGroup[],
  state: DeploymentState,
  deployment: QueryDeployment,
  sql: Sql,
): Promise<readonly { group: BlockGroup; at: ReadBlock }[]> {
  const located: { group: BlockGroup; at: ReadBlock }[] = [];
  for (const group of groups) {
    located.push({ group, at: await locateBlock(group.constraint, state, deployment, sql) });
  }
  return located;
}

function combined(answers: readonly GroupAnswer[], head: KnownBlock): QueryAnswer {
  const errors = answers.flatMap((answer) => answer.errors);
  const given = answers.flatMap(({ data }) => data ?? []);
  return {
    ...(given.length > 0 && { data: Object.assign(Object.create(null), ...given) }),
    ...(errors.length > 0 && { errors: errors.map(answerError) }),
    attestable: errors.every(({ attestable }) => attestable),
    head,
  };
}

/** @throws errors that the query did not cause */
function failed(thrown: unknown): QueryAnswer {
  const errors = reasonsIn(thrown);
  return {
    errors: errors.map(answerError),
    attestable: errors.every(({ attestable }) => attestable),
  };
}

function answerError({ message, position }: QueryError): AnswerError {
  return position ? { locations: [{ line: position.line, column: position.column }], message } : { message };
}
