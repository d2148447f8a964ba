import { beforeEach, expect, test } from "vitest";
import type { Store } from "../../../src/runtime/store/store.js";
import { type Database, type Row, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { quoteNames, quoteText } from "../../../src/store/database/quote.js";
import { findDeployment, layoutOf, openDeployment } from "../../../src/store/deployments/deployments.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import {
  checkRewind,
  countReversal,
  RewindRefused,
  rememberedBlock,
  rewindDeployment,
} from "../../../src/store/entities/rewind.js";
import { TableFeed } from "../../../src/store/tables/table-feed.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { block, int, int8, remove, set, timestamp } from "../../runtime/store/values.js";
import { describeDatabases } from "../../support/database/databases.js";
import { currentRows, Sink } from "../tables/sink.js";

const schema = `
  type Token @entity { id: ID! n: Int }
  type Note @entity(immutable: true) { id: ID! }
  type Point @entity(timeseries: true) { id: Int8! timestamp: Timestamp! n: Int! }
  type Hours @aggregation(intervals: ["hour"], source: "Point") {
    id: Int8! timestamp: Timestamp! sum: Int! @aggregate(fn: "sum", arg: "n")
  }
`;
const hour = 3_600n;

describeDatabases("a deployment that is rewound", ({ fresh }) => {
  let database: Database;
  beforeEach(async () => {
    database = await fresh();
    await migrate(database);
  });

  const found = async () => {
    const deployment = await findDeployment(database, "QmRewound");
    if (!deployment) throw new Error("there is no deployment");
    return deployment;
  };
  const open = async (startBlock: number, historyBlocks?: number): Promise<Store> => {
    const deployment = await openDeployment(database, {
      deployment: "QmRewound",
      network: "mainnet",
      schema,
      startBlock,
      proofVariant: "fast",
      ...(historyBlocks !== undefined && { historyBlocks }),
    });
    return reopened(deployment);
  };
  const reopened = (deployment: Awaited<ReturnType<typeof found>>): Store =>
    openStore(database, deployment, {
      entities: readEntitySchema(schema),
      dataSources: [],
      templates: [],
    });
  const written = (number: number) => ({ ...block(number), timestamp: BigInt(number) * hour });
  const index = async (store: Store, from: number, to: number): Promise<void> => {
    for (let number = from; number <= to; number++)
      await store.commit(written(number), {
        changes: [
          set("Token", "t", { n: int(number) }),
          number % 2 === 0 ? set("Token", "u", { n: int(number) }) : remove("Token", "u"),
          set("Note", `n${number}`, {}),
          set("Point", String(number), {
            id: int8(BigInt(number)),
            timestamp: timestamp(BigInt(number) * hour * 1_000_000n),
            n: int(number),
          }),
        ],
        dataSources: [],
        proofDigest: new Uint8Array(32).fill(number),
      });
  };
  /**
   * All rows of all tables, with their versions, and the digests of proofs. The vids of aggregations are numbers of a
   * sequence.
   */
  const everything = async (): Promise<ReadonlyMap<string, readonly Row[]>> => {
    const { namespace, ...deployment } = await found();
    const { tables } = layoutOf({ namespace, ...deployment });
    const all = new Map<string, readonly Row[]>();
    for (const name of [...tables.map((table) => table.name), "poi2$"]) {
      const rows = await database.query(
        SQL`select (to_jsonb(t) - ${quoteText(name === "hours_hour" ? "vid" : "")})::text as row from ${quoteNames(namespace, name)} t order by vid`,
      );
      all.set(name, rows);
    }
    return all;
  };

  test("indexes the same rows and proofs again, and its readers follow", async () => {
    const store = await open(10);
    await index(store, 10, 14);
    const before = await everything();
    const sink = async () => {
      const deployment = await found();
      const layout = layoutOf(deployment);
      const feed = new TableFeed({ database, deployment: deployment.id, layout, reader: "r" });
      const reader = new Sink(feed);
      await reader.begin(100);
      return {
        follow: async () => {
          await reader.drain(100, true);
          expect(reader.rows).toEqual(await currentRows(database, layout));
        },
        reader,
      };
    };
    const { follow, reader } = await sink();
    await index(store, 15, 18);
    await follow();
    const after = await everything();
    const at18 = reader.applied.length;
    const planned = await countReversal(database, await found(), 14);
    expect(planned).toEqual([
      { table: "token", removed: 6, restored: 2, changes: 8 },
      { table: "note", removed: 4, restored: 0, changes: 4 },
      { table: "point", removed: 4, restored: 0, changes: 4 },
      { table: "hours_hour", removed: 4, restored: 0, changes: 4 },
    ]);
    const to = await rememberedBlock(database, await found(), 14);
    expect(to).toEqual(written(14));
    expect(await rewindDeployment(database, "QmRewound", to ?? block(0))).toBe(18);
    expect(await everything()).toEqual(before);
    expect((await found()).head).toEqual(written(14));
    await follow();
    const undone = planned.reduce((sum, { changes }) => sum + changes, 0);
    expect(reader.applied.length - at18).toBe(undone);
    await expect(index(store, 19, 19)).rejects.toThrow("or it was rewound");
    await index(reopened(await found()), 15, 18);
    expect(await everything()).toEqual(after);
    await follow();
  });

  test("goes back to the block before its first one, and to no block that is impossible", async () => {
    const store = await open(10, 4);
    const refused = async (number: number, hash?: string) =>
      checkRewind(database, await found(), { number, ...(hash !== undefined && { hash }) }).then(
        () => undefined,
        (error: unknown) => (error instanceof RewindRefused ? error.message : error),
      );
    expect(await refused(9)).toMatch(/^It has not indexed a block yet/);
    await index(store, 10, 12);
    expect(await refused(12)).toBe("Block 12 is not before its last block, 12. Choose a block from 9 to 11.");
    expect(await refused(8)).toBe(
      "It begins with block 10, so block 8 is too early. Choose a block from 9 to 11.",
    );
    expect(await refused(11, block(11, "b").hash)).toMatch(
      /^Block 11 was 0xa11 when it was indexed, not 0xb11/,
    );
    expect(await refused(11, block(11).hash)).toBeUndefined();
    const empty = await rewindDeployment(database, "QmRewound", block(9));
    expect(empty).toBe(12);
    for (const [name, rows] of await everything()) expect([name, rows]).toEqual([name, []]);
    await index(reopened(await found()), 10, 20);
    expect(await refused(12)).toBe("Its history is kept only from block 16. Choose a block from 16 to 19.");
    await expect(rewindDeployment(database, "QmRewound", block(12))).rejects.toThrow(RewindRefused);
    expect((await found()).head?.number).toBe(20);
    await database.query(
      SQL`update graphloom.deployments set graft_base = 'QmBase', graft_block = 17 where deployment = 'QmRewound'`,
    );
    expect(await refused(16)).toBe(
      "It took over what its graft base had at block 17, not how that was made. Choose a block from 17 to 19.",
    );
    expect(await refused(17)).toBeUndefined();
  });
});
