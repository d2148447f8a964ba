import type { Engine, HostedStatus, Hosting } from "../../../src/hosting/engine.js";
import { createNodeWorld } from "../../../src/machine/world.js";
import type { Platform } from "../../../src/platform/platform.js";
import { answerBody } from "../../../src/query/answer-body.js";
import type { QueryEngine } from "../../../src/query/engine.js";
import { Nodes } from "../../../src/rpc/nodes.js";
import type { Database } from "../../../src/store/database/database.js";

const world = createNodeWorld();

/** An engine that indexes nothing and answers queries to existing deployments. */
export interface QueryHosting extends Hosting {
  /** The functions that answer, by deployment. */
  readonly answering: Map<string, Pick<QueryEngine, "execute">>;
  readonly statuses: Map<string, HostedStatus>;
  /** The bodies that it received, with their deployments. */
  readonly asked: { readonly deployment: string; readonly body: string }[];
  /** A promise that each answer waits for. */
  hold: () => Promise<void>;
}

/** Hosting with one engine, `embedded`. */
export function createQueryHosting(): QueryHosting {
  const answering = new Map<string, Pick<QueryEngine, "execute">>();
  const statuses = new Map<string, HostedStatus>();
  const asked: { deployment: string; body: string }[] = [];
  const nothing = async (): Promise<undefined> => undefined;
  const engine: Engine = {
    name: "embedded",
    networks: ["mainnet"],
    check: nothing,
    start: nothing,
    pause: nothing,
    remove: nothing,
    status: async (ids) => new Map([...statuses].filter(([id]) => ids.includes(id))),
    logs: async () => ({ lines: [] }),
    answer: async (deployment, body, spend, gone) => {
      asked.push({ deployment, body: body.text });
      await hosting.hold();
      const own = answering.get(deployment);
      if (!own) throw new Error(`nothing answers for ${deployment}`);
      return answerBody(body, own, spend, gone);
    },
    storage: nothing,
    onChange: () => () => undefined,
    close: nothing,
  };
  const hosting: QueryHosting = {
    engines: [engine],
    engine: (name) => {
      if (name !== engine.name) throw new Error(`there is no engine ${name}`);
      return engine;
    },
    engineFor: () => engine,
    reconcile: nothing,
    onChange: () => () => undefined,
    close: nothing,
    answering,
    statuses,
    asked,
    hold: nothing,
  };
  return hosting;
}

/** A platform for a test. Parts that do not matter to queries are made up. */
export function queryPlatform(
  database: Database,
  hosting: Hosting,
  now: () => number = () => world.now(),
): Platform {
  return {
    database,
    hosting,
    nodes: new Nodes(new Map(), world),
    world: { ...world, now },
    settings: {
      address: () => "http://127.0.0.1:8030",
      isLoopback: true,
      nodes: new Map(),
      version: "0.0.0-test",
    },
    secretKey: new Uint8Array(32),
  };
}
