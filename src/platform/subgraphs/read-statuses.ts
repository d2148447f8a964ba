import type { FastifyBaseLogger } from "fastify";
import { groupBy } from "../../base/group-by.js";
import type { Engine, HostedStatus, Hosting } from "../../hosting/engine.js";
import { engineOf } from "./find-subgraph.js";
import type { SubgraphVersion } from "./versions.js";

/** The log for engines that do not answer. */
export type Log = Pick<FastifyBaseLogger, "warn">;

/** The kinds of questions to an engine. Failures are logged separately for each. */
export type Question = "status" | "logs" | "storage";

/** The kinds of questions that each engine last failed to answer. */
const unanswered = new WeakMap<Engine, Set<Question>>();

/**
 * Asks an engine for optional information. A failure is logged once, until the engine answers again.
 * @returns the answer; undefined when the server was started without the engine, or the engine does not answer
 */
export async function askEngine<Answer>(
  engine: Engine | undefined,
  question: Question,
  log: Log,
  ask: (engine: Engine) => Promise<Answer>,
): Promise<Answer | undefined> {
  if (!engine) return undefined;
  const failed = unanswered.get(engine) ?? new Set();
  unanswered.set(engine, failed);
  try {
    const answer = await ask(engine);
    failed.delete(question);
    return answer;
  } catch (error) {
    if (!failed.has(question))
      log.warn({ err: error, engine: engine.name, question }, "an engine does not answer");
    failed.add(question);
    return undefined;
  }
}

/** The statuses that engines report. */
export interface Statuses {
  /** By deployment, for those whose engine knows them and answers. */
  readonly known: ReadonlyMap<string, HostedStatus>;
  /** The names of the engines that did not answer. */
  readonly silent: ReadonlySet<string>;
}

/** Reads the statuses of deployments, with one question to each of their engines. */
export async function readStatuses(
  { engines }: Pick<Hosting, "engines">,
  builds: readonly Pick<SubgraphVersion, "deployment" | "engine">[],
  log: Log,
): Promise<Statuses> {
  const known = new Map<string, HostedStatus>();
  const silent = new Set<string>();
  const read = async ([name, own]: readonly [string, readonly (typeof builds)[number][]]): Promise<void> => {
    const deployments = [...new Set(own.map(({ deployment }) => deployment))];
    const engine = engineOf({ engines }, name);
    const found = await askEngine(engine, "status", log, (one) => one.status(deployments));
    if (!found) silent.add(name);
    for (const [deployment, status] of found ?? []) known.set(deployment, status);
  };
  await Promise.all([...groupBy(builds, ({ engine }) => engine)].map(read));
  return { known, silent };
}
