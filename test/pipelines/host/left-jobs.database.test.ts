import { expect, it } from "vitest";
import { pauseLeftJob } from "../../../src/pipelines/host/flink/left-jobs.js";
import { hasDatabaseJob, openDatabaseJob } from "../../../src/pipelines/host/state/kept-jobs.js";
import { describeDatabase, world } from "../../support/database/databases.js";
import { type Answer, handles, playedGateway, rows } from "../../support/pipelines/played-gateway.js";

describeDatabase("a job that a pipeline has left in Flink", false, (databases) => {
  const flow = "project_a/totals";
  const id = "0123456789abcdef0123456789abcdef";
  const job = { digest: "d1", targets: ["postgres DB  totals"], savepoint: undefined };

  /** Plays a gateway. @param answer gets a statement */
  const played = async (answer: (statement: string) => Answer, said: string[] = []): Promise<string> => {
    let statement = "";
    return playedGateway((request, body) => {
      if (request.endsWith("/statements")) {
        statement = (JSON.parse(body) as { statement: string }).statement;
        said.push(statement);
      }
      return handles(request) ?? answer(statement);
    });
  };
  const listed = rows([[id, `graphloom ${flow} d1`, "RUNNING", "now"]]);

  it("a left job is paused, and its savepoint is kept for the next run", async () => {
    const database = await databases.fresh();
    await (await openDatabaseJob(database, flow)).keep(job);
    const gateway = await played((statement) =>
      statement === "SHOW JOBS" ? listed : rows([["file:///savepoint-1"]]),
    );
    expect(await pauseLeftJob(flow, { gateway, database, world })).toBe(
      "Flink: paused at savepoint file:///savepoint-1",
    );
    expect((await openDatabaseJob(database, flow)).kept).toEqual({
      ...job,
      savepoint: "file:///savepoint-1",
    });
  });

  it("a left job is not searched for if the pipeline never had one, and is not found after it has ended", async () => {
    const database = await databases.fresh();
    const said: string[] = [];
    const gateway = await played(() => rows([]), said);
    expect(await pauseLeftJob(flow, { gateway, database, world })).toBeUndefined();
    expect(said).toEqual([]);
    expect(await hasDatabaseJob(database, flow)).toBe(false);
    await (await openDatabaseJob(database, flow)).keep(job);
    expect(await pauseLeftJob(flow, { gateway, database, world })).toBeUndefined();
    expect(said).toEqual(["SHOW JOBS"]);
  });

  /** A test opens it twice, so that the other server is this process. */
  const anotherServer = new RegExp(
    `^Another server runs the pipeline: process ${process.pid} on .+, since 20.+Z\\.$`,
  );

  it("a left job belongs to the server that opened it last, so that an earlier server cannot restart it", async () => {
    const database = await databases.fresh();
    const first = await openDatabaseJob(database, flow);
    await first.keep(job);
    const second = await openDatabaseJob(database, flow);
    expect(second.kept).toEqual(job);
    await expect(first.keep({ ...job, digest: "d2" })).rejects.toMatchObject({
      isTemporary: true,
      message: expect.stringMatching(anotherServer),
    });
    await second.keep({ ...job, digest: "d3" });
    expect((await openDatabaseJob(database, flow)).kept?.digest).toBe("d3");
  });
});
