import { expect, onTestFinished, test } from "vitest";
import { SQL } from "../../../src/store/database/database.js";
import { watchMigrations } from "../../../src/store/database/watch-migrations.js";
import { onPglite, world } from "../../support/database/databases.js";

test("the server reports once that another version has migrated the database of a running server", async () => {
  const database = await onPglite().fresh();
  const said: string[] = [];
  const end = watchMigrations(database, world, (sentence) => said.push(sentence), 5);
  onTestFinished(end);
  await database.query(SQL`select pg_sleep(0.05)`);
  expect(said).toEqual([]);
  await database.query(SQL`insert into graphloom.migrations (number, name) values (9999, 'future')`);
  await expect
    .poll(() => said)
    .toEqual([
      "Another version of graphloom has migrated the database (9999 future). Stop this server and start that version.",
    ]);
  await database.query(SQL`delete from graphloom.migrations where number = 9999`);
});
