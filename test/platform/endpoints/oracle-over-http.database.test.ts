import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endpoints } from "../../../src/platform/endpoints/endpoints.js";
import { oneClient } from "../../../src/platform/endpoints/options.js";
import { createApp } from "../../../src/platform/http/app.js";
import { createQueryEngine } from "../../../src/query/engine.js";
import type { Database } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { fillMusic, musicDeployment } from "../../query/music.js";
import {
  checkAnswer,
  type GivenAnswer,
  isRight,
  type OracleCase,
  randomCases,
  writtenCases,
} from "../../query/oracle.js";
import { onPostgres, world } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { isPropertyCampaign } from "../../support/property/property-run.js";
import { createQueryHosting, type QueryHosting, queryPlatform } from "../../support/server/query-hosting.js";
import { addEntry, setHead } from "./add-entry.js";

/** A request and graph-node's answer. */
interface HttpCase {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly bodyJson?: unknown;
  readonly bodyPattern?: string;
}

const cases = readFileSync(new URL("http-cases.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line): HttpCase => JSON.parse(line));

describe.skipIf(postgresMissing !== undefined)("a server answers over HTTP as graph-node does", () => {
  const databases = onPostgres();
  let app: FastifyInstance;
  let address: string;
  let hosting: QueryHosting;

  beforeAll(async () => {
    const database = await databases.fresh();
    await migrate(database);
    hosting = await hostMusic(database);
    app = await createApp(queryPlatform(database, hosting), [endpoints(oneClient)]);
    address = await app.listen({ host: "127.0.0.1", port: 0 });
  });

  afterAll(async () => {
    agent.destroy();
    await app.close();
  });

  test.each(cases)("to the request: $name", async ({
    request,
    status,
    headers,
    body,
    bodyJson,
    bodyPattern,
  }) => {
    const { method, path, headers: sent, body: text } = request;
    const response = await fetch(`${address}${path}`, {
      method,
      redirect: "manual",
      ...(sent && { headers: sent }),
      ...(text !== undefined && { body: text }),
    });
    const received = await response.text();
    expect(response.status).toBe(status);
    expect(Object.fromEntries(response.headers)).toMatchObject(headers ?? {});
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    if (body !== undefined) expect(received).toBe(body);
    if (bodyJson !== undefined) expect(JSON.parse(received)).toEqual(bodyJson);
    if (bodyPattern !== undefined) expect(received).toMatch(new RegExp(bodyPattern));
  });

  const ask = async ({ query, variables, state }: OracleCase): Promise<GivenAnswer> => {
    const suffix = state ? `-${state.firstErrorBlock}` : "";
    const url = `${address}/api/public/project_1/subgraphs/org/cases${suffix}/gn`;
    const { status, text } = await post(url, JSON.stringify({ query, variables }));
    expect(status).toBe(200);
    return JSON.parse(text);
  };

  /** Sends all queries twice. @returns the number of queries that reached the engine in each round */
  const askTwice = async (
    all: readonly OracleCase[],
    judge: (answer: GivenAnswer, one: OracleCase) => void,
  ): Promise<readonly number[]> => {
    const counts: number[] = [];
    for (let round = 0; round < 2; round++) {
      const before = hosting.asked.length;
      await inParallel(all, async (one) => judge(await ask(one), one));
      counts.push(hosting.asked.length - before);
    }
    return counts;
  };

  test("to the handwritten queries, the second time from its cache", async () => {
    const [first = 0, second = 0] = await askTwice(writtenCases, checkAnswer);
    expect(first).toBeGreaterThan(writtenCases.length / 2);
    expect(second).toBeLessThan(first / 3);
  });

  // The engine answers more of them in a test of its own, and all in `npm run campaign:properties`.
  const some = isPropertyCampaign ? randomCases : randomCases.filter((_, index) => index % 8 === 0);
  test(`to ${some.length} random queries, the second time from its cache`, async () => {
    const wrong: unknown[] = [];
    const [first = 0, second = 0] = await askTwice(some, (answer, one) => {
      if (!isRight(answer, one)) wrong.push({ ...one, answer });
    });
    expect(wrong).toEqual([]);
    expect(first).toBeGreaterThan(some.length / 2);
    expect(second).toBeLessThan(first / 3);
  }, 300_000);
});

const agent = new Agent({ keepAlive: true });

/** Sends without `fetch`, which would take longer than the answers. */
async function post(url: string, body: string): Promise<{ status: number | undefined; text: string }> {
  const sent = request(url, { method: "POST", agent, headers: { "content-type": "application/json" } });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = await response.toArray();
  return { status: response.statusCode, text: Buffer.concat(chunks).toString() };
}

/** Runs several at once, as clients do. */
async function inParallel<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const one of left) await work(one);
    }),
  );
}

/** Hosts the deployment that was queried on graph-node: one without errors, and variants with errors at some block. */
async function hostMusic(database: Database): Promise<QueryHosting> {
  const hosting = createQueryHosting();
  const layout = await fillMusic(database);
  const blocks = new Set(writtenCases.map(({ state }) => state?.firstErrorBlock));
  for (const block of [undefined, ...blocks].filter((one, index, all) => all.indexOf(one) === index)) {
    const suffix = block === undefined ? "" : String(block);
    const deployment = `QmGraphqlCases${suffix}`;
    hosting.answering.set(
      deployment,
      createQueryEngine({ database, deployment: musicDeployment(layout, block), world }),
    );
    await addEntry(database, {
      name: "org",
      version: suffix === "" ? "cases" : `cases-${suffix}`,
      deployment,
    });
    await setHead(database, deployment, 20, `0x${"20".repeat(32)}`);
  }
  return hosting;
}
