import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { SQL } from "../../src/store/database/database.js";
import { findDeployment } from "../../src/store/deployments/deployments.js";
import { recordFatalError } from "../../src/store/deployments/health.js";
import { openDatabase, openKeptStores } from "../../src/store/open.js";
import { linkBuild } from "../../src/subgraph/deployment/link-build.js";
import { ReadBuild } from "../../src/subgraph/runnable/read-build.js";
import { sampleBuild } from "../subgraph/sample-build.js";
import { images } from "../support/compiler/shared-cache.js";
import { world } from "../support/database/databases.js";
import { testFolder } from "../support/folder.js";

let place: string;
beforeEach(() => {
  place = join(testFolder(), "kept");
});

const build = new ReadBuild(sampleBuild());
const { deploymentId } = linkBuild(build);
const blockHash = async () => undefined;

async function inDatabase<T>(
  work: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(place, world, images);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function keepFrom(first: number): Promise<number> {
  const kept = await openKeptStores(place, world, { images });
  try {
    return (await kept.store({ build, first, blockHash })).startBlock;
  } finally {
    await kept.close();
  }
}

describe("the stores kept in a database", () => {
  test("releases the folder when a newer version has migrated its database", async () => {
    await keepFrom(1);
    await inDatabase((database) =>
      database.run(SQL`insert into graphloom.migrations (number, name) values (999, 'of the future')`),
    );
    await expect(openKeptStores(place, world, { images })).rejects.toThrow(
      "another version of graphloom has migrated the database (999 of the future)",
    );
    expect(await inDatabase((database) => database.query(SQL`select 1 as n`))).toEqual([{ n: "1" }]);
  });

  test("retries a failed build, but not if the requested start block differs", async () => {
    await keepFrom(5);
    await inDatabase(async (database) => {
      const { id = 0 } = (await findDeployment(database, deploymentId)) ?? {};
      await recordFatalError(database, id, { message: "division by zero", deterministic: true });
    });
    const health = () =>
      inDatabase(async (database) => (await findDeployment(database, deploymentId))?.health);
    expect(await keepFrom(6)).toBe(5);
    expect(await health()).toBe("failed");
    expect(await keepFrom(5)).toBe(5);
    expect(await health()).toBe("healthy");
  });
});
