import type {
  Engine,
  HostedBuild,
  HostedChange,
  HostedStatus,
  HostedStorage,
  Hosting,
  OfferedBuild,
} from "../../../src/hosting/engine.js";
import { aimedBuilds } from "../../../src/platform/subgraphs/builds.js";
import type { Database } from "../../../src/store/database/database.js";
import type { LogLine } from "../../../src/store/logs/log-line.js";

/** An engine that indexes nothing. It records its calls, and reports the statuses that tests set. */
export interface EngineDouble extends Engine {
  /** Its calls: `check Qm…`, `start Qm…`. */
  readonly calls: string[];
  readonly statuses: Map<string, HostedStatus>;
  readonly lines: Map<string, LogLine[]>;
  readonly storages: Map<string, HostedStorage>;
  /** Thrown by the next check. */
  refuses: Error | undefined;
  /** The findings for every build. */
  said: readonly string[];
  /** Thrown by every request for a status. */
  isAway: Error | undefined;
}

/** A hosting with one such engine. */
export interface HostingDouble extends Hosting {
  readonly double: EngineDouble;
}

const logPage = 100;

/** The status of a deployment until a test changes it. */
export const freshStatus: HostedStatus = {
  health: "healthy",
  isSynced: false,
  nonFatalErrors: [],
  startBlock: 100,
  chainHeadBlock: 1100,
};

/** Reconciles with the catalog like a hosting, with an engine that indexes nothing. */
export function createHostingDouble(
  database: Database,
  networks: readonly string[] = ["mainnet", "base", "matic", "arbitrum-one"],
): HostingDouble {
  const double = engineDouble(networks);
  const running = new Set<string>();
  const known = new Set<string>();
  return {
    double,
    engines: [double],
    engine: (name) => {
      if (name === double.name) return double;
      throw new Error(`there is no engine ${name}`);
    },
    engineFor: (network) => (networks.includes(network) ? double : undefined),
    async reconcile() {
      const aims = await aimedBuilds(database);
      for (const { deployment, network, isActive, isShown, project } of aims) {
        if (isShown) known.add(deployment);
        if (project !== null && isActive && !running.has(deployment)) {
          running.add(deployment);
          await double.start({
            deployment,
            network,
            project,
            read: () => Promise.reject(new Error("nothing is indexed")),
            mayRead: async () => false,
            keepPaused: async () => undefined,
          });
        } else if (!isActive && running.delete(deployment)) await double.pause(deployment);
      }
      for (const deployment of [...known]) {
        if (aims.some((aim) => aim.deployment === deployment && aim.isShown)) continue;
        known.delete(deployment);
        running.delete(deployment);
        await double.remove(deployment, async () => true);
      }
    },
    onChange: () => () => undefined,
    close: () => double.close(),
  };
}

function engineDouble(networks: readonly string[]): EngineDouble {
  const calls: string[] = [];
  const statuses = new Map<string, HostedStatus>();
  const lines = new Map<string, LogLine[]>();
  const storages = new Map<string, HostedStorage>();
  const listeners = new Set<(change: HostedChange) => void>();
  const note = (what: string, deployment: string): void => void calls.push(`${what} ${deployment}`);
  const double: EngineDouble = {
    name: "double",
    networks,
    calls,
    statuses,
    lines,
    storages,
    refuses: undefined,
    said: [],
    warnings: () => double.said,
    isAway: undefined,
    async check({ deployment }: OfferedBuild) {
      note("check", deployment);
      const { refuses } = double;
      double.refuses = undefined;
      if (refuses) throw refuses;
    },
    async start({ deployment }: HostedBuild) {
      note("start", deployment);
      if (!statuses.has(deployment)) statuses.set(deployment, freshStatus);
    },
    pause: async (deployment) => note("pause", deployment),
    async remove(deployment) {
      note("remove", deployment);
      statuses.delete(deployment);
      lines.delete(deployment);
    },
    async status(deployments) {
      if (double.isAway) throw double.isAway;
      return new Map([...statuses].filter(([deployment]) => deployments.includes(deployment)));
    },
    async logs(deployment, { cursor = 0, after = 0, direction, search = "", levels, limit = logPage }) {
      const fitting = (lines.get(deployment) ?? [])
        .filter(({ level, timestamp }) => (levels?.includes(level) ?? true) && timestamp >= after)
        .filter(({ text }) => text.toLowerCase().includes(search.toLowerCase()))
        .sort((a, b) => (direction === "asc" ? a.timestamp - b.timestamp : b.timestamp - a.timestamp));
      const end = cursor + limit;
      return { lines: fitting.slice(cursor, end), ...(end < fitting.length && { cursor: end }) };
    },
    answer: async () => ({ status: 200, body: '{"data":{}}' }) as never,
    storage: async (deployment) => storages.get(deployment),
    onChange(hear) {
      listeners.add(hear);
      return () => void listeners.delete(hear);
    },
    close: async () => void calls.push("close"),
  };
  return double;
}
