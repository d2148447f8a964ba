import type { Engine, HostedStatus, Hosting } from "../../../src/hosting/engine.js";
import { aimedBuilds, dropBuild } from "../../../src/platform/subgraphs/builds.js";
import type { Database } from "../../../src/store/database/database.js";

/** Hosting whose engine indexes nothing; the test sets the status of each deployment. */
export interface PlayedHosting extends Hosting {
  /** The ids of the deployments that are being indexed. */
  readonly running: ReadonlySet<string>;
  /** Sets the status of a deployment. */
  play(deployment: string, status: Partial<HostedStatus>): void;
}

const untouched: HostedStatus = {
  health: "healthy",
  isSynced: false,
  nonFatalErrors: [],
  startBlock: 1,
};

export function playHosting(database: Database, network: string): PlayedHosting {
  const states = new Map<string, HostedStatus>();
  const running = new Set<string>();
  const unused = (): never => {
    throw new Error("this is not played");
  };
  const unasked = { read: unused, mayRead: unused, keepPaused: unused };
  const engine: Engine = {
    name: "played",
    networks: [network],
    check: async (build) => {
      const { files } = await build.read();
      if (files.has("refused")) throw new Error("the engine refuses it");
    },
    warnings: ({ schema }) => (schema.text.includes("doubtful") ? ["the played engine\u0007 warns"] : []),
    start: async ({ deployment }) => {
      running.add(deployment);
      if (!states.has(deployment)) states.set(deployment, untouched);
    },
    pause: async (deployment) => void running.delete(deployment),
    remove: async (deployment) => {
      running.delete(deployment);
      states.delete(deployment);
    },
    status: async (deployments) =>
      new Map(
        deployments.flatMap((one) => (states.has(one) ? [[one, states.get(one) as HostedStatus]] : [])),
      ),
    logs: unused,
    answer: unused,
    storage: unused,
    onChange: unused,
    close: async () => undefined,
  };
  return {
    running,
    play: (deployment, status) => states.set(deployment, { ...untouched, ...status }),
    engines: [engine],
    engine: () => engine,
    engineFor: (name) => (name === network ? engine : undefined),
    reconcile: async () => {
      for (const { deployment, network: of, isShown, isActive, project } of await aimedBuilds(database)) {
        if (project !== null && isActive)
          await engine.start({ deployment, network: of, project, ...unasked });
        else await engine.remove(deployment, async () => true);
        if (!isShown) await dropBuild(database, deployment);
      }
    },
    onChange: unused,
    close: async () => undefined,
  };
}
