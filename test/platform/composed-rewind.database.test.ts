import { expect, onTestFinished, test } from "vitest";
import { createProject } from "../../src/platform/people/projects.js";
import { startServer } from "../../src/platform/start-server.js";
import { SQL } from "../../src/store/database/database.js";
import { quoteNames } from "../../src/store/database/quote.js";
import { findDeployment } from "../../src/store/deployments/deployments.js";
import { graphloom, type Ran, workplace } from "../cli/harness.js";
import { bundleOf } from "../hosting/hosted.js";
import { linkedFiles, startNode } from "../runtime/composition/recorded-node.js";
import { onPglite, world } from "../support/database/databases.js";
import { deployForm, keptOpen } from "../support/server/platform-server.js";
import { untilHolds } from "../support/until.js";

const { fresh } = onPglite();

/** A server that indexes a composed subgraph and its source up to a block. */
async function startAll() {
  const { url, moveTo } = await startNode();
  moveTo(29);
  const database = await fresh();
  const server = await startServer({
    database: keptOpen(database),
    world,
    secretKey: new Uint8Array(32).fill(7),
    host: "127.0.0.1",
    port: 0,
    version: "0.0.0-test",
    nodes: new Map([["mainnet", [url]]]),
    engines: { database: "memory", verify: "off" },
  });
  onTestFinished(() => server.close());
  const files = linkedFiles();
  const [source, composed] = [files.source, files.composed].map((one) => bundleOf(one, "subgraph.yaml"));
  if (!source || !composed) throw new Error("there are two builds");
  const headers = { authorization: `Bearer ${server.newKey}` };
  const api = `${server.address}/api/v1`;
  const deploy = async (name: string, zip: Uint8Array): Promise<void> => {
    const put = { method: "PUT", headers, body: deployForm(zip) };
    const answer = await fetch(`${api}/subgraphs/${name}/deployments/1`, put);
    expect([answer.status, answer.status < 300 || (await answer.text())]).toEqual([answer.status, true]);
  };
  await deploy("source", source.zip);
  await deploy("composed", composed.zip);
  const headOf = async (deployment: string) => (await findDeployment(database, deployment))?.head?.number;
  const reached = (block: number): Promise<void> =>
    untilHolds(async () =>
      expect([await headOf(source.deployment), await headOf(composed.deployment)]).toEqual([block, block]),
    );
  await reached(29);
  const env = { GRAPHLOOM_API_URL: api, GRAPHLOOM_TOKEN: server.newKey ?? "" };
  const run = (line: string): Promise<Ran> => graphloom(workplace(), line, { env });
  const logs = async (): Promise<readonly string[]> => {
    const body = JSON.stringify({ query: "{ logs(orderBy: id) { id data } }" });
    const path = `/api/public/${server.project}/subgraphs/composed/1/gn`;
    const answer = await fetch(`${server.address}${path}`, { method: "POST", headers, body });
    const { data } = (await answer.json()) as { data: { logs: { id: string; data: string }[] } };
    return data.logs.map(({ id, data }) => `${id} ${data.split(";")[0]}`);
  };
  const at = (path: string, more: RequestInit = {}) => fetch(`${api}${path}`, { headers, ...more });
  return { server, database, source, composed, deploy, reached, run, logs, moveTo, headOf, at };
}

const all = ["0 id = String a1", "1 id = String b1", "2 id = String a2"];

test("a composed subgraph goes back with its source and handles the same entities again, unless it cannot", async () => {
  const { database, composed, source, reached, run, logs, moveTo, headOf } = await startAll();
  const before = await logs();
  expect(before.map((log) => log.replace(/^\d+/, ""))).toEqual(all.map((log) => log.replace(/^\d+/, "")));

  const plan = await run("subgraph rewind source/1 --block 26 --dry-run");
  expect([plan.code, plan.err]).toEqual([0, ""]);
  expect(plan.out).toContain(
    "composed/1, which has it as a source, goes back to block 26 too, with its webhooks and pipelines, and handles the blocks after it again.\n",
  );
  const rewoundPaused = async (block: number): Promise<void> => {
    await run("subgraph pause composed/1");
    await run("subgraph pause source/1");
    const done = await run(`subgraph rewind source/1 --block ${block} --yes`);
    expect([done.code, done.err]).toEqual([0, ""]);
    expect(await headOf(source.deployment)).toBe(block);
  };
  const started = async (): Promise<void> => {
    await run("subgraph start source/1");
    await run("subgraph start composed/1");
    await reached(30);
    expect(await logs()).toEqual(before);
  };
  await rewoundPaused(26);
  expect(await headOf(composed.deployment)).toBe(26);
  expect(await logs()).toEqual(before.slice(0, 1));
  moveTo(30);
  await started();

  // If it begins after the block, nothing of it is left.
  const first = (block: number) =>
    database.query(
      SQL`update graphloom.deployments set start_block = $2::integer where deployment = $1::text`,
      [composed.deployment, String(block)],
    );
  const startBlock = (await findDeployment(database, composed.deployment))?.startBlock ?? 0;
  await first(29);
  await rewoundPaused(26);
  expect(await headOf(composed.deployment)).toBeUndefined();
  const { namespace = "" } = (await findDeployment(database, composed.deployment)) ?? {};
  expect(await database.query(SQL`select 1 from ${quoteNames(namespace, "log")}`)).toEqual([]);
  await first(startBlock);
  await started();

  // What a graft took over cannot be made again.
  await database.query(
    SQL`update graphloom.deployments set graft_base = 'QmBase', graft_block = 28 where deployment = $1::text`,
    [composed.deployment],
  );
  const refused = await run("subgraph rewind source/1 --block 26 --yes");
  expect([refused.code, refused.err]).toEqual([0, ""]);
  expect(refused.out).toContain(
    "composed/1, which has it as a source, keeps what it has from later blocks, and waits until source/1 has caught up. It took over what its graft base had at block 28, not how that was made.",
  );
  expect(await headOf(composed.deployment)).toBe(30);
  await reached(30);
  expect(await logs()).toEqual(before);
});

test("a rewind that is refused because of another project does not say that there is one", async () => {
  const { database, source, composed, run, headOf } = await startAll();
  await createProject(database, { id: "project_other", name: "hidden" });
  const share = (deployment: string) =>
    database.query(
      SQL`insert into graphloom.versions (project, name, version, deployment)
        values ('project_other', 'secret', $1::text, $1::text)`,
      [deployment],
    );
  await share(composed.deployment);
  const kept = await run("subgraph rewind source/1 --block 26 --yes");
  expect([kept.code, kept.err]).toEqual([0, ""]);
  await share(source.deployment);
  const refused = await run("subgraph rewind source/1 --block 25 --yes");
  expect(refused).toMatchObject({ code: 3, out: "" });
  const reason = "The server indexes equal content once, so this deployment may not be yours alone";
  for (const said of [kept.out, refused.err]) {
    expect(said).toContain(reason);
    expect(said).not.toMatch(/secret|hidden|other project/i);
  }
  expect(await headOf(composed.deployment)).toBe(29);
});

test("deleting the source of a composed subgraph comes with a warning, while no other version has it", async () => {
  const { server, database, source, composed, deploy, run, at } = await startAll();
  const warning =
    "composed/1 has source/1 as a source. Without it, composed/1 indexes no further block until the source is deployed again.";
  // As an older version has stored it. It is learned when the server starts it.
  await database.query(SQL`update graphloom.builds set sources = null where deployment = $1::text`, [
    composed.deployment,
  ]);
  const told = async () => (await (await at("/subgraphs/source/1")).json()) as { data: object[] };
  expect((await told()).data[0]).not.toHaveProperty("deletion_warnings");
  await run("subgraph pause composed/1");
  await run("subgraph start composed/1");
  expect((await told()).data[0]).toHaveProperty("deletion_warnings", [warning]);

  const signedIn = await fetch(`${server.address}/sign-in?code=${await server.signInCode()}`, {
    redirect: "manual",
  });
  const cookie = String(signedIn.headers.get("set-cookie")).split(";", 1).join();
  const page = async () =>
    (await fetch(`${server.address}/dashboard/source/1/settings`, { headers: { cookie } })).text();
  expect(await page()).toContain(`<p class="warn">${warning}</p>`);

  await deploy("again", source.zip);
  expect((await told()).data[0]).not.toHaveProperty("deletion_warnings");
  expect(await page()).not.toContain(warning);
  expect(await run("subgraph delete again/1 --force")).toMatchObject({ code: 0, err: "" });
  expect(await run("subgraph delete source/1 --force")).toMatchObject({
    code: 0,
    err: `warning: ${warning}\n`,
  });
});
