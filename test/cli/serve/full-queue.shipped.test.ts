import pg from "pg";
import { afterEach, expect, it } from "vitest";
import { manifestPath } from "../../../src/subgraph/build.js";
import { collectBuild } from "../../../src/subgraph/collect-build.js";
import { zipBuild } from "../../../src/subgraph/zip-build.js";
import { Anvil } from "../../support/chain/anvil.js";
import { createDatabase } from "../../support/database/databases.js";
import { postgresMissing, startPostgres } from "../../support/database/postgres-server.js";
import { testFolder } from "../../support/folder.js";
import { drawFrom } from "../../support/pool/draw.js";
import { propertySeed } from "../../support/property/property-run.js";
import { deployForm } from "../../support/server/platform-server.js";
import { startReceiver } from "../../support/server/webhook-receiver.js";
import { until } from "../../support/until.js";
import { Ledger } from "./ledger.js";
import { killServed, type Served, startServed } from "./served.js";

/**
 * PostgreSQL's queue of notifications belongs to all databases of a cluster and holds 8 GB, which only
 * `npm run campaign:queue` fills.
 */
const isChosen = process.env.GRAPHLOOM_QUEUE === "1";
/** The smallest payload of which two do not share a page of the queue. */
const payload = 4_100;

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

it.skipIf(postgresMissing !== undefined || !isChosen)(
  "a server continues while another database has filled the cluster's queue of notifications",
  async () => {
    const postgres = await startPostgres();
    ends.push(() => postgres.stop());
    for (const name of ["platform", "tenant"]) await createDatabase(postgres, name);
    const anvil = await Anvil.start();
    ends.push(() => anvil.stop());
    const ledger = await Ledger.start(anvil, drawFrom(propertySeed), { accounts: 20, block: 5 });
    const bundle = zipBuild(
      collectBuild({ manifest: `build/${manifestPath}`, files: await ledger.files("anvil") }),
    );
    const home = testFolder();
    const start = async (): Promise<Served> => {
      const began = performance.now();
      const served = await startServed(["--data", "data", "--rpc", `anvil=${anvil.url}`], home, {
        GRAPHLOOM_DATABASE: postgres.address("platform"),
      });
      ends.push(() => killServed(served));
      tell(`the server started in ${seconds(began)} s`);
      return served;
    };
    let served = await start();
    const json = async (path: string, method = "GET", body?: unknown, form?: FormData) => {
      const began = performance.now();
      const answer = await served.ask(`/api/v1${path}`, {
        method,
        ...(body !== undefined && {
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
        ...(form && { body: form }),
      });
      const text = await answer.text();
      tell(`${method} ${path} → ${answer.status} in ${seconds(began)} s`);
      expect([answer.ok, text]).toEqual([true, expect.anything()]);
      return text === "" ? undefined : JSON.parse(text);
    };
    const deploy = (version: string) =>
      json(
        `/subgraphs/ledger/deployments/${version}`,
        "PUT",
        undefined,
        deployForm(bundle, { private_endpoint_enabled: "1" }),
      );
    const rows = async (version: string): Promise<number> => {
      const path = `/api/private/${served.project}/subgraphs/ledger/${version}/gn`;
      const query = "{ moves(first: 1000) { id } _meta { hasIndexingErrors } }";
      const answer = await served.ask(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query }),
      });
      const { data, errors } = (await answer.json()) as {
        data?: { moves: unknown[]; _meta: { hasIndexingErrors: boolean } };
        errors?: unknown;
      };
      if (JSON.stringify(errors)?.includes("has not started syncing yet")) return 0;
      expect([errors, data?._meta.hasIndexingErrors ?? false]).toEqual([undefined, false]);
      return data?.moves.length ?? 0;
    };
    /** Grows the chain, and waits until the subgraph and the webhook have all of it. */
    const growsOn = async (version: string): Promise<void> => {
      await ledger.grow(10);
      const began = performance.now();
      const wanted = ledger.expected().moves.length;
      await until(async () => (await rows(version)) === wanted);
      tell(`${version} had the new blocks after ${seconds(began)} s`);
      await until(() => receiver.table().size === ledger.expected().accounts.length);
      tell(`the webhook had them after ${seconds(began)} s`);
    };
    const apply = (name: string) =>
      json(`/pipelines/${name}/definition`, "PUT", {
        text: `name: ${name}\nsources: { b: { type: dataset, dataset_name: anvil.raw_blocks, start_at: earliest } }\nsinks: { out: { type: blackhole, from: b } }`,
      });
    const runs = async (name: string): Promise<void> => {
      const began = performance.now();
      await until(async () => {
        const answer = await served.ask(`/api/v1/pipelines/${name}/info`);
        const { data } = (await answer.json()) as {
          data: { runtime_status: string; error: string | null };
        };
        expect(data.error).toBeNull();
        return data.runtime_status === "RUNNING";
      });
      tell(`${name} ran after ${seconds(began)} s`);
    };
    const hook = (name: string, url: string) =>
      json("/subgraphs/webhooks", "POST", {
        name,
        subgraph_name: "ledger",
        subgraph_version: "v1",
        entity: "account",
        webhook_url: url,
      });

    const receiver = await startReceiver();
    ends.push(() => receiver.stop());
    await deploy("v1");
    await hook("first", receiver.url);
    await growsOn("v1");
    await apply("before");
    await runs("before");

    const [listener, sender] = ["tenant", "tenant"].map(
      (name) => new pg.Client({ connectionString: postgres.address(name) }),
    ) as [pg.Client, pg.Client];
    for (const client of [listener, sender]) await client.connect();
    await listener.query("listen x");
    await listener.query("begin");
    await listener.query("select 1");
    const began = performance.now();
    const refusal = await until(async () => {
      for (let batch = 0; batch < 200; batch++) {
        const error = await sender
          .query(
            `select pg_notify('x', repeat('a', ${payload}) || $1::text || '-' || i) from generate_series(1, 8000) i`,
            [batch],
          )
          .then(
            () => undefined,
            (problem: unknown) => problem,
          );
        if (error) return error;
      }
      return undefined;
    });
    // The rest of the queue is filled by single messages.
    await until(async () =>
      sender.query(`select pg_notify('x', repeat('b', ${payload}) || random())`).then(
        () => undefined,
        (problem: unknown) => problem,
      ),
    );
    tell(`the queue is full after ${seconds(began)} s: ${String(refusal)}`);
    expect(refusal).toMatchObject({ code: "54000" });

    await growsOn("v1");
    await hook("second", receiver.url);
    await apply("meanwhile");
    await runs("meanwhile");
    await deploy("v2");
    await growsOn("v1");
    await json("/secrets", "POST", {
      name: "S",
      value: { type: "httpauth", secretKey: "authorization", secretValue: "x" },
    });
    await json("/pipelines/before/pause", "PUT");
    await json("/pipelines/before/resume", "PUT");
    await runs("before");
    await killServed(served);
    served = await start();
    await growsOn("v1");
    await runs("meanwhile");
    const ready = await served.ask("/ready");
    tell(`/ready → ${ready.status} ${await ready.text()}`);

    await listener.end();
    await until(async () => {
      const { rows: usage } = await sender.query("select pg_notification_queue_usage() as part");
      return Number(usage[0].part) < 0.01;
    });
    tell("the queue is empty");
    await growsOn("v1");
    await json("/pipelines/meanwhile", "DELETE");
    await sender.end();
    expect(served.printed().err).not.toMatch(/54000|bug/i);
  },
  60 * 60_000,
);

function tell(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

function seconds(began: number): string {
  return ((performance.now() - began) / 1_000).toFixed(1);
}
