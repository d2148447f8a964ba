import type { FastifyBaseLogger } from "fastify";
import { pino } from "pino";
import type { World } from "../../../src/base/world.js";
import { DeploymentQueries } from "../../../src/hosting/embedded/deployment-queries.js";
import type {
  ArchiveReading,
  Engine,
  HostedStatus,
  Hosting,
  NetworkReading,
} from "../../../src/hosting/engine.js";
import { pipelinesOn } from "../../../src/pipelines/host/create-pipeline-engine.js";
import { oneClient } from "../../../src/platform/endpoints/options.js";
import { addMarks, addMinutes, rollUp } from "../../../src/platform/figures/figure-rows.js";
import { createApp, type Routes } from "../../../src/platform/http/app.js";
import { addPages } from "../../../src/platform/pages/page-routes.js";
import type { PageOptions } from "../../../src/platform/pages/page-scope.js";
import { createSignInCodes } from "../../../src/platform/pages/sign-in/sign-in-codes.js";
import { type Accounts, createAccounts } from "../../../src/platform/people/accounts.js";
import { addApiKey } from "../../../src/platform/people/api-keys.js";
import { createPasswords } from "../../../src/platform/people/passwords/passwords.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { PipelineKeeper } from "../../../src/platform/pipelines/pipeline-keeper.js";
import { PipelinePreviews } from "../../../src/platform/pipelines/pipeline-previews.js";
import { RowReaders } from "../../../src/platform/pipelines/row-readers.js";
import { PipelineTasks } from "../../../src/platform/pipelines/tasks/pipeline-tasks.js";
import type { DataService, Platform } from "../../../src/platform/platform.js";
import type { RunningPart } from "../../../src/platform/server-part.js";
import { serverParts } from "../../../src/platform/server-parts.js";
import { addVersion, setTag } from "../../../src/platform/subgraphs/versions.js";
import { addEvents } from "../../../src/platform/webhooks/outbox.js";
import { addWebhook } from "../../../src/platform/webhooks/webhooks.js";
import { Nodes } from "../../../src/rpc/nodes.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { quoteName } from "../../../src/store/database/quote.js";
import { findDeployment, layoutOf, openDeployment } from "../../../src/store/deployments/deployments.js";
import type { LogLine } from "../../../src/store/logs/log-line.js";
import { TableFeed } from "../../../src/store/tables/table-feed.js";
import { zipBuild } from "../../../src/subgraph/zip-build.js";
import { sampleBuild } from "../../subgraph/sample-build.js";
import { world as realWorld } from "../../support/database/databases.js";

const schema = `type Swap @entity(immutable: true) { id: ID! pool: String! amount: BigInt! }
  type PoolDay @entity { id: Bytes! openPrice: BigInt! pools: [Bytes!]! lastSwap: Swap }`;

/** The id of a delivery of the webhook `swaps` of pools/1.0.0. */
export const deliveryId = "00000000-0000-8000-8000-000000000002";

/** A server with pages on a real database, and an engine whose statuses the tests set. */
export async function startPages(
  database: Database,
  {
    world = realWorld,
    runsPipelines = false,
    dataService,
    nodes = new Map(),
    publicAddress,
    readings = [],
    archive,
    isWhole = false,
    routes: more = [],
    ...options
  }: PageOptions & {
    readonly accounts?: Accounts;
    readonly world?: World;
    readonly runsPipelines?: boolean;
    readonly dataService?: DataService;
    readonly nodes?: Platform["settings"]["nodes"];
    /** The address that pages show; by default, that of this server. */
    readonly publicAddress?: string;
    /** What the engine says of its nodes. */
    readonly readings?: readonly NetworkReading[];
    /** What the engine says of its archive. */
    readonly archive?: ArchiveReading;
    /** Whether the server has all of its parts, with pipelines. The receiver of its webhook is down then. */
    readonly isWhole?: boolean;
    /** What the server answers besides pages. */
    readonly routes?: readonly Routes[];
  } = {},
) {
  await migrate(database);
  await createProject(database, { id: "project_1", name: "First" });
  await createProject(database, { id: "project_2", name: "Other" });
  const add = (id: string, project: string, role: "Owner" | "Viewer" | "Editor") =>
    addApiKey(database, { id, project, name: `${role} of ${project}`, role, key: `gl_${id}` });
  await add("owner", "project_1", "Owner");
  await add("viewer", "project_1", "Viewer");
  await add("editor", "project_1", "Editor");
  await add("foreign", "project_2", "Owner");
  const bundle = zipBuild(sampleBuild());
  await database.transaction(async (sql) => {
    const build = {
      project: "project_1",
      deployment: "QmPools",
      bundle,
      network: "mainnet",
      engine: "embedded",
    };
    await addVersion(sql, { ...build, name: "pools", version: "1.0.0", description: "All <b>pools</b>" });
    await setTag(sql, { project: "project_1", name: "pools", version: "prod" }, "1.0.0");
  });
  await openDeployment(database, { deployment: "QmPools", network: "mainnet", schema, startBlock: 10 });
  const opened = await findDeployment(database, "QmPools");
  const namespace = opened?.namespace ?? "";
  await database.query(
    SQL`insert into ${quoteName(namespace)}.swap (vid, id, pool, amount, block$)
      select i + 1, 'swap-' || i, case i when 0 then $1::text else 'pool' end, 1e30, 11 from generate_series(0, 119) i`,
    ["<script>alert(1)</script>"],
  );
  // An entity that was updated in every block.
  await database.query(
    SQL`insert into ${quoteName(namespace)}.pool_day (vid, id, open_price, pools, last_swap, block_range)
      select i, '\\x01', 7, array['\\xaa'::bytea, '\\xbb'], 'swap-1', int4range(i, nullif(i + 1, 41)) from generate_series(11, 40) i`,
  );
  await database.query(SQL`update graphloom.deployments set head_number = 60, head_hash = '0xaa'`);

  await addMeasured(database, world.now());
  const webhook = {
    id: "webhook_1",
    project: "project_1",
    name: "swaps",
    subgraph: "pools",
    version: "1.0.0",
    entity: "swap",
    url: "https://receiver.example/hook?key=hidden",
    secret: new Uint8Array([1]),
    retries: 3,
    retryInterval: 1,
    timeout: 5,
    owesStart: false,
    holder: "00000000-0000-4000-8000-000000000001",
  };
  await addWebhook(database, webhook);
  const event = {
    op: "INSERT",
    block: 11,
    entityKey: 1n,
    old: null,
    new: { id: "swap-<1>", vid: "1" },
  } as const;
  await addEvents(database, webhook.id, [{ ...event, id: deliveryId }]);

  const statuses = new Map<string, HostedStatus>([
    [
      "QmPools",
      {
        health: "healthy",
        isSynced: false,
        nonFatalErrors: [],
        startBlock: 10,
        headBlock: 60,
        chainHeadBlock: 110,
        handlersPerSecond: 1234.4,
      },
    ],
  ]);
  const lines: LogLine[] = [
    { text: "swap of <i>nothing</i>\u001b[31m", timestamp: 1_700_000_000_000, level: "warn" },
    { text: "started at block 10", timestamp: 1_699_999_999_000, level: "info" },
  ];
  const reconciled: number[] = [];
  const queries = new DeploymentQueries(database, world);
  const engine: Engine = {
    name: "embedded",
    networks: ["mainnet"],
    nodes: async () => readings,
    archive: async () => archive,
    check: async () => undefined,
    start: async () => undefined,
    pause: async () => undefined,
    remove: async () => undefined,
    status: async (asked) => new Map([...statuses].filter(([id]) => asked.includes(id))),
    logs: async (_, { levels, search = "" }) => ({
      lines: lines.filter(({ level, text }) => (levels?.includes(level) ?? true) && text.includes(search)),
    }),
    answer: (...asked) => queries.answer(...asked),
    storage: async (id) => {
      const deployment = await findDeployment(database, id);
      if (!deployment) return undefined;
      const layout = layoutOf(deployment);
      const feed = (reader: string, tables: readonly string[]) =>
        new TableFeed({ database, deployment: deployment.id, layout, reader, tables });
      return { database, deployment, layout, feed };
    },
    onChange: () => () => undefined,
    close: async () => undefined,
  };
  const hosting: Hosting = {
    engines: [engine],
    engine: () => engine,
    engineFor: () => engine,
    reconcile: async () => void reconciled.push(1),
    onChange: () => () => undefined,
    close: async () => undefined,
  };
  let address = "";
  const codes = createSignInCodes(world);
  const platform: Platform = {
    database,
    world,
    hosting,
    nodes: new Nodes(nodes, world),
    secretKey: new Uint8Array(32).fill(7),
    settings: {
      address: () => publicAddress ?? address,
      isLoopback: true,
      nodes,
      version: "0.0.0",
      ...(dataService && { dataService }),
    },
  };
  const logged: string[] = [];
  const logger = pino({}, { write: (line: string) => void logged.push(line) });
  const accounts = createAccounts(world, { passwords: createPasswords(2 ** 10) });
  const pipelines = runsPipelines ? await startPipelines(platform) : undefined;
  const parts: RunningPart[] = isWhole
    ? await startParts(platform, { accounts, ...options, codes }, logger)
    : [
        {
          routes: [...more, (scope) => addPages(scope, platform, { accounts, ...options, codes }, pipelines)],
          close: async () => {
            await pipelines?.keeper.close();
            await pipelines?.engine.close();
          },
        },
      ];
  const app = await createApp(
    platform,
    parts.flatMap(({ routes = [] }) => routes),
    logger,
  );
  address = await app.listen({ host: "127.0.0.1", port: 0 });
  const stop = async (): Promise<void> => {
    await app.close();
    for (const { close } of parts.toReversed()) await close?.();
  };
  return { address, app, codes, logged, platform, statuses, lines, reconciled, stop };
}

/** Starts all parts of a server. Nothing is sent to receivers, because none is up. */
async function startParts(
  platform: Platform,
  pages: Parameters<typeof serverParts>[0],
  logger: FastifyBaseLogger,
): Promise<RunningPart[]> {
  await platform.database.query(
    SQL`update graphloom.webhooks set rests_until = now() + interval '1 hour', failures = 12`,
  );
  const createPipelines = pipelinesOn({ verify: "bloom" });
  const running: RunningPart[] = [];
  for (const part of serverParts(pages, oneClient, logger, { createPipelines }))
    running.push(await part(platform));
  return running;
}

/** Half an hour of figures with a gap, a failure, and a mark for a restart. */
async function addMeasured(database: Database, now: number): Promise<void> {
  const minutes = Array.from({ length: 30 }, (_, ago) => ago + 1).filter((ago) => ago < 12 || ago > 15);
  const rows = minutes.map((ago) => ({
    deployment: "QmPools",
    at: now - ago * 60_000,
    minutes: 1,
    isOwn: true,
    state: ago === 20 ? ("failed" as const) : ("indexing" as const),
    block: 60 - ago,
    chainBlock: 110,
    lagBlocks: 50 + ago,
    lagSeconds: 600,
    eventsPerSecond: 12.5,
    fromMemory: 90,
    fromEngine: 30,
    refused: 0,
    failed: 0,
  }));
  await addMinutes(database, rows);
  await rollUp(database, now - 3_600_000);
  await addMarks(database, [
    { deployment: "QmPools", kind: "failure", at: now - 20 * 60_000 },
    { deployment: "QmPools", kind: "restart", at: now - 11 * 60_000 },
  ]);
}

/** Runs the pipelines of a server, which has no nodes. */
async function startPipelines(platform: Platform) {
  const engine = pipelinesOn({ verify: "bloom" })(platform, { allowsPrivate: true, listed: [] });
  const keeper = new PipelineKeeper(platform, engine, { note: 100 });
  await keeper.start();
  return {
    platform,
    engine,
    keeper,
    previews: new PipelinePreviews(platform, engine),
    tasks: new PipelineTasks(platform, engine),
    readers: new RowReaders(),
  };
}
