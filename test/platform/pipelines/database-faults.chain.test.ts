import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SQL } from "../../../src/store/database/database.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { deployToken } from "../../support/chain/erc20.js";
import { onEither } from "../../support/database/databases.js";
import { type FaultyDatabase, faultyDatabase, passingCodes } from "../../support/database/faulty-database.js";
import { propertyRun } from "../../support/property/property-run.js";
import { startPipelineServer } from "../../support/server/pipeline-server.js";
import type { TestAnswer, TestPlatform } from "../../support/server/platform-server.js";
import { until } from "../../support/until.js";

const databases = onEither();
const anvil = useAnvil();
let database: FaultyDatabase;
let server: TestPlatform;
/** How many requests each pipeline has sent. */
const sent = new Map<string, number>();
const receiver = createServer((request, response) => {
  const name = request.url?.slice(1) ?? "";
  sent.set(name, (sent.get(name) ?? 0) + 1);
  request.resume().on("end", () => response.end());
});

beforeAll(async () => {
  const token = await deployToken(anvil(), { name: "T", symbol: "T", decimals: 18, supply: 10n ** 30n });
  await anvil().send(token, "transfer", [anvil().account(2), 5]);
  database = faultyDatabase(await databases.fresh());
  server = await startPipelineServer(database, { nodes: { anvil: anvil().url }, times: { look: 300 } });
  await once(receiver.listen(0, "127.0.0.1"), "listening");
  const value = { type: "httpauth", secretKey: "x-key", secretValue: "hidden" };
  await server.ask("/secrets", { method: "POST", body: { name: "HEADER", value } });
});
afterAll(async () => {
  await server?.close();
  receiver.closeAllConnections();
  receiver.close();
});

/** The sink keeps its positions in the server's database, and the process asks the server for its secret. */
const definition = (name: string): string => `
name: ${name}
sources: { transfers: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: earliest } }
sinks:
  out: { type: webhook, from: transfers, url: "http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${name}", secret_name: HEADER, one_row_per_request: true, batch_flush_interval: 50ms }
`;

interface Info {
  readonly runtime_status: string;
  readonly error: string | null;
  readonly sinks: { readonly out?: { readonly rows: number; readonly state: string } };
}

/** Asks until the database lets it be done. @param done answers of what an earlier attempt has done */
async function persist(ask: () => Promise<TestAnswer>, done: readonly number[] = []): Promise<void> {
  await until(async () => {
    const { status, text } = await ask();
    // A change waits for the one before.
    if (status === 503 || status === 409) return false;
    expect([status, text]).toEqual([expect.toBeOneOf([200, 204, ...done]), expect.anything()]);
    return true;
  });
}

/** Waits until a pipeline runs and has sent these rows since it was applied. */
async function runs(name: string, rows: number): Promise<void> {
  await until(async () => {
    const { status, json } = await server.ask(`/pipelines/${name}/info`);
    if (status === 503) return false;
    const { runtime_status: runtime, error, sinks } = json.data as Info;
    // A pause is seen for a moment longer.
    if (runtime === "TERMINATED") expect(error).toBeNull();
    return runtime === "RUNNING" && sinks.out?.state === "idle" && (sent.get(name) ?? 0) >= rows;
  });
}

/** Applies, pauses, continues and deletes a pipeline. */
async function live(name: string): Promise<void> {
  const path = `/pipelines/${name}`;
  await persist(() => server.ask(`${path}/definition`, { method: "PUT", body: { text: definition(name) } }));
  await runs(name, 2);
  await persist(() => server.ask(`${path}/pause`, { method: "PUT" }));
  await persist(() => server.ask(`${path}/resume`, { method: "PUT" }));
  await runs(name, 2);
  await persist(() => server.ask(path, { method: "DELETE" }), [404]);
}

it("a pipeline starts, pauses, continues and is deleted while any statement of the server's database fails", async () => {
  database.arm();
  await live("undisturbed");
  const steps = database.steps();
  const faults = fc.record({
    step: fc.integer({ min: 1, max: steps }),
    code: fc.constantFrom(...passingCodes),
    isLate: fc.boolean(),
  });
  let cases = 0;
  const holds = fc.asyncProperty(faults, async (fault) => {
    cases += 1;
    const name = `disturbed-${cases}`;
    database.arm(fault);
    await live(name);
    database.arm();
  });
  await fc.assert(holds, propertyRun(1));
  expect(await database.query(SQL`select from graphloom.pipelines`)).toEqual([]);
});
