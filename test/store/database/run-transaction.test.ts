import { expect, test } from "vitest";
import { DatabaseError, type Sql } from "../../../src/store/database/database.js";
import { notify } from "../../../src/store/database/notify.js";
import { runTransaction } from "../../../src/store/database/run-transaction.js";

/** A connection that notes what happens on it. @param refusal how it answers to notifications */
function connection(refusal?: DatabaseError) {
  const done: string[] = [];
  const sql: Sql = {
    query: async (statement, parameters = []) => {
      done.push([statement, ...parameters].join(" "));
      if (refusal && statement.includes("pg_notify")) throw refusal;
      return [];
    },
    run: async () => undefined,
  };
  const end = (what: string) => async (): Promise<void> => void done.push(what);
  return { done, open: { sql, commit: end("commit"), rollBack: end("rollback") } };
}

const message = "select pg_notify($1::text, $2::text) changes 7";

test("a notification is sent once, after its transaction has committed", async () => {
  const { done, open } = connection();
  await runTransaction(open, async (sql) => {
    await notify(sql, "changes", "7");
    await notify(sql, "changes", "7");
  });
  expect(done).toEqual(["commit", message]);
});

test("a transaction succeeds if PostgreSQL's queue for notifications is full", async () => {
  const full = new DatabaseError("too many notifications in the NOTIFY queue", { code: "54000" });
  const { done, open } = connection(full);
  const result = await runTransaction(open, async (sql) => {
    await notify(sql, "changes", "7");
    return "done";
  });
  expect(result).toBe("done");
  expect(done).toEqual(["commit", message]);
});

test("a transaction that is rolled back notifies no listener", async () => {
  const { done, open } = connection();
  const running = runTransaction(open, async (sql) => {
    await notify(sql, "changes", "7");
    throw new Error("no");
  });
  await expect(running).rejects.toThrow("no");
  expect(done).toEqual(["rollback"]);
});
