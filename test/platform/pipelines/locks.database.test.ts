import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { InternalError } from "../../../src/base/invariant.js";
import type { PipelineEnd, PipelineEngine } from "../../../src/pipelines/host/pipeline-engine.js";
import { claimState, dropStates, findState } from "../../../src/pipelines/host/state/state-rows.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { PipelineKeeper } from "../../../src/platform/pipelines/pipeline-keeper.js";
import {
  holdPipeline,
  letGoOfPipeline,
  observePipeline,
} from "../../../src/platform/pipelines/pipeline-leases.js";
import {
  addPipeline,
  addPipelineVersion,
  changePipeline,
  deletePipelineRow,
  findPipeline,
  isGone,
} from "../../../src/platform/pipelines/pipeline-rows.js";
import { pipelineIdOf } from "../../../src/platform/pipelines/project-host.js";
import { addSnapshot, listSnapshots } from "../../../src/platform/pipelines/snapshot-rows.js";
import { addTask } from "../../../src/platform/pipelines/tasks/task-rows.js";
import type { Platform } from "../../../src/platform/platform.js";
import { type Database, DatabaseError } from "../../../src/store/database/database.js";
import { describeDatabases, world } from "../../support/database/databases.js";
import { whileWaiting } from "../../support/database/while-waiting.js";
import { untilHolds } from "../../support/until.js";

const named = { project: "project_1", name: "swaps" };

describeDatabases("pipelines that two servers change at once", ({ fresh }) => {
  let database: Database;

  beforeEach(async () => {
    database = await fresh();
    await createProject(database, { id: named.project, name: "one" });
    await addPipeline(database, { ...named, form: "pipeline", isJob: false, status: "ACTIVE" });
    await addPipelineVersion(database, named, {
      definition: "",
      variables: {},
      abis: [],
      document: {},
      topology: [],
      size: "s",
      description: null,
    });
  });

  test("a pipeline gets the task that began while it was locked", async () => {
    const found = await whileWaiting(
      database,
      async (sql) => {
        await findPipeline(sql, named, { isLocked: true });
        await addTask(sql, named, randomUUID(), { kind: "drop", sink: "dropped", key: {} }, 15_000);
      },
      () => database.transaction((sql) => findPipeline(sql, named, { isLocked: true })),
    );
    expect(found?.task).toBe("drop");
  });

  test("a snapshot stays that was just chosen for a new pipeline", async () => {
    const snapshot = { version: 1, cause: "schedule", content: "{}" } as const;
    for (let count = 0; count < 10; count++) await addSnapshot(database, named, snapshot);
    const oldest = (await listSnapshots(database, named)).at(-1)?.id ?? "";
    await whileWaiting(
      database,
      (sql) => changePipeline(sql, named, { begins: oldest, request: "restart" }),
      () => addSnapshot(database, named, snapshot),
    );
    const kept = (await listSnapshots(database, named)).map(({ id }) => id);
    expect(kept).toContain(oldest);
    expect(kept).toHaveLength(11);
  });

  test("state of a pipeline stays for a new one with the same name that is created while the old one is deleted", async () => {
    const owner = { flow: pipelineIdOf(named), sink: "hook", target: "" };
    await claimState(database, owner, randomUUID());
    await deletePipelineRow(database, named);
    const isDropped = await whileWaiting(
      database,
      (held) => addPipeline(held, { ...named, form: "pipeline", isJob: false, status: "ACTIVE" }),
      () => dropStates(database, owner.flow, (sql) => isGone(sql, named)),
    );
    expect(isDropped).toBe(false);
    expect(await findState(database, owner)).toBeDefined();
    await deletePipelineRow(database, named);
    expect(await dropStates(database, owner.flow, (sql) => isGone(sql, named))).toBe(true);
    expect(await findState(database, owner)).toBeUndefined();
  });

  test("a pipeline that has ended on another server is not started again", async () => {
    const other = randomUUID();
    const { generation = 0 } = (await findPipeline(database, named)) ?? {};
    const started: string[] = [];
    const keeper = new PipelineKeeper(
      { database, world } as Platform,
      engineThat((flow) => started.push(flow)),
    );
    await whileWaiting(
      database,
      async (sql) => {
        await holdPipeline(sql, named, { holder: other, time: 60_000 });
        const ended = { runtime: "TERMINATED", error: "it cannot go on", sinks: null } as const;
        await observePipeline(sql, named, { generation, ...ended });
        await letGoOfPipeline(sql, named, other);
      },
      () => keeper.reconcile(),
    );
    await keeper.close();
    expect(started).toEqual([]);
    expect(await holdPipeline(database, named, { holder: other, time: 0 })).toBe(true);
  });

  test("a pipeline's end is visible only once its reason is in the log", async () => {
    let refused = 0;
    const query: Database["query"] = async (statement, values) => {
      if (!statement.includes("insert into graphloom.pipeline_lines"))
        return database.query(statement, values);
      refused += 1;
      throw new DatabaseError("the lines are refused");
    };
    const ended = { kind: "failed", why: "it cannot go on" } as const;
    const engine = engineThat(() => undefined, ended);
    const keeper = new PipelineKeeper({ database: { ...database, query }, world } as Platform, engine);
    await keeper.reconcile();
    await untilHolds(() => expect(refused).toBe(1));
    await keeper.close();
    expect((await findPipeline(database, named))?.runtime).not.toBe("TERMINATED");
  });
});

/** An engine that only tells what it is to run. */
function engineThat(hear: (flow: string) => void, end: PipelineEnd = { kind: "stopped" }): PipelineEngine {
  const never = (): never => {
    throw new InternalError("nothing else is asked");
  };
  return {
    flink: undefined,
    run: ({ flow }) => {
      hear(flow);
      return {
        ended: Promise.resolve(end),
        stop: async () => undefined,
        tap: () => undefined,
        memory: () => undefined,
      };
    },
    pauseLeftJob: async () => undefined,
    check: never,
    snapshot: never,
    perform: never,
    compare: never,
    preview: never,
    forget: never,
    close: async () => undefined,
  };
}
