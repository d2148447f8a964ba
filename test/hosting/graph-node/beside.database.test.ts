import { isDeepStrictEqual } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { SQL } from "../../../src/store/database/database.js";
import { findAsked } from "../../../src/store/deployments/graph-node-deployments.js";
import type { Build } from "../../../src/subgraph/build.js";
import { onEither } from "../../support/database/databases.js";
import { startValve } from "../../support/network/valve.js";
import { sampleValue } from "../../support/server/exposition.js";
import {
  anotherDatabase,
  type Beside,
  buildOf,
  call,
  closedDoor,
  failingBuild,
  idOf,
  led,
  onNetwork,
  placeOf,
  playedSubject,
  realGraphNode,
  realSubject,
  type Subject,
  startBeside,
  useDatabases,
  valved,
} from "./beside.js";

useDatabases(onEither());

const assigned = { node: "default", paused: false };

/** Waits until a deployment has the expected place at graph-node. */
async function isAt(subject: Subject, deployment: string, place: unknown): Promise<void> {
  await expect.poll(() => placeOf(subject, deployment), { interval: 20 }).toEqual(place);
}

/** Waits until graph-node has indexed a block of a version. */
async function hasBlocks(server: Beside, name: string): Promise<void> {
  await expect
    .poll(async () => (await server.show(name)).deployments[0]?.indexing_progress?.deployment_head_block)
    .toBeGreaterThan(0);
}

const put = (server: Beside, path: string) => server.ask(path, { method: "PUT" });
const remove = (server: Beside, name: string) =>
  server.ask(`/subgraphs/${name}/deployments/1.0.0`, { method: "DELETE" });

/** A deployment whose status is compared in every place. */
interface Looked {
  readonly name: string;
  readonly build: Build;
  /** The state that its page shows. */
  readonly badge: RegExp;
}

/** Waits until the list, page, metrics and status interface agree with graph-node. */
async function isToldAlike(subject: Subject, server: Beside, { name, build, badge }: Looked): Promise<void> {
  const error = "{ message handler deterministic block { number hash } }";
  const block = "{ number hash }";
  const query = `{ indexingStatuses(subgraphs: ["${idOf(build)}"]) {
    subgraph synced health fatalError ${error} nonFatalErrors ${error} node paused entityCount historyBlocks
    chains { network chainHeadBlock ${block} earliestBlock ${block} latestBlock ${block} lastHealthyBlock ${block} }
  } }`;
  const look = async () => {
    const { indexingStatuses } = await subject.tell(query);
    const [told] = indexingStatuses as ToldStatus[];
    const monitored = await server.indexNode(query);
    const shown = await server.show(name);
    const samples = await server.metrics();
    const [page, again] = [await server.page(name), (await subject.tell(query)).indexingStatuses];
    const [, state = ""] = /<span class="state \w+">([^<]*)<\/span>/.exec(page) ?? [];
    const head = shown.deployments[0]?.indexing_progress?.deployment_head_block;
    const isPaused = told?.paused === true;
    const counted = { health: told?.health ?? "", paused: isPaused ? "yes" : "no" };
    const labels = { deployment: idOf(build) };
    return {
      // The chain may advance between the requests, so only a status that did not change counts.
      stands: isDeepStrictEqual(again, indexingStatuses),
      monitors: isDeepStrictEqual(monitored, { data: { indexingStatuses } }),
      list: isDeepStrictEqual(
        [shown.health, shown.synced, shown.status === "PAUSED", head],
        [told?.health.toUpperCase(), told?.synced, isPaused, Number(told?.chains[0]?.latestBlock?.number)],
      ),
      metrics: isDeepStrictEqual(
        [
          Number(sampleValue(samples, "graphloom_deployments", counted)) > 0,
          sampleValue(samples, "graphloom_deployment_head_block", labels),
          sampleValue(samples, "graphloom_deployment_synced", labels),
          sampleValue(samples, "graphloom_deployment_failed", labels),
        ],
        [true, head, Number(told?.synced), Number(told?.health === "failed")],
      ),
      page: badge.test(state) && (told?.synced !== true || state !== "catching up"),
    };
  };
  const all = { stands: true, monitors: true, list: true, metrics: true, page: true };
  await expect.poll(look, { interval: 20 }).toEqual(all);
}

/** The compared part of a graph-node's status. */
interface ToldStatus {
  readonly synced: boolean;
  readonly health: string;
  readonly paused: boolean | null;
  readonly chains: readonly { readonly latestBlock: { readonly number: string } | null }[];
}

/** Sends the body of a query. @param base the address of a server or a query node */
async function askAt(base: string, build: Build, body: string) {
  const answer = await fetch(`${base}/subgraphs/id/${idOf(build)}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return { status: answer.status, text: await answer.text(), retryAfter: answer.headers.get("retry-after") };
}

/** A query for the proofs and the hash of a block, as monitors send it. */
function proofQuery(deployment: string, block: number): string {
  const hash = "0".repeat(64);
  const nobody = "0x0000000000000000000000000000000000000000";
  return `{
    proofOfIndexing(subgraph: "${deployment}", blockNumber: ${block}, blockHash: "${hash}", indexer: "${nobody}")
    publicProofsOfIndexing(requests: [{ deployment: "${deployment}", blockNumber: "${block}" }]) {
      deployment block { number hash } proofOfIndexing
    }
    blockHashFromNumber(network: "mainnet", blockNumber: ${block})
  }`;
}

/** Defines the tests that every graph-node must pass. */
function holds(start: () => Promise<Subject>): void {
  it("the server indexes a deployment again that was deleted and redeployed", async () => {
    const subject = await start();
    const server = await startBeside(subject.doors);
    const build = await buildOf("again");
    expect((await server.deploy("again", build)).status).toBe(201);
    await isAt(subject, idOf(build), assigned);
    expect((await remove(server, "again")).status).toBe(200);
    await isAt(subject, idOf(build), { node: null, paused: null });
    expect((await server.deploy("again", build)).status).toBe(201);
    expect(await placeOf(subject, idOf(build))).toEqual(assigned);
    await remove(server, "again");
  });

  it("the server keeps a deployment indexing after an operator removes its name, and logs it", async () => {
    const subject = await start();
    const server = await startBeside(subject.doors);
    const build = await buildOf("nameless");
    await server.deploy("nameless", build);
    const asked = await findAsked(server.database, idOf(build));
    await subject.operator.remove(asked?.name ?? "");
    await isAt(subject, idOf(build), assigned);
    await expect.poll(() => server.log("nameless")).toContain("deployed to graph-node, which already had it");
    await remove(server, "nameless");
  });

  it("the server keeps a deployment that another server still uses", async () => {
    const subject = await start();
    const [one, other] = [
      await startBeside(subject.doors),
      await startBeside(subject.doors, await anotherDatabase()),
    ];
    const build = await buildOf("shared");
    await one.deploy("shared", build);
    await other.deploy("shared", build);
    await remove(other, "shared");
    expect(await placeOf(subject, idOf(build))).toEqual(assigned);
    await remove(one, "shared");
    await isAt(subject, idOf(build), { node: null, paused: null });
  });

  it("the server keeps a deployment that another program has also deployed", async () => {
    const subject = await start();
    const server = await startBeside(subject.doors);
    const build = await buildOf("known before");
    await server.deploy("before", build);
    await subject.operator.create("somebody/else");
    await subject.operator.deploy("somebody/else", idOf(build));
    await remove(server, "before");
    expect(await placeOf(subject, idOf(build))).toEqual(assigned);
    await server.deploy("before", build);
    await subject.operator.remove("somebody/else");
    expect(await placeOf(subject, idOf(build))).toEqual(assigned);
    await remove(server, "before");
  });

  it("the server moves a deployment from an old name to a new one and removes the old name", async () => {
    const subject = await start();
    const database = await anotherDatabase();
    const first = await startBeside(subject.doors, database);
    const build = await buildOf("old name");
    await first.deploy("old", build);
    const asked = await findAsked(database, idOf(build));
    const old = `graphloom/${idOf(build)}`;
    await subject.operator.create(old);
    await subject.operator.deploy(old, idOf(build));
    await first.close();
    await subject.operator.remove(asked?.name ?? "");
    // The state that the migration leaves.
    await database.query(SQL`update graphloom.graph_node_deployments set name = $1::text, is_paused = null`, [
      old,
    ]);
    await startBeside(subject.doors, database);
    await expect.poll(async () => (await findAsked(database, idOf(build)))?.name).toBe(asked?.name);
    const query =
      "query ($name: String!) { found: indexingStatusForCurrentVersion(subgraphName: $name) { subgraph } }";
    expect(await subject.tell(query, { name: old })).toEqual({ found: null });
    expect(await subject.tell(query, { name: asked?.name })).toEqual({ found: { subgraph: idOf(build) } });
    expect(await placeOf(subject, idOf(build))).toEqual(assigned);
  });

  it("the server resumes a deployment after a restart if it was resumed while the server was down", async () => {
    const subject = await start();
    const database = await anotherDatabase();
    const first = await startBeside(subject.doors, database);
    const build = await buildOf("pausing");
    await first.deploy("pausing", build);
    await put(first, "/subgraphs/pausing/1.0.0/pause");
    expect(await placeOf(subject, idOf(build))).toEqual({ node: "default", paused: true });
    expect((await first.show("pausing")).status).toBe("PAUSED");
    await first.close();
    await database.query(SQL`update graphloom.versions set is_paused = false`);
    await startBeside(subject.doors, database);
    await isAt(subject, idOf(build), assigned);
  });

  it("the server shows a deployment that an operator paused as paused, and does not resume it", async () => {
    const subject = await start();
    const server = await startBeside(subject.doors);
    const build = await buildOf("by hand");
    await server.deploy("hand", build);
    await subject.operator.pause(idOf(build));
    await expect.poll(async () => (await server.show("hand")).status).toBe("PAUSED");
    expect(await server.page("hand")).toContain('<span class="state soft">paused</span>');
    const paused = async () =>
      (await server.metrics()).find(
        ({ name, labels, value }) =>
          name === "graphloom_deployments" && labels.paused === "yes" && value === 1,
      );
    expect(await paused()).toBeDefined();
    expect(await server.indexNode("{ indexingStatuses { node paused } }")).toEqual({
      data: { indexingStatuses: [{ node: "default", paused: true }] },
    });
    await expect.poll(() => server.log("hand")).toContainEqual(expect.stringContaining("not here"));
    expect(await placeOf(subject, idOf(build))).toMatchObject({ paused: true });
    // A request here overrides the operator, even if it asks for the same as the last one.
    await put(server, "/subgraphs/hand/1.0.0/resume");
    expect(await placeOf(subject, idOf(build))).toEqual(assigned);
    await expect.poll(async () => (await server.show("hand")).status).toBe("ACTIVE");
    await put(server, "/subgraphs/hand/1.0.0/pause");
    await subject.operator.resume(idOf(build));
    await expect.poll(async () => (await server.show("hand")).status).toBe("ACTIVE");
    await put(server, "/subgraphs/hand/1.0.0/pause");
    expect(await placeOf(subject, idOf(build))).toMatchObject({ paused: true });
    await expect.poll(async () => (await server.show("hand")).status).toBe("PAUSED");
    await remove(server, "hand");
  });

  it("the server reports where an operator has moved a deployment", async () => {
    const subject = await start();
    const server = await startBeside(subject.doors);
    const build = await buildOf("moved");
    await server.deploy("moved", build);
    await expect
      .poll(async () => (await server.indexNode("{ indexingStatuses { node } }")).data)
      .toEqual({ indexingStatuses: [{ node: "default" }] });
    await expect.poll(async () => (await server.log("moved")).length).toBeGreaterThan(0);
    await hasBlocks(server, "moved");
    await call(subject, "subgraph_reassign", { ipfs_hash: idOf(build), node_id: "nobody" });
    await expect.poll(() => server.log("moved")).toContain("graph-node moved it from default to nobody");
    expect((await server.indexNode("{ indexingStatuses { node } }")).data).toEqual({
      indexingStatuses: [{ node: "nobody" }],
    });
    expect(await placeOf(subject, idOf(build))).toMatchObject({ node: "nobody" });
    await remove(server, "moved");
  });

  it("the server answers with the last known status while graph-node hangs, and reports since when", async () => {
    const subject = await start();
    const { doors, shut, open } = await valved(subject.doors);
    const server = await startBeside(doors);
    const build = await buildOf("hanging");
    await server.deploy("hanging", build);
    await hasBlocks(server, "hanging");
    shut();
    const since = expect.stringMatching(/^The engine has not answered since \d{4}-\d\d-\d\d [\d:]{8} UTC: /);
    await expect
      .poll(async () => (await server.show("hanging")).deployments[0]?.non_fatal_errors)
      .toContainEqual(since);
    const shown = await server.show("hanging");
    expect(shown.deployments[0]?.indexing_progress?.deployment_head_block).toBeGreaterThan(0);
    expect(await server.page("hanging")).toContain('<span class="state warn">engine unavailable</span>');
    const metrics = await server.metrics();
    expect(sampleValue(metrics, "graphloom_engine_up", { engine: "graph-node" })).toBe(0);
    expect(sampleValue(metrics, "graphloom_engine_up", { engine: "embedded" })).toBe(1);
    expect((await server.ask(`${server.address}/ready`)).json).toEqual({
      status: "ready",
      warnings: [expect.stringMatching(/^The engine graph-node has not answered since /)],
    });
    expect(server.said).toContainEqual(expect.stringContaining("warn graph-node does not answer"));
    // Requests made meanwhile take effect later.
    expect((await put(server, "/subgraphs/hanging/1.0.0/pause")).status).toBe(200);
    open();
    await isAt(subject, idOf(build), { node: "default", paused: true });
    await expect
      .poll(async () => (await server.show("hanging")).deployments[0]?.non_fatal_errors)
      .toEqual([]);
    expect(server.said).toContain("info graph-node answers again");
    await remove(server, "hanging");
  });

  it("the server never reveals a graph-node address while any of them is down", async () => {
    const [admin, status, query, ipfs] = [
      await closedDoor(),
      await closedDoor(),
      await closedDoor(),
      await closedDoor(),
    ];
    const server = await startBeside({ admin, status, query, ipfs });
    expect((await server.deploy("away", await buildOf("away"))).status).toBe(201);
    const answers = [
      JSON.stringify(await server.show("away")),
      JSON.stringify(
        await server.indexNode("{ indexingStatuses { subgraph health fatalError { message } } }"),
      ),
      await server.page("away"),
      JSON.stringify(await server.log("away")),
      JSON.stringify((await server.ask(`${server.address}/ready`)).json),
    ];
    for (const answer of answers) {
      for (const door of [admin, status, query, ipfs]) expect(answer).not.toContain(new URL(door).port);
    }
    expect(answers[0]).toContain("the status address: the connection was refused");
  });

  it("the server refuses webhooks for every deployment", async () => {
    const subject = await start();
    const server = await startBeside(subject.doors);
    await server.deploy("hooked", await buildOf("hooked"));
    const body = {
      name: "notes",
      subgraph_name: "hooked",
      subgraph_version: "1.0.0",
      entity: "note",
      webhook_url: "https://example.com/hook",
    };
    const answer = await server.ask("/subgraphs/webhooks", { method: "POST", body });
    expect([answer.status, answer.json.detail ?? answer.text]).toEqual([
      422,
      expect.stringContaining("is indexed by a graph-node, whose changes this server cannot follow"),
    ]);
    expect(await server.page("hooked", "/webhooks")).toContain(
      "Webhooks are unavailable: this subgraph is indexed by a graph-node",
    );
    // A webhook created while another engine indexed the version.
    await server.database.query(
      SQL`insert into graphloom.webhooks (id, project, name, subgraph, version, entity, url, secret, retries, retry_interval,
          timeout, owes_start)
        select 'webhook_1', project, 'notes', name, version, 'Note', 'https://example.com/hook', '\\x00', 3, 1, 10, false
          from graphloom.versions where name = 'hooked'`,
    );
    const page = await server.page("hooked", "/webhooks/notes");
    expect(page).toContain("This webhook sends nothing: the subgraph is indexed by a graph-node");
    for (const text of [page, await server.page("hooked", "/webhooks")]) {
      expect(text).toContain('<span class="state bad">unavailable</span>');
    }
    // It does not report zero rows for tables that it cannot count.
    const entities = await server.ask("/subgraphs/hooked/1.0.0/entities");
    expect([entities.status, entities.json.detail]).toEqual([
      422,
      expect.stringContaining("are in the database of a graph-node"),
    ]);
    await remove(server, "hooked");
  });

  it("the server reports every address that is wrong or belongs to another interface", async () => {
    const { doors } = await start();
    const { admin, status, query, ipfs } = doors;
    const nowhere = await closedDoor();
    const cases: readonly (readonly [Parameters<typeof startBeside>[0], readonly string[]])[] = [
      [doors, []],
      [{ ...doors, admin: nowhere }, ["admin"]],
      [{ ...doors, status: nowhere }, ["status"]],
      [{ ...doors, query: nowhere }, ["query"]],
      [{ ...doors, ipfs: nowhere }, ["ipfs"]],
      [{ ...doors, admin: status, status: admin }, ["admin", "status"]],
      [{ ...doors, query: ipfs, ipfs: query }, ["ipfs", "query"]],
    ];
    for (const [given, wrong] of cases) {
      const server = await startBeside(given);
      const found = async () =>
        (await server.metrics())
          .filter(({ name, value }) => name === "graphloom_engine_address_wrong" && value === 1)
          .map(({ labels }) => labels.address)
          .toSorted();
      await expect.poll(found).toEqual(wrong);
      const { warnings = [] } = (await server.ask(`${server.address}/ready`)).json;
      const named = warnings
        .map((one: string) => /do not lead to the engine [^:]*: (.*)\.$/.exec(one)?.[1] ?? "")
        .join("");
      expect(named.split(", ").toSorted().filter(Boolean)).toEqual(wrong);
      expect(server.said.filter((line) => line.startsWith("warn")).length >= wrong.length).toBe(true);
      await server.close();
    }
  });

  it("the server leaves nothing behind when graph-node refuses a build", async () => {
    const subject = await start();
    const server = await startBeside(subject.doors);
    const build = await buildOf("nowhere");
    const answer = await server.deploy("refused", onNetwork(build, "nochain"));
    expect([answer.status, answer.json.detail]).toEqual([
      422,
      expect.stringContaining("network not supported by registrar"),
    ]);
    expect(answer.json.detail).not.toContain("127.0.0.1");
    expect((await server.ask("/subgraphs/refused")).status).toBe(404);
    expect((await server.deploy("refused", build)).status).toBe(201);
    await remove(server, "refused");
  });

  it("the server shows graph-node's status in lists, pages, metrics and the status interface", async () => {
    const subject = await start();
    const server = await startBeside(subject.doors);
    const build = await buildOf("shown");
    await server.deploy("shown", build);
    await isToldAlike(subject, server, { name: "shown", build, badge: /synced|catching up/ });
    await subject.operator.pause(idOf(build));
    await isToldAlike(subject, server, { name: "shown", build, badge: /paused/ });
    await subject.operator.resume(idOf(build));
    await isToldAlike(subject, server, { name: "shown", build, badge: /synced|catching up/ });
    await remove(server, "shown");
  });

  it("the server shows a failure that graph-node reports in every place", async () => {
    const subject = await start();
    const server = await startBeside(subject.doors);
    const build = await failingBuild("failure");
    await server.deploy("failure", build);
    await isAt(subject, idOf(build), assigned);
    subject.double?.set(idOf(build), {
      fatal: { message: "Mapping aborted in handler `balk` at block #64 (00ab)", deterministic: true },
    });
    await isToldAlike(subject, server, { name: "failure", build, badge: /failed/ });
    const { deployments } = await server.show("failure");
    expect(deployments[0]?.fatal_error).toMatch(/^\w+ at block \d+: .*Mapping aborted/);
    await remove(server, "failure");
  });

  it("the server passes on graph-node's proofs and block hashes for public deployments", async () => {
    const subject = await start();
    const server = await startBeside(subject.doors);
    const build = await buildOf("proven");
    await server.deploy("proven", build);
    await hasBlocks(server, "proven");
    const proofs = proofQuery(idOf(build), 1);
    const told = await subject.tell(proofs);
    expect(told.proofOfIndexing).toMatch(/^0x/);
    expect(await server.indexNode(proofs)).toEqual({ data: told });
    const late = proofQuery(idOf(build), 1_000_000);
    const refusal = JSON.stringify((await subject.ask(late)).errors?.[0]?.message);
    expect(JSON.stringify((await server.indexNode(late)).errors)).toContain(refusal);
    const unproven = `{ proofOfIndexing(subgraph: "${idOf(build)}", blockNumber: 1000000, blockHash: "${"0".repeat(64)}") }`;
    expect(await server.indexNode(unproven)).toEqual({ data: { proofOfIndexing: null } });
    const indexer = await server.indexNode(proofs.replace("0x00", "0x10"));
    expect(JSON.stringify(indexer)).toContain("an indexer's proofs are for members of the project");
    const many = Array.from(
      { length: 11 },
      (_, index) => `a${index}: blockHashFromNumber(network: "mainnet", blockNumber: 1)`,
    );
    expect(JSON.stringify(await server.indexNode(`{ ${many.join(" ")} }`))).toContain(
      "query is too expensive",
    );
    await server.ask("/subgraphs/proven/1.0.0", {
      method: "PATCH",
      body: { public_endpoint_enabled: false },
    });
    const hidden = await server.indexNode(proofs.replace("} proofOfIndexing", "}"));
    expect(hidden).toEqual({
      data: {
        proofOfIndexing: null,
        publicProofsOfIndexing: [{ deployment: idOf(build), block: { number: "1", hash: null } }],
        blockHashFromNumber: null,
      },
    });
    await remove(server, "proven");
  });

  it("the server does not reveal the addresses of an unreachable graph-node when asked for proofs", async () => {
    const subject = await start();
    const door = await startValve(subject.doors.status);
    const server = await startBeside({ ...subject.doors, status: door.url });
    const build = await buildOf("unprovable");
    await server.deploy("unprovable", build);
    await hasBlocks(server, "unprovable");
    await door.stop();
    const asked = async () => JSON.stringify(await server.indexNode(proofQuery(idOf(build), 1)));
    await expect.poll(asked).toContain("graph-node does not answer");
    expect(await asked()).not.toContain("127.0.0.1");
    await remove(server, "unprovable");
  });

  it("the server answers queries word for word as graph-node does", async () => {
    const subject = await start();
    const server = await startBeside(subject.doors);
    const build = await buildOf("own words");
    await server.deploy("words", build);
    await hasBlocks(server, "words");
    await put(server, "/subgraphs/words/1.0.0/pause");
    for (const query of [
      "{ notes(first: 2) { id text } }",
      "{ nope }",
      "{ notes",
      "{ notes(first: 5000) { id } }",
    ]) {
      const told = await askAt(subject.doors.query, build, JSON.stringify({ query }));
      const answer = await askAt(server.address, build, JSON.stringify({ query }));
      expect([answer.status, JSON.parse(answer.text)]).toEqual([told.status, JSON.parse(told.text)]);
    }
    const [told, answer] = [
      await askAt(subject.doors.query, build, '{"query": '),
      await askAt(server.address, build, '{"query": '),
    ];
    expect([answer.status, answer.text]).toEqual([told.status, told.text]);
    await remove(server, "words");
  });

  it("the server tells clients when to retry if query nodes hang", async () => {
    const subject = await start();
    const door = await startValve(subject.doors.query);
    onTestFinished(() => door.stop());
    const server = await startBeside({ ...subject.doors, query: door.url });
    const build = await buildOf("hanging queries");
    await server.deploy("queries", build);
    await hasBlocks(server, "queries");
    door.shut();
    const body = JSON.stringify({ query: "{ _meta { deployment } }" });
    const answer = await askAt(server.address, build, body);
    expect([answer.status, answer.retryAfter]).toEqual([503, "10"]);
    expect(answer.text).toContain("did not answer in time");
    door.open();
    expect((await askAt(server.address, build, body)).status).toBe(200);
    await remove(server, "queries");
  });

  it("the server redeploys everything to an empty graph-node, bases before grafts", async () => {
    const subject = await start();
    const before = await playedSubject();
    const { doors, lead } = await led(before.doors);
    const server = await startBeside(doors);
    const base = await buildOf("base");
    const grafted = await buildOf("grafted", { graft: { base: idOf(base), block: 50 } });
    await server.deploy("base", base);
    await expect
      .poll(async () => (await server.show("base")).deployments[0]?.indexing_progress?.deployment_head_block)
      .toBe(1000);
    expect((await server.deploy("grafted", grafted)).status).toBe(201);
    await isAt(before, idOf(grafted), assigned);
    lead(subject.doors);
    await isAt(subject, idOf(base), assigned);
    await isAt(subject, idOf(grafted), assigned);
    await isToldAlike(subject, server, { name: "grafted", build: grafted, badge: /synced|catching up/ });
    await remove(server, "grafted");
    await remove(server, "base");
  });

  it("the server grafts by graph-node's rules, or refuses before it records anything", async () => {
    const subject = await start();
    const server = await startBeside(subject.doors);
    const build = await buildOf("rule base");
    await server.deploy("base", build);
    const head = async () =>
      (await server.show("base")).deployments[0]?.indexing_progress?.deployment_head_block ?? 0;
    await expect.poll(head).toBeGreaterThan(260);
    await expect.poll(async () => (await server.show("base")).synced).toBe(true);
    const at = await head();
    const late = await server.deploy("late", await buildOf("late"), {
      graft_from: "base/1.0.0",
      start_block: `${at}`,
    });
    expect([late.status, late.json.detail]).toEqual([
      422,
      expect.stringMatching(/Graft at block \d+ or earlier/),
    ]);
    const settled = Number(/Graft at block (\d+)/.exec(late.json.detail)?.[1]);
    expect(settled).toBeGreaterThanOrEqual(at - 250);
    expect((await server.ask("/subgraphs/late")).status).toBe(404);
    // graph-node gives the same answer when asked anyway.
    const forced = await server.deploy("forced", await buildOf("forced"), {
      graft_from: "base/1.0.0",
      start_block: `${at}`,
      skip_graft_validation: "1",
    });
    expect(forced.status).toBe(201);
    expect((await server.show("forced")).deployments[0]?.non_fatal_errors).toContainEqual(
      expect.stringContaining("within the reorg threshold of 250 blocks"),
    );
    await remove(server, "forced");
    const grafted = await buildOf("early");
    const early = await server.deploy("early", grafted, { graft_from: "base/1.0.0" });
    expect([early.status, early.json.graft?.base]).toEqual([201, idOf(build)]);
    expect(early.json.graft.block).toBeGreaterThanOrEqual(settled);
    await expect
      .poll(async () => (await server.show("early")).deployments[0]?.indexing_progress?.deployment_head_block)
      .toBeGreaterThan(early.json.graft.block);
    expect((await server.show("early")).health).toBe("HEALTHY");
    await remove(server, "early");
    await remove(server, "base");
  });

  it("the server recognises addresses that belong to another graph-node", async () => {
    const [subject, other] = [await start(), await playedSubject()];
    const foreign = (address: string) =>
      `warn graph-node: the ${address} address does not know the deployments of this server: it belongs to another graph-node`;
    const server = await startBeside({ ...subject.doors, query: other.doors.query });
    await server.deploy("split", await buildOf("split"));
    await expect.poll(() => server.said).toContain(foreign("query"));
    await remove(server, "split");
    const queries = await startBeside(
      { ...other.doors, query: subject.doors.query },
      await anotherDatabase(),
    );
    await queries.deploy("split", await buildOf("split queries"));
    await expect.poll(() => queries.said).toContain(foreign("query"));
    const statuses = await startBeside(
      { ...other.doors, status: subject.doors.status },
      await anotherDatabase(),
    );
    await statuses.deploy("split", await buildOf("split status"));
    await expect.poll(() => statuses.said).toContain(foreign("status"));
    expect((await statuses.show("split")).deployments[0]?.fatal_error).toContain(
      "it belongs to another graph-node",
    );
  });

  it("the server waits for the chain to reach a later start block", async () => {
    const subject = await start();
    const server = await startBeside(subject.doors);
    const build = await buildOf("later", { startBlock: 100_000_000 });
    expect((await server.deploy("later", build)).status).toBe(201);
    const shown = await server.show("later");
    expect(shown.deployments[0]?.fatal_error).toBe(null);
    expect(shown.deployments[0]?.non_fatal_errors).toEqual([
      expect.stringMatching(/the specified block 100000000 must exist.*; wait until the chain has reached/s),
    ]);
    expect(await server.page("later")).toContain('<span class="state warn">waiting</span>');
    await remove(server, "later");
  });
}

describe("A server beside a simulated graph-node", () => {
  holds(playedSubject);

  it("leaves a deployment alone that an operator has unassigned, and reports it", async () => {
    const subject = await playedSubject();
    const server = await startBeside(subject.doors);
    const build = await buildOf("unassigned");
    await server.deploy("unassigned", build);
    subject.double?.unassign(idOf(build));
    await expect
      .poll(async () => (await server.show("unassigned")).deployments[0]?.non_fatal_errors)
      .toContainEqual(expect.stringContaining("an operator has unassigned it"));
    expect(await server.page("unassigned")).toContain("not assigned");
  });

  it("asks a hanging query node only once, then tells the client when to retry", async () => {
    const subject = await playedSubject();
    const server = await startBeside(subject.doors);
    const build = await buildOf("slow queries");
    await server.deploy("slow", build);
    let asked = 0;
    subject.double?.queries.rule(({ body }) => {
      if (!String(body).includes("slowly")) return undefined;
      asked += 1;
      return { kind: "silence" };
    });
    const answer = await fetch(`${server.address}/subgraphs/id/${idOf(build)}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "{ slowly }" }),
    });
    expect([answer.status, answer.headers.get("retry-after"), asked]).toEqual([503, "10", 1]);
    expect(await answer.text()).toContain("did not answer in time");
  });

  it("shows the manifest's start block and the whole text of a failure", async () => {
    const subject = await playedSubject();
    const server = await startBeside(subject.doors);
    const build = await buildOf("first block", { startBlock: 7 });
    await server.deploy("first", build);
    const message = `wasm backtrace: ${"x".repeat(3000)} in handler \`keep\` at block #612 (00ab)`;
    subject.double?.set(idOf(build), { fatal: { message, deterministic: true } });
    await expect.poll(async () => (await server.show("first")).health).toBe("FAILED");
    const { deployments } = await server.show("first");
    expect(deployments[0]?.indexing_progress?.deployment_start_block).toBe(7);
    expect(deployments[0]?.fatal_error).toMatch(
      /^handleTransfer at block \d+: wasm backtrace.* at block #612 \(00ab\)$/,
    );
    expect(await server.page("first")).toContain("at block #612 (00ab)");
  });
});

describe.skipIf(realGraphNode === undefined)(
  `A server beside a real graph-node${realGraphNode === undefined ? ": set GRAPHLOOM_GRAPH_NODE to run these tests" : ""}`,
  () => holds(realSubject),
);
