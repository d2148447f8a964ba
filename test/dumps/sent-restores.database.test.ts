import { join } from "node:path";
import { expect, test } from "vitest";
import {
  addPiece,
  beginSentRestore,
  completeRestore,
  isRestored,
  NoRestoreError,
} from "../../src/dumps/receive-restore.js";
import { type RestoreServer, sendRestore } from "../../src/dumps/send-restore.js";
import { writeDump } from "../../src/dumps/write-dump.js";
import { openDumpFiles } from "../../src/machine/files/dump-files.js";
import { type Database, SQL } from "../../src/store/database/database.js";
import { dropDeployment } from "../../src/store/deployments/drop-deployment.js";
import { describeDatabases } from "../support/database/databases.js";
import { testFolder } from "../support/folder.js";
import { deployment, indexed, rowsOf } from "./dump-tests.js";

const never = new AbortController().signal;
const noLimits = { unpacked: Number.POSITIVE_INFINITY, batch: Number.POSITIVE_INFINITY };
/** A row in each piece. */
const oneRow = { rows: 1, characters: 1 };

/** A server as a client sees it. @param around runs each request, and may fail before or after it */
function serverOn(
  database: Database,
  around: <Result>(request: () => Promise<Result>) => Promise<Result>,
): RestoreServer {
  const own = { database, project: "project_1" };
  return {
    begin: (dump) => around(() => beginSentRestore(own, dump, () => undefined)),
    add: (id, piece) => around(() => addPiece(own, id, piece, noLimits)),
    complete: (id) =>
      around(async () => {
        try {
          await completeRestore(own, id, never, async () => undefined);
        } catch (error) {
          if (!(error instanceof NoRestoreError && (await isRestored(own, id)))) throw error;
        }
        return true;
      }),
    mayPass: async () => false,
  };
}

describeDatabases("a restore that a client sends", (databases) => {
  test("continues after its client or its server was killed at any request, 50 times", async () => {
    const database = await databases.fresh();
    const files = openDumpFiles(join(testFolder(), "dump"));
    await indexed(database, 2, 3);
    await writeDump(database, files, deployment);
    await indexed(database, 4, 5);
    await writeDump(database, files, deployment);
    const rows = await rowsOf(database, deployment);
    let kills = 0;
    for (let round = 0; kills < 50; round += 1) {
      await dropDeployment(database, deployment);
      for (let attempt = 0; ; attempt += 1) {
        // Each attempt gets further, and each round ends at other requests.
        let left = 1 + attempt * 3 + (round % 5);
        const isLost = round % 2 === 1;
        const server = serverOn(database, async (request) => {
          left -= 1;
          if (left > 0) return request();
          // Killed before its work, or before its answer arrived.
          if (isLost) await request();
          throw new Error("killed");
        });
        try {
          await sendRestore(files, server, { size: oneRow });
          break;
        } catch (error) {
          // The last answer was lost.
          const isThere = isLost && (await isRestored({ database, project: "project_1" }, deployment));
          if (isThere && String(error).includes("is already on this server")) break;
          expect(error).toMatchObject({ message: "killed" });
          kills += 1;
        }
      }
      expect(await rowsOf(database, deployment)).toEqual(rows);
    }
    expect(await database.query(SQL`select deployment from graphloom.restores`)).toEqual([]);
  });

  test("starts over if the folder has changed since", async () => {
    const database = await databases.fresh();
    const files = openDumpFiles(join(testFolder(), "dump"));
    await indexed(database, 2, 3);
    await writeDump(database, files, deployment);
    await indexed(database, 4);
    const whole = openDumpFiles(join(testFolder(), "dump"));
    await writeDump(database, whole, deployment);
    const rows = await rowsOf(database, deployment);
    await dropDeployment(database, deployment);
    let left = 3;
    const dying = serverOn(database, async (request) => {
      left -= 1;
      if (left < 0) throw new Error("killed");
      return request();
    });
    await expect(sendRestore(files, dying, { size: oneRow })).rejects.toThrow("killed");
    const server = serverOn(database, (request) => request());
    const report = await sendRestore(whole, server);
    expect([report.head, report.isContinued]).toEqual([4, false]);
    expect(await rowsOf(database, deployment)).toEqual(rows);
  });
});
