import { afterAll, expect, it } from "vitest";
import { pipelinesOn } from "../../../src/pipelines/host/create-pipeline-engine.js";
import type { RunningPipeline } from "../../../src/pipelines/host/pipeline-engine.js";
import { pipelinesPart } from "../../../src/platform/management/pipelines/pipelines-part.js";
import type { Database } from "../../../src/store/database/database.js";
import { openDatabase } from "../../../src/store/open.js";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { deployToken } from "../../support/chain/erc20.js";
import { serverDatabase, world } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import {
  partsBesidePipelines,
  startPlatform,
  type TestPlatform,
} from "../../support/server/platform-server.js";
import { untilHolds } from "../../support/until.js";

/** Short, so that the test need not wait long. */
const times = { look: 200, lease: 2_000, note: 100 };
const anvil = useAnvil();
const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** A server whose connections to the database can hang. */
interface Server extends TestPlatform {
  /** The pipelines that it has started and that have not ended, by name. */
  readonly running: ReadonlySet<string>;
  /** From now on, nothing that it asks of the database is answered, until the returned function is called. */
  hang(): () => void;
}

async function start(address: string): Promise<Server> {
  const database = await openDatabase(address, world);
  ends.push(() => database.close());
  let gate: Promise<void> = Promise.resolve();
  const running = new Set<string>();
  const server = await startPlatform(
    behind(database, () => gate),
    {
      nodes: new Map([["anvil", [anvil().url]]]),
      parts: [
        ...partsBesidePipelines,
        pipelinesPart(
          (platform, reach) => {
            const engine = pipelinesOn({ address, verify: "bloom" })(platform, reach);
            return {
              ...engine,
              run(order, hearer): RunningPipeline {
                const run = engine.run(order, hearer);
                const name = order.flow.split("/")[1] ?? "";
                running.add(name);
                void run.ended.then(() => running.delete(name));
                return run;
              },
            };
          },
          undefined,
          times,
        ),
      ],
    },
  );
  ends.push(() => server.close());
  return {
    ...server,
    running,
    hang() {
      let open = (): void => undefined;
      gate = new Promise((resolve) => {
        open = resolve;
      });
      return open;
    },
  };
}

/** A database that answers once a gate is open. */
function behind(database: Database, gate: () => Promise<void>): Database {
  return {
    provider: database.provider,
    query: async (...asked) => {
      await gate();
      return database.query(...asked);
    },
    run: async (script) => {
      await gate();
      return database.run(script);
    },
    transaction: async (...asked) => {
      await gate();
      return database.transaction(...asked);
    },
    listen: (channel, hear) => database.listen(channel, (payload) => void gate().then(() => hear(payload))),
    close: async () => undefined,
  };
}

const definition = (name: string): string => `
name: ${name}
sources:
  transfers: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: earliest }
sinks:
  stored: { type: blackhole, from: transfers }
`;

it.skipIf(postgresMissing !== undefined)(
  "one of two servers runs a pipeline, and the other one takes over",
  async () => {
    const token: Contract = await deployToken(anvil(), {
      name: "T",
      symbol: "T",
      decimals: 18,
      supply: 10n ** 30n,
    });
    const address = await serverDatabase();
    const one = await start(address);
    const other = await start(address);
    const info = async (name: string) => (await one.ask(`/pipelines/${name}/info`)).json.data;
    const settled = (name: string, expected: object) =>
      untilHolds(async () => expect(await info(name)).toMatchObject(expected));
    const put = (path: string, body?: object) =>
      one.ask(`/pipelines/${path}`, { method: "PUT", ...(body && { body }) });

    for (const name of ["moving", "resting"]) await put(`${name}/definition`, { text: definition(name) });
    await settled("resting", { runtime_status: "RUNNING" });
    await put("resting/pause");
    await settled("moving", { runtime_status: "RUNNING", sinks: { stored: { rows: 1 } } });
    await settled("resting", { runtime_status: "TERMINATED" });
    const [holder, heir] = one.running.has("moving") ? [one, other] : [other, one];
    expect([[...holder.running], [...heir.running]]).toEqual([["moving"], []]);

    const release = holder.hang();
    await untilHolds(() => expect([[...holder.running], [...heir.running]]).toEqual([[], ["moving"]]));
    release();
    await anvil().send(token, "transfer", [anvil().account(1), 1n]);
    await settled("moving", { runtime_status: "RUNNING", sinks: { stored: { rows: 2 } } });
    expect([[...holder.running], [...heir.running]]).toEqual([[], ["moving"]]);
  },
);
