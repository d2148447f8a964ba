import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { quoteText } from "../../../src/store/database/quote.js";
import { openDatabase } from "../../../src/store/open.js";
import { images } from "../../support/compiler/shared-cache.js";
import { onPostgres, world } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { diskFolder, mountDisk, removeDisk, smallDiskMissing } from "../../support/small-disk.js";

if (smallDiskMissing !== undefined) test.skip(smallDiskMissing, () => undefined);

const hint = "The database's disk is full. Free some space, then start again. Committed data is safe.";

describe.skipIf(smallDiskMissing !== undefined)("a disk that is full", () => {
  let disk: string;
  beforeEach(() => {
    disk = diskFolder();
  });
  afterEach(() => {
    removeDisk(disk);
  });

  /** Writes until the disk is full. */
  async function fill(database: Database): Promise<unknown> {
    for (let round = 0; round < 100; round++) {
      try {
        await database.query(
          SQL`insert into t select repeat(md5(i::text), 10) from generate_series(1, 3000) i`,
        );
      } catch (error) {
        return error;
      }
    }
    return "there is still room";
  }

  test("reports a full disk when it cannot create a database in a folder", async () => {
    mountDisk(disk, "size=8m");
    await expect(openDatabase(disk, world, images)).rejects.toMatchObject({
      message: `the database in ${disk} cannot be opened: its folder has no space left`,
      code: "53100",
      hint,
    });
  });

  test("reports a full disk without hanging, and continues once there is space", async () => {
    // There is no space for PostgreSQL's second log file, so PostgreSQL panics.
    mountDisk(disk, "size=58m");
    const database = await openDatabase(disk, world, images);
    await database.run(SQL`create table t (n text); insert into t values ('first')`);
    expect(await fill(database)).toMatchObject({ code: "53100", hint });
    await expect(database.query(SQL`select count(*) as n from t`)).rejects.toMatchObject({
      message: expect.stringContaining(`the database in ${disk} cannot be opened`),
      code: "53100",
      hint,
    });
    execFileSync("mount", ["-o", "remount,size=200m", disk]);
    const [first] = await database.query(SQL`select count(*) as n from t where n = 'first'`);
    expect(first).toEqual({ n: "1" });
    await database.query(SQL`insert into t values ('last')`);
    await database.close();
  });

  test.skipIf(postgresMissing !== undefined)(
    "reports that the disk of a PostgreSQL server is full",
    async () => {
      mountDisk(disk, "size=2m,mode=777");
      const place = join(disk, "space");
      mkdirSync(place);
      chmodSync(place, 0o777);
      expect(inject("postgresFolder")).toBeTruthy();
      const database = await onPostgres().fresh();
      execFileSync("chown", ["--reference", inject("postgresFolder"), place]);
      await database.query(SQL`create tablespace small location ${quoteText(place)}`);
      await database.run(SQL`create table t (n text) tablespace small`);
      expect(await fill(database)).toMatchObject({
        code: "53100",
        message: expect.stringContaining("No space left on device"),
        hint,
      });
      await database.run(SQL`drop table t`);
      await database.query(SQL`drop tablespace small`);
    },
  );
});
