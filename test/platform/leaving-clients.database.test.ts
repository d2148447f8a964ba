import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endpoints } from "../../src/platform/endpoints/endpoints.js";
import { changeVersion } from "../../src/platform/subgraphs/versions.js";
import { type Database, SQL, type SqlFragment } from "../../src/store/database/database.js";
import { quoteName } from "../../src/store/database/quote.js";
import { findDeployment } from "../../src/store/deployments/deployments.js";
import { onPostgres } from "../support/database/databases.js";
import { postgresMissing } from "../support/database/postgres-server.js";
import { until } from "../support/until.js";
import { startPages } from "./pages/harness.js";

type Request = readonly [path: string, init: RequestInit];

const api = "/subgraphs/pools/1.0.0/gn";
const data = "/dashboard/pools/1.0.0/data";

describe.skipIf(postgresMissing !== undefined)("A client that leaves", () => {
  let database: Database;
  let server: Awaited<ReturnType<typeof startPages>>;
  let swaps: SqlFragment;
  let cookie: string;
  beforeAll(async () => {
    database = await onPostgres().fresh();
    server = await startPages(database, { routes: [endpoints({ ofAll: 1, ofProject: 1, running: 1 })] });
    await changeVersion(
      database,
      { project: "project_1", name: "pools", version: "1.0.0" },
      { hasPrivateEndpoint: true },
    );
    const deployment = await findDeployment(database, "QmPools");
    swaps = SQL`${quoteName(deployment?.namespace ?? "")}.swap`;
    const body = new URLSearchParams({ key: "gl_owner" });
    const signedIn = await fetch(`${server.address}/sign-in`, { method: "POST", body, redirect: "manual" });
    cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  });
  afterAll(() => server.stop());

  const query = (access: string, text: string): Request => [
    `/api/${access}/project_1${api}`,
    {
      method: "POST",
      headers: { authorization: "Bearer gl_owner", "content-type": "application/json" },
      body: JSON.stringify({ query: text }),
    },
  ];
  const send = ([path, init]: Request, signal?: AbortSignal): Promise<Response> =>
    fetch(server.address + path, {
      ...init,
      headers: { ...(init.headers ?? { cookie }) },
      ...(signal && { signal }),
    });

  /** The statements that wait for the lock of a table. */
  const waiting = async (): Promise<number> => {
    const [row] = await database.query(
      SQL`select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return Number(row?.n);
  };

  // The slow requests take all places of their kind. The other request needs one of them.
  it.each([
    [
      "a public endpoint",
      () => swaps,
      1,
      query("public", "{ swaps { id } }"),
      query("public", "{ poolDays { id } }"),
    ],
    [
      "a private endpoint",
      () => swaps,
      1,
      query("private", "{ swaps { amount } }"),
      query("private", "{ poolDays { id openPrice } }"),
    ],
    ["a file of rows", () => swaps, 2, [`${data}/swap/rows.csv`, {}], [`${data}/pool_day/rows.csv`, {}]],
    [
      "the history of an entity",
      () => swaps,
      2,
      [`${data}/swap/entity?id=swap-1`, {}],
      [`${data}/pool_day/rows.csv`, {}],
    ],
    ["the audit log", () => SQL`graphloom.audit`, 2, ["/audit.csv", {}], undefined],
  ] satisfies [
    string,
    () => SqlFragment,
    number,
    Request,
    Request | undefined,
  ][])("of %s ends its statement and frees its place.", async (_, table, places, slow, other) => {
    await database.transaction(async (sql) => {
      await sql.run(SQL`lock table ${table()} in access exclusive mode`);
      const leaving = new AbortController();
      const left = Array.from({ length: places }, () => send(slow, leaving.signal));
      const failed = Promise.all(left.map((one) => expect(one).rejects.toThrow("abort")));
      await until(async () => (await waiting()) === places);
      leaving.abort();
      await failed;
      await until(async () => (await waiting()) === 0);
      if (other) expect((await send(other)).status).toBe(200);
    });
    expect((await send(slow)).status).toBe(200);
  });
});
