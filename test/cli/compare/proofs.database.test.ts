import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endpoints } from "../../../src/platform/endpoints/endpoints.js";
import { oneClient } from "../../../src/platform/endpoints/options.js";
import { createApp } from "../../../src/platform/http/app.js";
import { addApiKey } from "../../../src/platform/people/api-keys.js";
import { catalogDeployment } from "../../../src/query/catalog-deployment.js";
import { createQueryEngine } from "../../../src/query/engine.js";
import { Nodes } from "../../../src/rpc/nodes.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { layoutOf, openDeployment } from "../../../src/store/deployments/deployments.js";
import { storedProof } from "../../../src/store/deployments/stored-proof.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import type { EntityChange, StoreValue } from "../../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { addEntry } from "../../platform/endpoints/add-entry.js";
import { emptyChain } from "../../support/chain/empty-chain.js";
import { hash } from "../../support/chain/raw-chain.js";
import { addressOf, onPglite, onPostgres, world } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { createQueryHosting, queryPlatform } from "../../support/server/query-hosting.js";
import { graphloom, workplace } from "../harness.js";

const deployment = "QmSameOnBothSides";
const schema = "type Swap @entity(immutable: false) { id: ID!, amount: Int! }";
const indexer = `0x${"ab".repeat(20)}`;
const head = 40;
const key = "key-of-its-project";

interface Side {
  readonly database: Database;
  readonly app: FastifyInstance;
  readonly origin: string;
  readonly url: string;
}

/** A server with a deployment that has written a swap in each block. */
async function startSide(database: Database, amountAt: (block: number) => number): Promise<Side> {
  const opened = await openDeployment(database, {
    deployment,
    network: "mainnet",
    schema,
    startBlock: 1,
    proofVariant: "fast",
  });
  const entities = readEntitySchema(schema);
  const store = openStore(database, opened, { entities, dataSources: [1], templates: [] });
  let digest = new Uint8Array(32);
  for (let block = 1; block <= head; block += 1) {
    const amount = amountAt(block);
    const id = `swap ${block % 7}`;
    const entity = new Map<string, StoreValue>([
      ["id", { kind: "String", value: id }],
      ["amount", { kind: "Int", value: amount }],
    ]);
    const changes: readonly EntityChange[] = [{ kind: "set", type: "Swap", id, entity }];
    digest = createHash("sha256").update(digest).update(`${id} ${amount}`).digest();
    await store.commit(
      { number: block, hash: hash(block) },
      { changes, dataSources: [], proofDigest: digest },
      { isNearHead: true },
    );
  }
  await store.flush?.();
  await addEntry(database, { name: "swaps", version: "1.0.0", deployment, isPublic: true, isPrivate: true });
  await addApiKey(database, { id: "key_1", project: "project_1", name: "key", role: "Viewer", key });
  const hosting = createQueryHosting();
  const layout = layoutOf(opened);
  hosting.answering.set(
    deployment,
    createQueryEngine({ database, deployment: catalogDeployment(opened, layout), world }),
  );
  hosting.statuses.set(deployment, {
    health: "healthy",
    isSynced: true,
    nonFatalErrors: [],
    startBlock: 1,
    headBlock: head,
    chainHeadBlock: head,
  });
  Object.assign(hosting.engine("embedded"), {
    storage: async () => ({ database, layout, deployment: opened }),
  });
  // Of a block that the database has forgotten, the node knows the hash.
  const nodes = new Nodes(new Map([["mainnet", ["http://node"]]]), { ...world, fetch: emptyChain(head) });
  const app = await createApp({ ...queryPlatform(database, hosting), nodes }, [endpoints(oneClient)]);
  app.addHook("onClose", async () => nodes.close());
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  return { database, app, origin, url: `${origin}/subgraphs/id/${deployment}` };
}

const proofAt = (side: Side, block: number, of?: string): Promise<string | undefined> =>
  storedProof(side.database, {
    deployment,
    block,
    blockHash: Buffer.from(hash(block).slice(2), "hex"),
    indexer: of === undefined ? undefined : Buffer.from(of.slice(2), "hex"),
  });

describe.skipIf(postgresMissing !== undefined)("proofs of indexing on two servers", () => {
  let left: Side;
  let right: Side;
  beforeAll(async () => {
    left = await startSide(await onPglite().fresh(), (block) => block);
    right = await startSide(await onPostgres().fresh(), (block) => (block === 17 ? 0 : block));
  });
  afterAll(async () => {
    await left?.app.close();
    await right?.app.close();
  });
  const compare = (other: Side, more = "") =>
    graphloom(workplace(), `compare ${left.url} ${other.url} --rate 500 ${more}`);

  test("compare reads no entities if the proofs are equal", async () => {
    const { code, out, err } = await compare(left);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(`proof  ${await proofAt(left, head, `0x${"0".repeat(40)}`)} on both sides\n`);
    expect(out).toContain("Both sides are the same: their handlers have written the same up to this block.");
    expect(out).not.toContain("ENTITY");
    const told = JSON.parse((await compare(left, "--output json")).out);
    expect(told).toMatchObject({ equal: true, proof: { equal: true, first: null }, entities: {} });
  });

  test("compare names the first block that differs, and the entity", async () => {
    const { code, out } = await compare(right);
    expect(code).toBe(4);
    expect(out).toContain(`The proofs differ from block 17 on. It changed 1 entity differently:
  Swap swap 3
    amount: 17 | 0

The sides differ.
`);
    const told = JSON.parse((await compare(right, "--output json")).out);
    expect(told).toMatchObject({
      equal: false,
      proof: { equal: false, first: { block: 17, earliest: false, count: 1 } },
      entities: {},
    });
  });

  test("compare reads all entities with --no-proofs, and if a type is named", async () => {
    for (const more of ["--no-proofs", "--entity Swap"]) {
      const { code, out } = await compare(right, more);
      // A later block has written the same swap again.
      expect([code, out.includes("proof  ")]).toEqual([0, false]);
      expect(out).toContain("Both sides are the same: 7 entities.");
    }
  });

  test("compare asks the status API that is named", async () => {
    const status = `${right.origin}/index-node/graphql`;
    expect((await compare(right, `--status-left ${status}`)).code).toBe(0);
    const { code, err } = await compare(right, "--status-left ftp://x");
    expect([code, err]).toEqual([2, expect.stringContaining("--status-left must start with http")]);
  });

  test("poi prints the proof of a block", async () => {
    const poi = (more: string) => graphloom(workplace(), `poi ${left.url} ${more}`);
    expect(await poi("--block 20")).toMatchObject({ code: 0, out: `${await proofAt(left, 20)}\n`, err: "" });
    expect((await poi("")).out).toBe(`${await proofAt(left, head)}\n`);
    expect(JSON.parse((await poi("--block 20 --output json")).out)).toEqual({
      deployment,
      block: 20,
      hash: hash(20),
      proof: await proofAt(left, 20),
      indexer: null,
    });
    const above = await poi(`--block 41 --hash ${hash(41)}`);
    expect([above.code, above.err]).toEqual([3, expect.stringContaining("has no proof of")]);
    const unknown = await poi("--block 50");
    expect([unknown.code, unknown.out]).toEqual([3, ""]);
  });

  test("poi gives the proof of an indexer to members of the project only", async () => {
    const stranger = await graphloom(workplace(), `poi ${left.url} --block 20 --indexer ${indexer}`);
    expect([stranger.code, stranger.err]).toEqual([
      3,
      expect.stringContaining("an indexer's proofs are for members of the project"),
    ]);
    const url = `${left.origin}/api/private/project_1/subgraphs/swaps/1.0.0/gn`;
    const words = [
      "poi",
      url,
      "--block",
      "20",
      "--indexer",
      indexer,
      "--header",
      `Authorization: Bearer ${key}`,
    ];
    const member = await graphloom(workplace(), words);
    expect(member).toMatchObject({ err: "", code: 0, out: `${await proofAt(left, 20, indexer)}\n` });
    expect(await proofAt(left, 20, indexer)).not.toBe(await proofAt(left, 20));
  });

  test("a public proof needs no hash that the server remembers", async () => {
    await left.database.run(SQL`delete from graphloom.recent_blocks where number = 5`);
    const proofs = `{ publicProofsOfIndexing(requests: [{ deployment: "${deployment}", blockNumber: "5" }]) {
      block { hash } proofOfIndexing
    } }`;
    const { body } = await left.app.inject({
      method: "POST",
      url: "/index-node/graphql",
      headers: { "content-type": "application/json" },
      payload: { query: proofs },
    });
    expect(JSON.parse(body)).toEqual({
      data: {
        publicProofsOfIndexing: [
          {
            block: { hash: hash(5).slice(2) },
            proofOfIndexing: await proofAt(left, 5, `0x${"0".repeat(40)}`),
          },
        ],
      },
    });
  });

  test("the private status API refuses keys of other projects, and requests without one", async () => {
    const ask = (project: string, headers: Readonly<Record<string, string>>) =>
      left.app.inject({
        method: "POST",
        url: `/api/private/${project}/index-node/graphql`,
        headers: { "content-type": "application/json", ...headers },
        payload: { query: "{ indexingStatuses { subgraph } }" },
      });
    const authorization = `Bearer ${key}`;
    expect((await ask("project_1", { authorization })).json()).toEqual({
      data: { indexingStatuses: [{ subgraph: deployment }] },
    });
    expect((await ask("project_2", { authorization })).statusCode).toBe(403);
    expect((await ask("project_1", {})).statusCode).toBe(401);
  });

  test("poi reads the database of a server or of run", async () => {
    const place = addressOf(right.database) ?? "";
    const poi = (subgraph: string, ...more: readonly string[]) =>
      graphloom(workplace(), ["poi", subgraph, "--database", place, ...more]);
    for (const subgraph of [deployment, "swaps", "swaps/1.0.0"])
      expect(await poi(subgraph, "--block", "20", "--indexer", indexer)).toMatchObject({
        code: 0,
        out: `${await proofAt(right, 20, indexer)}\n`,
      });
    expect((await poi("swaps")).out).toBe(`${await proofAt(right, head)}\n`);
    const unknown = await poi("swaps/2.0.0");
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining("has no subgraph swaps/2.0.0")]);
    const above = await poi("swaps", "--block", "41", "--hash", hash(41));
    expect([above.code, above.err]).toEqual([1, expect.stringContaining("has indexed up to block 40")]);
    const lacking = await poi("swaps", "--block", "41");
    expect([lacking.code, lacking.err]).toEqual([1, expect.stringContaining("Pass it with --hash")]);
    const bare = await openDeployment(right.database, {
      deployment: "QmWithoutProofs",
      network: "mainnet",
      schema,
      startBlock: 1,
    });
    expect((await poi("QmWithoutProofs")).err).toContain("has indexed no block yet");
    const store = openStore(right.database, bare, {
      entities: readEntitySchema(schema),
      dataSources: [1],
      templates: [],
    });
    await store.commit({ number: 1, hash: hash(1) }, { changes: [], dataSources: [] });
    await store.flush?.();
    expect((await poi("QmWithoutProofs")).err).toContain("keeps no proofs of indexing");
  });

  test.each([
    ["--block -1", "--block must be a whole number"],
    ["--hash 0x12", "--hash must be 0x and 64 hex digits"],
    ["--indexer 0x12", "--indexer must be an address"],
    ["--status x", "--status must start with http"],
    ["--database ", "--database requires"],
  ])("poi refuses %s", async (more, message) => {
    const words = ["poi", left.url, ...more.split(" ")];
    const { code, err } = await graphloom(workplace(), words);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});
