import { beforeEach, describe, expect, test } from "vitest";
import { EntityError } from "../../../src/runtime/store/entity-error.js";
import type { Store } from "../../../src/runtime/store/store.js";
import type { Entity, EntityChange } from "../../../src/subgraph/schema/entity.js";
import { testAgainstModel } from "./model.js";
import { bigInt, block, int8, list, none, remove, set, text } from "./values.js";

const schema = `
  interface Party { id: ID! }
  type Token implements Party @entity { id: ID!, name: String, trades: [Trade!]! @derivedFrom(field: "token") }
  type Holder implements Party @entity { id: ID! }
  type Trade @entity { id: ID!, token: Token!, route: [Token!] }
  type Event @entity(immutable: true) { id: ID!, value: BigInt }
  type Tick @entity { id: Int8!, token: Token }
  type Note @entity { id: ID!, token: Token, name: String }
  type Stamp @entity(immutable: true) { id: ID!, token: Token }
`;

/**
 * What every store does, whatever it keeps its entities in.
 * @param create makes an empty store for a schema, with the templates Pool and T; files write the types Note and Stamp
 * @param runs how often it is compared with a model
 */
export function describeStore(
  name: string,
  create: (schema: string) => Store | Promise<Store>,
  runs?: number,
): void {
  describe(`${name} as a store`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await create(schema);
    });

    const commit = (number: number, ...changes: EntityChange[]) =>
      store.commit(block(number), { changes, dataSources: [] });
    const created = (creationBlock: number, address: string) => ({
      template: "Pool",
      address,
      creationBlock,
    });
    const ids = async (type: string, at?: number) =>
      (await store.all(type, at)).map((found) => String((found.get("id") as { value: unknown }).value));
    const versions = async (after: number, to: number) =>
      (await store.changes(after, to)).map(({ id, from, to: end, vid }) => [
        id,
        from,
        end,
        vid & 0xffffffffn,
      ]);

    describe("versions", () => {
      test("versions start and end with the blocks that write them", async () => {
        await commit(1, set("Token", "t", { name: text("one") }));
        await commit(3, set("Token", "t", { name: text("three") }), set("Token", "u", {}));
        await commit(5, remove("Token", "t"));
        expect(await versions(0, 5)).toEqual([
          ["t", 1, 3, 100n],
          ["t", 3, 5, 100n],
          ["u", 3, undefined, 101n],
        ]);
        expect(await ids("Token")).toEqual(["u"]);
        expect(await store.get("Token", "t")).toBeUndefined();
        expect((await store.all("Token", 2))[0]?.get("name")).toEqual(text("one"));
        expect((await store.all("Token", 4))[0]?.get("name")).toEqual(text("three"));
        expect(await ids("Token", 0)).toEqual([]);
        const nothing = { entities: 0, versions: 0 };
        expect(await store.counts()).toEqual(
          new Map([
            ["Token", { entities: 1, versions: 3 }],
            ["Holder", nothing],
            ["Trade", nothing],
            ["Event", nothing],
            ["Tick", nothing],
            ["Note", nothing],
            ["Stamp", nothing],
          ]),
        );
      });

      test("versions have a vid that encodes block and sequence", async () => {
        await commit(7, set("Token", "t", {}), set("Trade", "x", { token: text("t") }));
        expect((await store.changes(6, 7)).map(({ vid }) => vid)).toEqual([
          (7n << 32n) + 100n,
          (7n << 32n) + 101n,
        ]);
      });

      test("changes lists the versions that start or end in the range", async () => {
        await commit(1, set("Token", "kept", {}), set("Token", "gone", {}));
        await commit(2, set("Token", "new", {}));
        await commit(3, remove("Token", "gone"));
        expect(await versions(2, 3)).toEqual([["gone", 1, 3, 101n]]);
        expect(await versions(1, 2)).toEqual([["new", 2, undefined, 100n]]);
        expect(await versions(3, 9)).toEqual([]);
      });

      test("current lists versions in the order in which they were written", async () => {
        await commit(1, set("Token", "c", {}), set("Token", "a", {}), set("Event", "e", {}));
        await commit(2, set("Token", "b", {}), set("Token", "c", { name: text("again") }));
        await commit(3, remove("Token", "b"));
        const current = async (type: string, last?: number) =>
          (await store.current(type, last)).map(({ id, from, to }) => [id, from, to]);
        expect(await current("Token")).toEqual([
          ["a", 1, undefined],
          ["c", 2, undefined],
        ]);
        expect(await current("Token", 1)).toEqual([["c", 2, undefined]]);
        expect(await current("Token", 0)).toEqual([]);
        expect(await current("Event", 9)).toEqual([["e", 1, undefined]]);
      });

      test("entities with numeric ids are sorted by number", async () => {
        const tick = (id: string): EntityChange =>
          set("Tick", id, { id: int8(BigInt(id)), token: text("t") });
        await commit(1, tick("10"), tick("9"), tick("-1"));
        expect(await ids("Tick")).toEqual(["-1", "9", "10"]);
        const related = await store.related("Tick", "token", "t");
        expect(related.map((found) => found.get("id"))).toEqual([int8(-1n), int8(9n), int8(10n)]);
      });
    });

    describe("entities that refer to an id", () => {
      const trade = (id: string, token: string, route: readonly string[] = []): EntityChange =>
        set("Trade", id, { token: text(token), route: list(...route.map(text)) });
      const related = async (field: string, id: string) =>
        (await store.related("Trade", field, id)).map(
          (found) => (found.get("id") as { value: unknown }).value,
        );

      test("related entities are sorted by id and follow every write", async () => {
        await commit(1, trade("b", "t"), trade("a", "t"), trade("c", "u"));
        expect(await related("token", "t")).toEqual(["a", "b"]);
        await commit(2, trade("a", "u"), remove("Trade", "b"), trade("d", "t"));
        expect(await related("token", "t")).toEqual(["d"]);
        expect(await related("token", "u")).toEqual(["a", "c"]);
        await store.revert(block(1));
        expect(await related("token", "t")).toEqual(["a", "b"]);
        expect(await related("token", "u")).toEqual(["c"]);
      });

      test("a related entity may list the id, even twice", async () => {
        await commit(1, trade("a", "t", ["u", "v", "u"]), trade("b", "t", ["v"]));
        expect(await related("route", "u")).toEqual(["a"]);
        expect(await related("route", "v")).toEqual(["a", "b"]);
        await commit(2, trade("a", "t"));
        expect(await related("route", "v")).toEqual(["b"]);
        expect(await related("route", "w")).toEqual([]);
      });

      test("a field that is null refers to no entity", async () => {
        await commit(1, set("Tick", "1", { id: int8(1n), token: none }));
        expect(await store.related("Tick", "token", "")).toEqual([]);
      });
    });

    describe("a refused commit changes nothing", () => {
      const sound = set("Token", "sound", {});

      test.each<[string, number, EntityChange[], string]>([
        ["at the previous block", 4, [], "block 4 cannot be written after block 5"],
        ["at the same block", 5, [], "block 5 cannot be written after block 5"],
        ["for an unknown type", 6, [set("Nope", "a", {})], "the schema has no entity type Nope"],
        [
          "for two changes of one entity",
          6,
          [set("Token", "a", {}), remove("Token", "a")],
          "Token[a] is written twice in block 6",
        ],
        [
          "for an immutable entity written again",
          6,
          [set("Event", "e", { value: bigInt(2n) })],
          "Event[e] is immutable and was written in block 5, so it cannot be written again in block 6",
        ],
        ["for an immutable entity removed", 6, [remove("Event", "e")], "it cannot be removed in block 6"],
        [
          "for an id that another type of the interface has",
          6,
          [set("Holder", "old", {})],
          "Holder[old] has the same id as Token[old], but entities of one interface cannot share an id",
        ],
        [
          "for an id that another type of the interface gets",
          6,
          [set("Holder", "x", {}), set("Token", "x", {})],
          "Holder[x] has the same id as Token[x]",
        ],
      ])("%s", async (_, number, changes, message) => {
        await commit(5, set("Event", "e", { value: bigInt(1n) }), set("Token", "old", {}));
        const refused = commit(number, sound, ...changes);
        await expect(refused).rejects.toThrow(message);
        expect(await store.head()).toEqual(block(5));
        expect(await ids("Token")).toEqual(["old"]);
        expect(await store.changes(5, 9)).toEqual([]);
      });

      test("for a data source of a different block", async () => {
        const writes = { changes: [sound], dataSources: [created(1, "0x01")] };
        await expect(store.commit(block(2), writes)).rejects.toThrow(
          "Pool at 0x01 was created in block 1 but is written in block 2",
        );
        expect(await ids("Token")).toEqual([]);
        expect(await store.head()).toBeUndefined();
      });
    });

    test("only mistakes of a mapping are an EntityError, not mistakes of its runner", async () => {
      await commit(1, set("Token", "x", {}), set("Event", "e", {}));
      await expect(commit(2, set("Holder", "x", {}))).rejects.toThrow(EntityError);
      await expect(commit(2, set("Event", "e", { value: bigInt(1n) }))).rejects.toThrow(EntityError);
      await expect(commit(1)).rejects.not.toThrow(EntityError);
    });

    test("an id can move to another type of the interface after the first entity is removed", async () => {
      await commit(1, set("Token", "x", {}));
      await commit(2, remove("Token", "x"), set("Holder", "x", {}));
      expect(await ids("Holder")).toEqual(["x"]);
    });

    test("an immutable entity can be written again only after it was reverted", async () => {
      await commit(1, set("Event", "e", {}));
      await store.revert(undefined);
      await commit(1, set("Event", "e", { value: bigInt(1n) }));
      expect((await store.get("Event", "e"))?.get("value")).toEqual(bigInt(1n));
    });

    describe.each(["Note", "Stamp"])("a %s that a file data source writes", (type) => {
      const ofFile = (region: number, change: EntityChange): EntityChange => ({ ...change, region });
      const own = (id: string, token = "t"): EntityChange => set(type, id, { token: text(token) });
      const idsOf = (found: readonly Entity[]) => found.map((entity) => entity.get("id"));
      beforeEach(async () => {
        await commit(1, own("c"), ofFile(1, own("f")), ofFile(2, own("g")));
      });

      test("readers of the store see entities of files, but on-chain handlers do not", async () => {
        // First, because reading the store writes everything that it holds back.
        expect(idsOf(await store.related(type, "token", "t"))).toEqual([text("c")]);
        expect(await ids(type)).toEqual(["c", "f", "g"]);
        expect((await store.current(type)).map(({ id }) => id)).toEqual(["c", "f", "g"]);
        expect(await store.get(type, "f")).toBeUndefined();
        expect(store.getNow?.(type, "f")).toBeUndefined();
        expect(store.peek?.(type, "f") ?? null).toBeNull();
        const many = await store.getMany?.(type, ["c", "f", "g"]);
        expect([...(many?.keys() ?? ["c"])]).toEqual(["c"]);
        expect(idsOf(await store.related(type, "token", "t"))).toEqual([text("c")]);
        expect(idsOf(store.relatedNow?.(type, "token", "t") ?? [])).toEqual(
          store.relatedNow ? [text("c")] : [],
        );
      });

      test.each<[string, (one: typeof own) => EntityChange[], string]>([
        [
          "the chain",
          (one) => [one("f")],
          "[f] was written by a file data source, so this on-chain data source",
        ],
        [
          "another file",
          (one) => [ofFile(3, one("f"))],
          "[f] was written by another file data source, so this file data source",
        ],
        [
          "a file, of the chain's",
          (one) => [ofFile(3, one("c"))],
          "[c] was written by an on-chain data source, so this file data source",
        ],
        [
          "both in one block",
          (one) => [one("n"), ofFile(3, one("n"))],
          "[n] was written by an on-chain data source, so this file data source",
        ],
      ])("refuses to let %s write an entity of a different region", async (_, changes, message) => {
        const refused = commit(2, ...changes(own));
        await expect(refused).rejects.toThrow(EntityError);
        await expect(refused).rejects.toThrow(`${type}${message}`);
        expect(await ids(type)).toEqual(["c", "f", "g"]);
      });

      test("an entity of a file is reverted with its block, and others may write it then", async () => {
        await commit(2, ofFile(3, own("h")));
        await store.revert(block(1));
        expect(await ids(type)).toEqual(["c", "f", "g"]);
        expect(await store.get(type, "f")).toBeUndefined();
        await expect(commit(2, own("f"))).rejects.toThrow(`${type}[f] was written by a file data source`);
        await commit(2, own("h"));
        expect(await store.get(type, "h")).toBeDefined();
      });
    });

    test("a file data source keeps its region, and its doneAt until that block is reverted", async () => {
      const one = { template: "T", address: "0x516d", creationBlock: 1, region: 1 };
      const other = { ...one, address: "0x516e", region: 2 };
      await store.commit(block(1), { changes: [], dataSources: [one, other], filesDone: [2] });
      await store.commit(block(2), { changes: [], dataSources: [], filesDone: [1] });
      expect(await store.dataSources()).toEqual([
        { ...one, doneAt: 2 },
        { ...other, doneAt: 1 },
      ]);
      await store.revert(block(1));
      expect(await store.dataSources()).toEqual([one, { ...other, doneAt: 1 }]);
      await store.revert(undefined);
      expect(await store.dataSources()).toEqual([]);
    });

    describe("a revert", () => {
      beforeEach(async () => {
        await store.commit(block(1), {
          changes: [set("Token", "t", { name: text("one") })],
          dataSources: [created(1, "0x01")],
        });
        await store.commit(block(2), {
          changes: [set("Token", "t", { name: text("two") })],
          dataSources: [created(2, "0x02")],
        });
        await store.commit(block(3), {
          changes: [remove("Token", "t"), set("Token", "u", {})],
          dataSources: [created(3, "0x03")],
        });
        await commit(4, set("Token", "t", { name: text("four") }));
      });

      test("a revert restores the earlier state", async () => {
        await store.revert(block(2));
        expect(await store.head()).toEqual(block(2));
        expect(await ids("Token")).toEqual(["t"]);
        expect((await store.get("Token", "t"))?.get("name")).toEqual(text("two"));
        expect((await store.dataSources()).map(({ address }) => address)).toEqual(["0x01", "0x02"]);
        expect(await store.recentBlocks(9)).toEqual([block(2), block(1)]);
        expect(await versions(0, 9)).toEqual([
          ["t", 1, 2, 100n],
          ["t", 2, undefined, 100n],
        ]);
      });

      test("reverting everything leaves an empty store", async () => {
        await store.revert(undefined);
        expect(await store.head()).toBeUndefined();
        expect(await ids("Token")).toEqual([]);
        expect(await store.dataSources()).toEqual([]);
        expect(await store.recentBlocks(9)).toEqual([]);
        expect(await store.changes(-1, 9)).toEqual([]);
      });

      test.each([
        [block(5), "cannot revert to block 5: the last block is 4"],
        [block(2, "b"), "cannot revert to block 2 0xb2: its hash was 0xa2 when it was written"],
      ])("refuses to revert to a block that was never written", async (to, message) => {
        await expect(store.revert(to)).rejects.toThrow(message);
        expect(await store.head()).toEqual(block(4));
        expect((await store.get("Token", "t"))?.get("name")).toEqual(text("four"));
      });
    });

    test("reverting to a block without writes makes it the last one", async () => {
      await commit(2, set("Token", "t", { name: text("two") }));
      await commit(4, set("Token", "t", { name: text("four") }));
      await store.revert(block(3));
      expect((await store.get("Token", "t"))?.get("name")).toEqual(text("two"));
      expect(await store.recentBlocks(9)).toEqual([block(3), block(2)]);
    });

    test("recentBlocks returns the newest blocks first, at most as many as requested", async () => {
      for (let number = 1; number <= 40; number++) await commit(number);
      expect(await store.recentBlocks(2)).toEqual([block(40), block(39)]);
      expect(await store.recentBlocks(32)).toHaveLength(32);
      expect(await store.recentBlocks(64)).toHaveLength(40);
    });

    testAgainstModel(create, runs);
  });
}
