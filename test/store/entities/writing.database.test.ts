import { beforeEach, describe, expect, test } from "vitest";
import type { FailedHandler, Store } from "../../../src/runtime/store/store.js";
import type { Database } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { findDeployment } from "../../../src/store/deployments/deployments.js";
import { clearFatalError, readHealth } from "../../../src/store/deployments/health.js";
import { block, int, list, set, text, timestamp } from "../../runtime/store/values.js";
import { describeDatabases } from "../../support/database/databases.js";
import { fullWhen } from "../../support/database/full-database.js";
import { reopenStore } from "./make-store.js";

const schema = "type Token @entity { id: ID!, name: String, at: Timestamp, tags: [String!], n: Int }";
const names = async (store: Store) => (await store.all("Token")).map((token) => token.get("id"));
const failureIn = (number: number, isDeterministic: boolean): FailedHandler => ({
  handler: "handleMade",
  source: "Factory",
  block: number,
  blockHash: block(number).hash,
  transactionHash: undefined,
  logIndex: undefined,
  error: new Error("t1 is there already"),
  isDeterministic,
});

describeDatabases("a store in tables", ({ fresh }) => {
  let database: Database;
  beforeEach(async () => {
    database = await fresh();
    await migrate(database);
  });

  const open = (of: Database = database, mostChanges = 5000) =>
    reopenStore(of, schema, "QmA", { mostChanges });
  const commit = (store: Store, number: number, more = false, id = `t${number}`) =>
    store.commit(
      block(number),
      {
        changes: [set("Token", id, { name: text("x") })],
        dataSources: [
          {
            template: "Pool",
            address: `0x0${number}`,
            creationBlock: number,
            context: new Map([["n", int(number)]]),
          },
        ],
      },
      { more },
    );

  test("the store continues from the last block after it is reopened", async () => {
    const first = await open();
    for (const number of [1, 2, 3]) await commit(first, number);
    const second = await open();
    expect(await second.head()).toEqual(block(3));
    expect(await second.recentBlocks(9)).toEqual([block(3), block(2), block(1)]);
    expect(await second.dataSources()).toEqual(await first.dataSources());
    expect((await second.dataSources())[2]).toEqual({
      template: "Pool",
      address: "0x03",
      creationBlock: 3,
      context: new Map([["n", int(3)]]),
    });
    await second.revert(block(1));
    await commit(second, 2);
    expect(await names(await open())).toEqual([text("t1"), text("t2")]);
  });

  test("the store finds earlier entities after a restart, even with a small cache", async () => {
    const first = await open();
    for (const number of [1, 2, 3]) await commit(first, number);
    const store = await reopenStore(database, schema, "QmA", { mostChanges: 2, mostRemembered: 1 });
    for (const [number, id] of [
      [4, "t1"],
      [5, "new"],
      [6, "t2"],
      [7, "new"],
      [8, "t1"],
      [9, "t3"],
    ] as const) {
      await commit(store, number, true, id);
    }
    await store.flush?.();
    expect((await store.counts()).get("Token")).toEqual({ entities: 4, versions: 9 });
    const current = await (await open()).current("Token");
    expect(current.map(({ id, from }) => [id, from])).toEqual([
      ["t2", 6],
      ["new", 7],
      ["t1", 8],
      ["t3", 9],
    ]);
  });

  test("the store returns every known field of the last block", async () => {
    const store = await open();
    const known = { ...block(1), parentHash: "0xa0", timestamp: 1_700_000_000n };
    await store.commit(known, { changes: [], dataSources: [] });
    expect((await findDeployment(database, "QmA"))?.head).toEqual(known);
    await commit(store, 2);
    expect((await findDeployment(database, "QmA"))?.head).toEqual(block(2));
    await store.revert(block(1));
    expect((await findDeployment(database, "QmA"))?.head).toEqual(known);
    expect(await (await open()).head()).toEqual(block(1));
  });

  test("INV-S1: the store ends with a whole block when held-back blocks are lost", async () => {
    const store = await open();
    await commit(store, 1);
    await commit(store, 2, true);
    await commit(store, 3, true);
    expect(await store.head()).toEqual(block(3));
    const after = await open();
    expect(await after.head()).toEqual(block(1));
    expect(await names(after)).toEqual([text("t1")]);
    expect((await after.dataSources()).map(({ address }) => address)).toEqual(["0x01"]);
  });

  test("the store writes held-back blocks once there are many changes", async () => {
    const store = await open(database, 4);
    for (let number = 1; number <= 9; number++) await commit(store, number, true);
    expect((await (await open()).head())?.number).toBeGreaterThanOrEqual(4);
    await store.flush?.();
    expect(await (await open()).head()).toEqual(block(9));
  });

  test("INV-S2: the store refuses a second writer of the same deployment", async () => {
    const [one, other] = [await open(), await open()];
    await commit(one, 1);
    await expect(commit(other, 1)).rejects.toMatchObject({
      message: "another process is writing to this deployment, or it was rewound or removed",
      hint: "Stop the other process, or give one of them a separate database.",
    });
    await expect(other.revert(undefined)).rejects.toThrow("another process");
    expect(await names(one)).toEqual([text("t1")]);
  });

  test("the store ignores a failure reported by a stale writer", async () => {
    const [one, other] = [await open(), await open()];
    await commit(one, 1);
    for (const isDeterministic of [true, false]) {
      await expect(other.fail?.(failureIn(1, isDeterministic), block(1))).rejects.toThrow("another process");
    }
    expect((await findDeployment(database, "QmA"))?.health).toBe("healthy");
    await one.fail?.(failureIn(2, true), block(2));
    expect((await findDeployment(database, "QmA"))?.health).toBe("failed");
  });

  test("the store makes the block of a deterministic failure the head, without entities, until a retry", async () => {
    const store = await open();
    await commit(store, 1);
    await store.fail?.(failureIn(3, true), block(3), { isNearHead: true });
    expect(await store.head()).toEqual(block(3));
    const failed = await findDeployment(database, "QmA");
    expect(failed).toMatchObject({
      health: "failed",
      head: block(3),
      firstErrorBlock: 3,
      isSynced: true,
    });
    expect(failed?.isRetried).toBeUndefined();
    expect(await names(store)).toEqual([text("t1")]);
    await clearFatalError(database, failed?.id ?? 0);
    const again = await findDeployment(database, "QmA");
    expect(again).toMatchObject({ health: "healthy", head: block(1) });
    expect(again?.firstErrorBlock).toBeUndefined();
    const other = await open();
    expect(await other.recentBlocks(9)).toEqual([block(1)]);
    await commit(other, 3);
    expect(await names(other)).toEqual([text("t1"), text("t3")]);
  });

  test("the store has no head after a retry if the first block failed", async () => {
    const store = await open();
    await store.fail?.(failureIn(1, true), block(1));
    const failed = await findDeployment(database, "QmA");
    expect(failed?.head).toEqual(block(1));
    await clearFatalError(database, failed?.id ?? 0);
    expect((await findDeployment(database, "QmA"))?.head).toBeUndefined();
  });

  test("the store records how often a retried block has failed, and since when", async () => {
    const store = await open();
    await commit(store, 1);
    const seen = async () => (await readHealth(database, ["QmA"])).get("QmA");
    await store.fail?.(failureIn(2, false), block(2));
    const first = await seen();
    expect(first).toMatchObject({ health: "failed", latestBlock: block(1), fatalError: { attempts: 1 } });
    expect((await findDeployment(database, "QmA"))?.isRetried).toBe(true);
    await (await open()).fail?.(failureIn(2, false), block(2));
    const second = await seen();
    expect(second?.fatalError).toEqual({ ...first?.fatalError, attempts: 2 });
    expect(second?.fatalError?.since).toBeGreaterThan(1_600_000_000_000);
    await store.fail?.(failureIn(3, false), block(3));
    expect((await seen())?.fatalError).toMatchObject({ block: { number: 3 }, attempts: 1 });
    await commit(store, 3);
    expect(await seen()).toMatchObject({ health: "healthy", latestBlock: block(3) });
  });

  test("the store stops for good once a write fails", async () => {
    let isFull = false;
    const failing = fullWhen(database, () => isFull);
    const store = await open(failing, 2);
    await commit(store, 1);
    isFull = true;
    await commit(store, 2, true);
    await commit(store, 3, true);
    await expect(commit(store, 4)).rejects.toThrow("no space left");
    isFull = false;
    await expect(commit(store, 5)).rejects.toThrow("no space left");
    await expect(store.flush?.()).rejects.toThrow("no space left");
    expect(await (await open()).head()).toEqual(block(1));
  });

  describe("keeps", () => {
    test.each([
      ["strings of any characters", { name: text("\"'\\ {},\n\t NULL é \u{1f600} $1") }],
      [
        "lists of such strings",
        { tags: list(text(""), text("NULL"), text('a"b\\'), text("{},"), text(" x ")) },
      ],
      ["empty lists", { tags: list() }],
      ["times", { at: timestamp(1_700_000_000_000_001n) }],
      ["times before 1970", { at: timestamp(-1n) }],
      ["times before Christ", { at: timestamp(-100_000_000_000_000_000n) }],
      ["times far away", { at: timestamp(9_000_000_000_000_000_000n) }],
      ["small numbers", { n: int(-2_147_483_648) }],
    ])("keeps %s", async (_, fields) => {
      const change = set("Token", "t", fields);
      await (await open()).commit(block(1), { changes: [change], dataSources: [] });
      expect(await (await open()).get("Token", "t")).toEqual(change.kind === "set" && change.entity);
    });
  });

  test.each([
    [{ template: "Nope", address: "0x01" }, "the manifest has no template Nope"],
    [{ template: "Pool", address: "garbage" }, "Pool was created with garbage, which is not an address"],
  ])("the store refuses the data source %j", async (source, message) => {
    const store = await open();
    const writes = { changes: [], dataSources: [{ ...source, creationBlock: 1 }] };
    await expect(store.commit(block(1), writes)).rejects.toThrow(message);
    expect(await store.head()).toBeUndefined();
  });
});
