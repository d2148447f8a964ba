import { expect, it, onTestFinished } from "vitest";
import { pipelinesOn } from "../../src/pipelines/host/create-pipeline-engine.js";
import { startServer } from "../../src/platform/start-server.js";
import { SQL } from "../../src/store/database/database.js";
import { graphloom, workplace } from "../cli/harness.js";
import { tokens } from "../hosting/hosted.js";
import { moving } from "../runtime/token-subgraph.js";
import { Anvil } from "../support/chain/anvil.js";
import { onPglite, world } from "../support/database/databases.js";
import { openTableReceiver } from "../support/server/away.js";
import { deployForm, keptOpen } from "../support/server/platform-server.js";
import { startReceiver } from "../support/server/webhook-receiver.js";
import { untilHolds } from "../support/until.js";

const { fresh } = onPglite();

it("a rewound subgraph indexes the same rows again, and its webhook and its pipeline follow it exactly", async () => {
  const anvil = await Anvil.start();
  onTestFinished(() => anvil.stop());
  const { token, bundle } = await tokens(anvil);
  for (const amount of [5, 6, 7, 8]) await anvil.transact(moving(anvil, token, 1, amount));
  const database = await fresh();
  const server = await startServer({
    database: keptOpen(database),
    world,
    secretKey: new Uint8Array(32).fill(7),
    host: "127.0.0.1",
    port: 0,
    version: "0.0.0-test",
    nodes: new Map([["mainnet", [anvil.url]]]),
    engines: { database: "memory", verify: "bloom" },
    createPipelines: pipelinesOn({ verify: "bloom" }),
  });
  onTestFinished(() => server.close());
  const hook = await startReceiver();
  onTestFinished(() => hook.stop());
  const sink = await openTableReceiver();
  onTestFinished(() => sink.stop());
  const headers = { authorization: `Bearer ${server.newKey}` };
  const send = async (method: string, path: string, body: object): Promise<string> => {
    const answer = await fetch(`${server.address}/api/v1${path}`, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    expect([path, answer.status, text]).toEqual([path, expect.toSatisfy((status) => status < 300), text]);
    return text;
  };
  const engine = server.platform.hosting.engine("embedded");
  const query = async (): Promise<unknown> => {
    const body = JSON.stringify({
      query:
        "{ _meta { block { number hash } } moveds(orderBy: id) { id amount } balances(orderBy: id) { id amount } }",
    });
    const path = `/api/public/${server.project}/subgraphs/moves/1.0.0/gn`;
    const answer = await fetch(`${server.address}${path}`, { method: "POST", headers, body });
    return ((await answer.json()) as { data: unknown }).data;
  };
  const indexed = async (): Promise<void> => {
    const head = await anvil.blockNumber();
    await untilHolds(async () =>
      expect((await engine.status([bundle.deployment])).get(bundle.deployment)?.headBlock).toBe(head),
    );
  };
  const put = { method: "PUT", headers, body: deployForm(bundle.zip) };
  await fetch(`${server.address}/api/v1/subgraphs/moves/deployments/1.0.0`, put);
  await indexed();
  await send("POST", "/subgraphs/webhooks", {
    name: "hook",
    subgraph_name: "moves",
    subgraph_version: "1.0.0",
    entity: "moved",
    webhook_url: hook.url,
    from_start: true,
  });
  const sources =
    "{ moves: { type: subgraph_entity, name: Moved, start_at: earliest, subgraphs: [{ name: moves, version: 1.0.0 }] } }";
  const out = `{ type: webhook, from: moves, url: "http://127.0.0.1:${sink.port}/moves", batch_flush_interval: 50ms }`;
  await send("PUT", "/pipelines/moves/definition", {
    text: `name: moves\nsources: ${sources}\nsinks: { out: ${out} }\n`,
  });
  const held = async (rows: number): Promise<void> => {
    await untilHolds(async () => expect(hook.table().size).toBe(rows));
    await untilHolds(async () => expect(sink.tables.get("/moves")?.size).toBe(rows));
  };
  await held(4);
  const before = await query();
  const [hooked, sunk] = [new Map(hook.table()), new Map(sink.tables.get("/moves"))];
  const head = await anvil.blockNumber();

  const env = { GRAPHLOOM_API_URL: `${server.address}/api/v1`, GRAPHLOOM_TOKEN: server.newKey ?? "" };
  const rewind = (line: string) => graphloom(workplace(), `subgraph rewind moves/1.0.0 ${line}`, { env });
  const asked = await rewind(`--block ${head - 2}`);
  expect([asked.code, asked.err]).toEqual([2, expect.stringContaining("add --yes")]);
  const plan = await rewind(`--block ${head - 2} --dry-run`);
  expect([plan.code, plan.err]).toEqual([0, ""]);
  const effects = [
    `moves/1.0.0 goes back from block ${head} to block ${head - 2}, and indexes the blocks after it again.`,
    "Of moved, 2 versions are deleted.",
    "Of balance, 2 versions are deleted, and 1 earlier one is current again.",
    `Queries to moves/1.0.0 are answered from block ${head - 2} until it has caught up.`,
    "The webhook hook gets 2 events that undo changes of moved, then the changes of the blocks that are indexed again. All have new ids.",
    "The pipeline moves deletes from its sinks what came from later blocks, and adds the changes of the blocks that are indexed again. A sink that takes only final blocks keeps its rows: it stops if indexing gives others.",
  ];
  expect(plan.out.trimEnd().split("\n")).toEqual(effects);
  expect(await query()).toEqual(before);
  // The node is asked for a block that the deployment has forgotten.
  await database.query(SQL`delete from graphloom.recent_blocks where number = ${head - 2}`);
  const taken = hook.taken.length;
  const done = await rewind(`--block ${head - 2} --yes --output json`);
  expect([done.code, done.err]).toEqual([0, ""]);
  expect(JSON.parse(done.out)).toMatchObject({ from_block: head, to_block: head - 2, rewound: true });
  await indexed();
  await untilHolds(async () => expect(await query()).toEqual(before));
  // Two rows are deleted, and inserted again.
  await untilHolds(async () =>
    expect(
      hook.taken
        .slice(taken)
        .map(({ op }) => op)
        .toSorted(),
    ).toEqual(["DELETE", "DELETE", "INSERT", "INSERT"]),
  );
  expect(hook.table()).toEqual(hooked);
  await untilHolds(async () => expect(sink.tables.get("/moves")).toEqual(sunk));
  await anvil.transact(moving(anvil, token, 1, 9));
  await held(5);

  const signedIn = await fetch(`${server.address}/sign-in?code=${await server.signInCode()}`, {
    redirect: "manual",
  });
  const cookie = String(signedIn.headers.get("set-cookie")).split(";", 1).join();
  const submit = (fields: Readonly<Record<string, string>>) =>
    fetch(`${server.address}/dashboard/moves/1.0.0/rewind`, {
      method: "POST",
      redirect: "manual",
      headers: { cookie, origin: server.address },
      body: new URLSearchParams(fields),
    });
  const page = await (await submit({ block: String(head) })).text();
  expect(page).toContain(`<li>moves/1.0.0 goes back from block ${head + 1} to block ${head}, and`);
  const hash = /name="hash" value="(0x[0-9a-f]{64})"/.exec(page)?.[1] ?? "";
  expect((await submit({ block: String(head), hash, agreed: "yes" })).status).toBe(303);
  await untilHolds(async () =>
    expect((await engine.logs(bundle.deployment, { direction: "asc", limit: 1_000 })).lines).toContainEqual(
      expect.objectContaining({ text: `Continuing after block ${head}` }),
    ),
  );
  await indexed();
  await held(5);
  const acts = await database.query(
    SQL`select subject from graphloom.audit where action = 'subgraph.rewind' order by id`,
  );
  expect(acts.map(({ subject }) => subject)).toEqual([
    `moves/1.0.0 (block ${head - 2})`,
    `moves/1.0.0 (block ${head})`,
  ]);
  expect(await rewind(`--block ${head + 5} --yes`)).toMatchObject({
    code: 3,
    err: expect.stringContaining("is not before its last block"),
  });
});
