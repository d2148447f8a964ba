import type { FastifyBaseLogger } from "fastify";
import { groupBy } from "../../base/group-by.js";
import type { Engine, HostedStatus, Hosting } from "../../hosting/engine.js";
import { engineOf } from "./find-subgraph.js";
import type { SubgraphVersion } from "./versions.js";

/** Where it is logged that an engine does not answer. */
export type Log = Pick<FastifyBaseLogger, "warn">;

/** What an engine can be asked for; each is logged by itself. */
export type Question = "status" | "logs" | "storage";

/** The questions that an engine did not answer when it was asked last. */
const unanswered = new WeakMap<Engine, Set<Question>>();

/**
 * Asks an engine for what can be shown without it, too. A failure is logged once, until the engine answers again.
 * @returns the answer; nothing when the server was started without the engine, or the engine does not answer
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

/** What engines tell of deployments. */
export interface Statuses {
  /** By deployment; of those whose engine knows them and answers. */
  readonly known: ReadonlyMap<string, HostedStatus>;
  /** The names of the engines that did not answer. */
  readonly silent: ReadonlySet<string>;
}

/** How it goes with deployments, with one question to each engine that has some of them. */
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
