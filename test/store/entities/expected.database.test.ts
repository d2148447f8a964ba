import { beforeEach, expect, test } from "vitest";
import type { Store } from "../../../src/runtime/store/store.js";
import type { Database } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { block, set, text } from "../../runtime/store/values.js";
import { describeDatabases } from "../../support/database/databases.js";
import { reopenStore } from "./make-store.js";

const schema = "type Token @entity { id: ID!, name: String } type Hash @entity { id: Bytes! }";

describeDatabases("entities that a store expects to be read", ({ fresh }) => {
  let database: Database;
  let store: Store;
  /** The reads of entities, of which the next ones wait as long as `gate` does. */
  let reads: number;
  let gate: Promise<void> | undefined;
  beforeEach(async () => {
    database = await fresh();
    await migrate(database);
    await commitTo(await open(database), 1, "one");
    reads = 0;
    gate = undefined;
    store = await open(gated(database));
    // Reads what is known about the ids, too.
    await store.get("Token", "other");
    reads = 0;
  });

  const open = (of: Database): Promise<Store> => reopenStore(of, schema, "QmA", { mostRemembered: 2 });
  const commitTo = (to: Store, number: number, name: string): Promise<void> =>
    to.commit(block(number), {
      changes: ["a", "b", "c", "d"].map((id) => set("Token", id, { name: text(`${name} ${id}`) })),
      dataSources: [],
    });
  const nameOf = async (id: string) => (await store.get("Token", id))?.get("name");
  const gated = (inner: Database): Database =>
    new Proxy(inner, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        if (name !== "query") return value.bind(target);
        return async (...args: Parameters<Database["query"]>) => {
          reads += 1;
          const waiting = gate;
          const rows = await target.query(...args);
          await waiting;
          return rows;
        };
      },
    });

  test("are read once, before anyone asks", async () => {
    store.expect?.("Token", "a");
    store.expect?.("Token", "a");
    expect(await nameOf("a")).toEqual(text("one a"));
    expect(reads).toBe(1);
  });

  test("never hide a version that was written while they were read", async () => {
    let answer = (): void => undefined;
    gate = new Promise((resolve) => {
      answer = resolve;
    });
    store.expect?.("Token", "a");
    await new Promise((done) => setImmediate(done));
    expect(reads).toBe(1);
    gate = undefined;
    await commitTo(store, 2, "two");
    // Others push it out of the store's memory before the read answers.
    for (const id of ["b", "c", "d"]) await nameOf(id);
    answer();
    await new Promise((done) => setImmediate(done));
    expect(await nameOf("a")).toEqual(text("two a"));
  });

  test("may have ids that the type cannot have, which no statement contains", async () => {
    for (const id of ["0xabc", "abc", "0xzz"]) store.expect?.("Hash", id);
    store.expect?.("Nothing", "a");
    await new Promise((done) => setImmediate(done));
    expect(reads).toBe(0);
  });
});
