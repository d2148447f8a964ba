import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { indexDeployment } from "../../src/hosting/embedded/index-deployment.js";
import { Pulse } from "../../src/hosting/embedded/pulse.js";
import { ThreadLog } from "../../src/hosting/embedded/thread-log.js";
import { createThreadWorld } from "../../src/hosting/embedded/thread-world.js";
import { SQL } from "../../src/store/database/database.js";
import { quoteName } from "../../src/store/database/quote.js";
import { readHealth } from "../../src/store/deployments/health.js";
import { manifestPath } from "../../src/subgraph/build.js";
import type { BuiltFiles } from "../../src/subgraph/runnable/built-subgraph.js";
import { unzipBundle } from "../../src/subgraph/unzip-bundle.js";
import { emptyChain } from "../support/chain/empty-chain.js";
import { onEither } from "../support/database/databases.js";
import {
  type Fault,
  type FaultyDatabase,
  faultyDatabase,
  passingCodes,
} from "../support/database/faulty-database.js";
import { propertyRun } from "../support/property/property-run.js";
import { blocksBundle } from "./blocks.js";

const { fresh } = onEither();
const head = 4;

describe("a database that fails once while a deployment is indexed", () => {
  let build: BuiltFiles;
  let database: FaultyDatabase;
  beforeAll(async () => {
    const { zip } = await blocksBundle("tally");
    build = { manifest: manifestPath, files: await unzipBundle(zip) };
    database = faultyDatabase(await fresh());
  });

  /** Indexes a deployment up to the head, and stops it there. */
  async function index(deployment: string, fault?: Fault): Promise<Indexed> {
    const stop = new AbortController();
    database.arm(fault);
    const end = await indexDeployment({
      deployment,
      build,
      database,
      nodeName: "http://node",
      files: undefined,
      verify: "bloom",
      proofs: true,
      log: new ThreadLog(() => 0),
      world: { ...createThreadWorld(emptyChain(head), stop.signal), sleep: async () => setImmediate() },
      signal: stop.signal,
      pulse: new Pulse(),
      tell: () => undefined,
      mayRead: async () => true,
      waitForBlocks: async () => stop.abort(),
    });
    const steps = database.steps();
    database.arm();
    const health = (await readHealth(database, [deployment])).get(deployment);
    const rows =
      health &&
      (await database.query(
        SQL`select id, text, block_range from ${quoteName(health.namespace)}.note order by id, block_range`,
      ));
    return { steps, left: { end, rows, health: { ...health, namespace: undefined } } };
  }

  it("ends with the same rows as an undisturbed database, after any kind of failure of any statement", async () => {
    const { steps, left } = await index("undisturbed");
    expect(left).toMatchObject({ end: { kind: "stopped" }, health: { health: "healthy", isSynced: true } });
    const faults = fc.record({
      step: fc.integer({ min: 1, max: steps }),
      code: fc.constantFrom(...passingCodes),
      isLate: fc.boolean(),
    });
    let cases = 0;
    const holds = fc.asyncProperty(faults, async (fault) => {
      cases += 1;
      expect((await index(`disturbed ${cases}`, fault)).left).toEqual(left);
    });
    await fc.assert(holds, propertyRun(12));
  });
});

interface Indexed {
  /** How many steps of the database it took. */
  readonly steps: number;
  readonly left: object;
}
