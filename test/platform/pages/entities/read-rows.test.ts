import { expect, it } from "vitest";
import type { HostedStorage } from "../../../../src/hosting/engine.js";
import { readBrowseState } from "../../../../src/platform/pages/entities/browse-state.js";
import { readRows } from "../../../../src/platform/pages/entities/read-rows.js";
import { DatabaseError, type TransactionOptions } from "../../../../src/store/database/database.js";
import { layout, tableOf } from "./columns.js";

/** A database that ends every statement with an error. */
function failing(code: string, asked: (TransactionOptions | undefined)[] = []): HostedStorage {
  const deployment = { id: 1, head: { number: 7, hash: "0xaa" } };
  const transaction = async (_: unknown, options?: TransactionOptions) => {
    asked.push(options);
    throw new DatabaseError("canceling statement", { code });
  };
  return { database: { provider: "postgres", transaction }, deployment, layout } as unknown as HostedStorage;
}

const read = (query: string, storage: HostedStorage, project = "one") =>
  readRows(
    { project, gone: new AbortController().signal },
    storage,
    tableOf("Trade"),
    readBrowseState(new URLSearchParams(query)),
    {
      longest: 80,
    },
  );

it("a page of entities says what to do when the database is too slow for a page", async () => {
  const asked: TransactionOptions[] = [];
  const { page, block, mistakes } = await read("sort=note", failing("57014", asked));
  expect(asked).toEqual([{ snapshot: true, statementTimeout: 5_000, signal: expect.any(AbortSignal) }]);
  expect([page.rows, block, mistakes]).toEqual([
    [],
    7,
    [
      "Reading these rows takes more than 5 s. Remove the sort order, or filter by a field that few rows match.",
    ],
  ]);
  const plain = await read("", failing("57014"));
  expect(plain.mistakes[0]).toContain("s. Filter by a field");
});

it("a page of entities runs few reads at once, for each project and for all, and refuses reads beyond the queue's limit", async () => {
  let running = 0;
  let most = 0;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const database = {
    provider: "postgres",
    transaction: async () => {
      running += 1;
      most = Math.max(most, running);
      await held;
      running -= 1;
      return { rows: [], hasBefore: false, hasAfter: false };
    },
  };
  let deployments = 0;
  const readOf = (project: string) => {
    const deployment = { id: 1, deployment: `Qm${++deployments}`, head: { number: 7, hash: "0xaa" } };
    return read("", { database, layout, deployment } as unknown as HostedStorage, project);
  };
  const ofOne = Array.from({ length: 22 }, () => readOf("one"));
  expect(running).toBe(2);
  await expect(readOf("one")).rejects.toMatchObject({
    name: "TooMuchWaitingError",
    message: "Too many pages are reading rows. Try again in a moment.",
  });
  const others = ["two", "two", "three"].map(readOf);
  expect(running).toBe(4);
  release();
  for (const { mistakes } of await Promise.all([...ofOne, ...others])) expect(mistakes).toEqual([]);
  expect([running, most]).toEqual([0, 4]);
});

it("a page of entities does not ask the database for a state with mistakes, and hides no other error", async () => {
  const asked: TransactionOptions[] = [];
  expect((await read("sort=owners", failing("57014", asked))).mistakes).toEqual([
    "Rows cannot be sorted by owners.",
  ]);
  expect(asked).toEqual([]);
  await expect(read("", failing("53100"))).rejects.toThrow(DatabaseError);
});
