import { afterAll, beforeAll, expect, it } from "vitest";
import { inspectPipeline } from "../../../src/api/inspect-pipeline.js";
import type { InspectEvent } from "../../../src/api/pipeline-operations.js";
import type { Database } from "../../../src/store/database/database.js";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { deployToken } from "../../support/chain/erc20.js";
import { describeDatabase, world } from "../../support/database/databases.js";
import { startPipelineServer } from "../../support/server/pipeline-server.js";
import type { TestPlatform } from "../../support/server/platform-server.js";
import { untilHolds } from "../../support/until.js";

describeDatabase("rows that pass the nodes of a pipeline", false, (databases) => {
  const anvil = useAnvil();
  let database: Database;
  let server: TestPlatform;
  let token: Contract;

  beforeAll(async () => {
    token = await deployToken(anvil(), { name: "T", symbol: "T", decimals: 18, supply: 10n ** 30n });
    database = await databases.fresh();
    server = await startPipelineServer(database, { nodes: { anvil: anvil().url } });
  });
  afterAll(() => server?.close());

  const transforms = {
    large: { sql: "SELECT id, amount FROM transfers WHERE amount > 100", primary_key: "id" },
  };
  const sources = {
    transfers: { type: "dataset", dataset_name: "anvil.erc20_transfers", start_at: "earliest" },
  };
  const sinks = { stored: { type: "blackhole", from: "large" }, copy: { type: "blackhole", from: "large" } };
  const transfer = (amount: number) => anvil().send(token, "transfer", [anvil().account(2), amount]);

  /** Looks at nodes, and keeps what it sees. */
  const inspect = (name: string, nodes?: readonly string[], key = server.token) => {
    const stop = new AbortController();
    const seen: InspectEvent[] = [];
    const ended = (async () => {
      const connection = { url: server.url, token: key, world };
      for await (const event of inspectPipeline(connection, name, nodes, stop.signal)) seen.push(event);
    })();
    ended.catch(() => undefined);
    return { seen, ended, stop: () => stop.abort() };
  };
  const rowsIn = (seen: readonly InspectEvent[]) =>
    // The tokens that the token begins with are no matter.
    seen.flatMap((one) =>
      one.event === "row" && Number(one.row.amount) < 10_000
        ? [[one.node, one.op, Number(one.row.amount)] as const]
        : [],
    );
  const begun = (seen: readonly InspectEvent[]) => untilHolds(() => expect(seen[0]?.event).toBe("nodes"));
  const running = (name: string) =>
    untilHolds(async () =>
      expect((await server.ask(`/pipelines/${name}/info`)).json.data.runtime_status).toBe("RUNNING"),
    );

  it("rows are shown to each reader at its own nodes, once, and reverted rows as deletions", async () => {
    await server.ask("/pipelines", {
      method: "POST",
      body: { name: "seen", definition: { sources, transforms, sinks } },
    });
    await running("seen");
    const all = inspect("seen");
    const one = inspect("seen", ["large"]);
    await begun(all.seen);
    await begun(one.seen);
    const [first] = all.seen;
    expect(first?.event === "nodes" && first.nodes.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      "source transfers",
      "transform large",
      "sink stored",
      "sink copy",
    ]);
    expect(first?.event === "nodes" && first.nodes[1]?.definition).toEqual(transforms.large);
    const place = await anvil().snapshot();
    await transfer(7);
    await transfer(700);
    const expected = [
      ["large", "i", 700],
      ["transfers", "i", 7],
      ["transfers", "i", 700],
    ];
    // Sinks are read for side by side, and need not be equally far.
    const before = () => rowsIn(all.seen).filter(([node]) => !(node in sinks));
    await untilHolds(() => expect(before().sort()).toEqual(expected));
    await untilHolds(() => expect(rowsIn(one.seen)).toEqual([["large", "i", 700]]));
    await anvil().revert(place);
    for (const amount of [1, 2, 3]) await transfer(amount);
    await untilHolds(() =>
      expect(rowsIn(all.seen)).toContainEqual([expect.stringMatching(/stored|copy/), "d", 700]),
    );
    expect(before().filter(([, , amount]) => amount === 700)).toHaveLength(2);
    one.stop();
    await expect(one.ended).rejects.toThrow(/interrupted/);
    const wrong = await server.ask("/pipelines/seen/inspect?nodes=larger");
    expect([wrong.status, wrong.json.errors[0].message]).toEqual([
      400,
      expect.stringContaining("transfers, large"),
    ]);
    await server.ask("/pipelines/seen/pause", { method: "PUT" });
    await all.ended;
    expect(all.seen.at(-1)).toEqual({ event: "end", how: "stopped" });
    const paused = await server.ask("/pipelines/seen/inspect");
    expect([paused.status, paused.json.detail]).toEqual([422, expect.stringContaining("not running")]);
  });

  it("a preview shows rows without writing them, and ends after its time limit", async () => {
    const preview = (body: object, key = server.token) =>
      server.ask("/pipelines/preview", { method: "POST", body, key });
    const wrong = await preview({
      definition: { sources, transforms, sinks: { out: { type: "blackhole", from: "larger" } } },
    });
    expect([wrong.status, wrong.json.errors[0].field]).toEqual([400, "sinks.out.from"]);
    const made = await preview({ definition: { sources, transforms, sinks: {} }, ttl_seconds: 600 });
    expect([made.status, made.json]).toEqual([
      200,
      {
        pipeline_name: expect.stringMatching(/^preview-[0-9a-f]{12}$/),
        ttl_seconds: 600,
        expires_at: expect.any(String),
      },
    ]);
    const name: string = made.json.pipeline_name;
    const looked = inspect(name);
    await begun(looked.seen);
    const [first] = looked.seen;
    expect(first?.event === "nodes" && first.nodes.map((node) => node.name)).toEqual([
      "transfers",
      "large",
      "dropped_large",
    ]);
    await transfer(900);
    await untilHolds(() => expect(rowsIn(looked.seen)).toContainEqual(["dropped_large", "i", 900]));
    expect((await server.ask(`/pipelines/${name}/status`)).json).toEqual({
      name,
      status: "RUNNING",
      errors: [],
    });
    expect((await server.ask(`/pipelines/${name}/state`)).json.data.dropped_large.rows).toBeGreaterThan(0);
    expect((await server.ask(`/pipelines/${name}/logs`)).json.data.results).toEqual([]);
    expect((await server.ask("/pipelines")).json.data.map((one: { name: string }) => one.name)).not.toContain(
      name,
    );

    const stranger = await server.addKey("Owner", "project_other");
    for (const path of ["/status", "/state", "/logs", "/inspect"])
      expect((await server.ask(`/pipelines/${name}${path}`, { key: stranger })).status).toBe(404);
    expect((await server.ask(`/pipelines/${name}`, { method: "DELETE", key: stranger })).status).toBe(404);

    const short = await preview({ definition: { sources, transforms, sinks }, ttl_seconds: 1 });
    expect(short.status).toBe(200);
    const third = await preview({ definition: { sources, transforms, sinks } });
    expect([third.status, third.json.detail]).toEqual([422, expect.stringContaining("2 previews")]);
    await untilHolds(async () =>
      expect((await server.ask(`/pipelines/${short.json.pipeline_name}/status`)).status).toBe(404),
    );
    expect((await server.ask(`/pipelines/${name}`, { method: "DELETE" })).status).toBe(200);
    await looked.ended;
    expect(looked.seen.at(-1)).toEqual({ event: "end", how: "stopped" });
    expect((await server.ask(`/pipelines/${name}/status`)).status).toBe(404);
  });

  it("rows are shown only to their project, to few readers, and until the server stops", async () => {
    await server.ask("/pipelines", {
      method: "POST",
      body: { name: "own", definition: { sources, transforms, sinks } },
    });
    await running("own");
    const stranger = await server.addKey("Owner", "project_third");
    expect((await server.ask("/pipelines/own/inspect", { key: stranger })).status).toBe(404);
    const readers = Array.from({ length: 8 }, () => inspect("own", ["stored"]));
    for (const { seen } of readers) await begun(seen);
    const ninth = await server.ask("/pipelines/own/inspect");
    expect([ninth.status, ninth.json.detail]).toEqual([422, expect.stringContaining("8 readers")]);
    await server.close();
    for (const { ended } of readers) await ended;
  });
});
