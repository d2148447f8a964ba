import { beforeAll, expect, test } from "vitest";
import {
  addHostedSink,
  beginDeletion,
  deleteHostedSink,
  findHostedSink,
  finishHostedSink,
} from "../../../src/platform/hosted-sinks/hosted-sink-rows.js";
import { createProject } from "../../../src/platform/people/projects.js";
import type { Database } from "../../../src/store/database/database.js";
import { onEither } from "../../support/database/databases.js";

const databases = onEither();
let database: Database;
beforeAll(async () => {
  database = await databases.fresh();
  await createProject(database, { id: "project_1", name: "one" });
});

test("a hosted sink that was deleted while it was created neither completes nor deletes a later one of the same name", async () => {
  const name = { project: "project_1", name: "SINK" };
  await addHostedSink(database, name, "sink_first");
  await beginDeletion(database, name);
  await deleteHostedSink(database, name, "sink_first");
  await addHostedSink(database, name, "sink_second");
  expect(await finishHostedSink(database, name, "sink_first")).toBe(false);
  await deleteHostedSink(database, name, "sink_first");
  expect(await findHostedSink(database, name)).toMatchObject({ database: "sink_second", state: "creating" });
  expect(await finishHostedSink(database, name, "sink_second")).toBe(true);
});
