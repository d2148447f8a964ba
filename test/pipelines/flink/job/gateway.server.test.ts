import { describe, expect, it, onTestFinished } from "vitest";
import { createNodeWorld } from "../../../../src/machine/world.js";
import { FlinkGateway } from "../../../../src/pipelines/flink/job/gateway.js";
import {
  JobDriver,
  type JobFate,
  type JobState,
  type JobToRun,
} from "../../../../src/pipelines/flink/job/job-driver.js";
import type { JobFigures } from "../../../../src/pipelines/flink/job/job-figures.js";
import type { KeptJob } from "../../../../src/pipelines/flink/job/kept-job.js";
import { createOutgoing } from "../../../../src/web/outgoing/outgoing.js";
import { type Answer, handles, playedGateway, rows } from "../../../support/pipelines/played-gateway.js";
import { startRecordingServer } from "../../../support/pipelines/recording-server.js";

const world = createNodeWorld();
const secret = "p4ssw0rd";

/** @param longest milliseconds that an answer may take */
function gatewayAt(url: string, longest = 60_000): FlinkGateway {
  const times = { timeout: (limit: number) => AbortSignal.timeout(Math.min(limit, longest)) };
  const outgoing = createOutgoing({ allowsPrivate: true }, times);
  onTestFinished(() => outgoing.close());
  return new FlinkGateway(url, { outgoing, clock: world }, [secret]);
}

const never = new AbortController().signal;
/** What becomes of a statement. */
async function outcomeOf(answer: (request: string) => Answer, limit?: number): Promise<unknown> {
  const gateway = gatewayAt(await playedGateway((request) => handles(request) ?? answer(request)));
  const session = await gateway.openSession(never);
  const outcome = await session.run("SHOW JOBS", limit).catch((error: unknown) => error);
  await session.close();
  return outcome;
}

describe("a gateway that answers", () => {
  it("is polled until a result arrives, and for all pages of the result", async () => {
    let asked = 0;
    const result = await outcomeOf((request) => {
      asked += 1;
      if (asked < 3) return { resultType: "NOT_READY" };
      const next = "/v1/sessions/s-1/operations/o-1/result/1?rowFormat=JSON";
      return request.includes("/result/0") ? rows([["a", 1]], next) : rows([["b", null]]);
    });
    expect(result).toEqual({
      columns: ["c0", "c1"],
      rows: [
        ["a", "1"],
        ["b", ""],
      ],
    });
  });
});

describe("a gateway that is at fault", () => {
  it("is unreachable, which may be temporary", async () => {
    const gateway = gatewayAt("http://127.0.0.1:1");
    await expect(gateway.openSession(never)).rejects.toMatchObject({
      isTemporary: true,
      message: expect.stringMatching(/^The gateway http:\/\/127\.0\.0\.1:1 gave no answer: /),
    });
  });

  it("hangs, which may be temporary", async () => {
    const gateway = gatewayAt(await playedGateway(() => "nothing"), 100);
    await expect(gateway.openSession(never)).rejects.toMatchObject({
      isTemporary: true,
      message: expect.stringMatching(/gave no answer: no answer within \d+ s\.$/),
    });
  });

  it("sends an answer byte by byte, which may be temporary", async () => {
    const url = await playedGateway(() => "trickles");
    await expect(gatewayAt(url, 100).openSession(never)).rejects.toMatchObject({
      isTemporary: true,
      message: expect.stringMatching(`^The gateway ${url} gave no answer: no answer within \\d+ s\\.$`),
    });
  });

  it("sends an answer without end, which is refused", async () => {
    const url = await playedGateway(() => "floods");
    await expect(gatewayAt(url).openSession(never)).rejects.toMatchObject({
      isTemporary: false,
      message: expect.stringMatching(`^The gateway ${url} gave no answer: .* longer than 4194304 bytes\\.$`),
    });
  });

  it("never returns a result, which may be temporary", async () => {
    const outcome = await outcomeOf(() => ({ resultType: "NOT_READY" }), 50);
    expect(outcome).toMatchObject({
      isTemporary: true,
      message: expect.stringContaining("has not run a statement within 0.05 s"),
    });
  });

  it("refuses a statement, and its message is shown without secrets, Java names and control characters", async () => {
    const trace = `<Exception on server side:\norg.apache.flink.Failed: outer\n\tat a.b.C.d(E.java:1)\nCaused by: org.apache.calcite.SqlException: Object 'x' not found, password ${secret}\u001b[2J\n\tat f.g`;
    const outcome = await outcomeOf(() => ({
      status: 500,
      text: JSON.stringify({ errors: ["Internal server error.", trace] }),
    }));
    expect(outcome).toMatchObject({
      isTemporary: false,
      message: expect.stringMatching(/refused a request: Object 'x' not found, password \S+\\u001b\[2J\.$/i),
    });
    expect(String(outcome)).not.toContain(secret);
  });

  it("is overloaded, which may be temporary", async () => {
    expect(await outcomeOf(() => ({ status: 503, text: "" }))).toMatchObject({
      isTemporary: true,
      message: expect.stringContaining("answered with status 503"),
    });
  });

  it.each([
    ["no JSON", { status: 200, text: "<html>" }],
    ["a result without rows", { resultType: "EOS" }],
    [
      "rows of another width",
      { resultType: "EOS", results: { columns: [{ name: "a" }], data: [{ fields: [] }] } },
    ],
    ["lists in lists", { status: 200, text: `{"resultType":"EOS","results":${"[".repeat(1_000_000)}` }],
    ["large rows without end", rows([["a".repeat(3_000_000)]], "/result/0")],
    ["a next page elsewhere", rows([["a"]], "http://169.254.169.254/latest")],
    [
      "rows without end",
      rows(
        Array.from({ length: 9_000 }, () => ["a"]),
        "/result/0",
      ),
    ],
  ])("answers with %s, and is not accepted as a gateway", async (_, answer) => {
    expect(await outcomeOf(() => answer)).toMatchObject({
      isTemporary: false,
      message: expect.stringContaining(
        "gave an answer that is none of Flink's SQL gateway. Check its address.",
      ),
    });
  });

  it("answers with empty pages without end, which may be temporary", async () => {
    let asked = 0;
    const outcome = await outcomeOf(() => {
      asked += 1;
      return { resultType: "PAYLOAD", nextResultUri: "/result/0", results: { columns: [], data: [] } };
    }, 300);
    expect(outcome).toMatchObject({ isTemporary: true, message: expect.stringContaining("within 0.3 s") });
    // It is given time between them.
    expect(asked).toBeLessThan(20);
  });

  it("has lists in lists where a text belongs, which are left out", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const text = `{"resultType":"EOS","results":{"columns":[{"name":"a"}],"data":[{"fields":[${deep}]}]}}`;
    expect(await outcomeOf(() => ({ status: 200, text }))).toEqual({ columns: ["a"], rows: [[""]] });
  });

  it("names a session that would change the address, and is not accepted as a gateway", async () => {
    const gateway = gatewayAt(await playedGateway(() => ({ sessionHandle: "../../x" })));
    await expect(gateway.openSession(never)).rejects.toThrow("none of Flink's SQL gateway");
  });

  it("sends more than an answer may contain, which is refused", async () => {
    expect(await outcomeOf(() => rows([["x".repeat(5_000_000)]]))).toMatchObject({ isTemporary: false });
  });
});

describe("the job of a flow", () => {
  /** Runs a job on a played gateway, until it ends or the test stops it. */
  async function run(
    answer: (statement: string, stop: () => void) => Answer,
    stopAt?: (state: JobState) => boolean,
    {
      fate,
      before,
      from = "last",
    }: { readonly fate?: JobFate; readonly before?: KeptJob; readonly from?: JobToRun["from"] } = {},
  ): Promise<{
    readonly end: JobState;
    readonly states: readonly JobState[];
    readonly kept: KeptJob | undefined;
    readonly figures: readonly (JobFigures | undefined)[];
  }> {
    let statement = "";
    const url = await playedGateway((request, body) => {
      if (request.endsWith("/statements")) statement = (JSON.parse(body) as { statement: string }).statement;
      return handles(request) ?? answer(statement, () => stopping.abort());
    });
    const stopping = new AbortController();
    const states: JobState[] = [];
    const figures: (JobFigures | undefined)[] = [];
    let kept = before;
    const driver = new JobDriver({
      gateway: gatewayAt(url),
      store: {
        get kept() {
          return kept;
        },
        keep: async (job) => {
          kept = job;
        },
        close: () => undefined,
      },
      clock: { timeout: () => AbortSignal.timeout(10), random: () => 0 },
      onState: (state) => {
        states.push(state);
        if (stopAt?.(state)) stopping.abort();
      },
      onFigures: (read) => figures.push(read),
    });
    const job: JobToRun = {
      flow: "totals",
      digest: "d1",
      targets: ["t"],
      isBounded: false,
      from,
      ...(fate && { fate: () => fate }),
      statements: { preparing: [{ about: "sink kept", text: "CREATE TABLE kept" }], starting: "EXECUTE" },
    };
    return { end: await driver.run(job, stopping.signal), states, kept, figures };
  }

  const id = "0123456789abcdef0123456789abcdef";
  const running = (status: string): Answer => rows([[id, "graphloom totals d1", status, "now"]]);

  it("continues while the gateway is unreachable, and is found again", async () => {
    let looks = 0;
    const { states, end, kept } = await run(
      (statement) => {
        if (statement === "SHOW JOBS") {
          looks += 1;
          if (looks === 1) return rows([]);
          if (looks === 3) return { status: 503, text: "" };
          return running("RUNNING");
        }
        if (statement === "EXECUTE") return rows([[id]]);
        if (statement.startsWith("STOP JOB")) return rows([["file:///savepoint-1"]]);
        return rows([["OK"]]);
      },
      () => looks > 3,
    );
    expect(states.map(({ kind }) => kind)).toEqual(["starting", "running", "stalled", "running", "paused"]);
    expect(end).toEqual({ kind: "paused", savepoint: "file:///savepoint-1" });
    expect(kept).toEqual({ digest: "d1", targets: ["t"], savepoint: "file:///savepoint-1" });
  });

  it("stops with Flink's message, and the part that Flink refuses", async () => {
    const { end } = await run((statement) =>
      statement === "CREATE TABLE kept"
        ? { status: 500, text: JSON.stringify({ errors: ["a.b.SomeException: no such connector"] }) }
        : rows([]),
    );
    expect(end).toMatchObject({
      kind: "halted",
      error: { message: expect.stringMatching(/^Flink refuses sink kept: .* no such connector\.$/) },
    });
  });

  it.each([
    ["FAILED", "has failed"],
    ["CANCELED", "was cancelled"],
    ["FINISHED", "was stopped from outside"],
  ])("stops when Flink says %s", async (status, message) => {
    let looks = 0;
    const { end } = await run((statement) => {
      if (statement !== "SHOW JOBS") return rows([[id]]);
      looks += 1;
      return looks === 1 ? running("RUNNING") : running(status);
    });
    expect(end).toMatchObject({ kind: "halted", error: { message: expect.stringContaining(message) } });
  });

  it.each([
    ["has forgotten the job", undefined, "does not know the job any more"],
    ["says that the job has failed", "FAILED", "has failed"],
  ])("starts no other job if Flink %s when the gateway answers again", async (_, status, message) => {
    let looks = 0;
    const { states, end } = await run((statement) => {
      if (statement !== "SHOW JOBS") return rows([[id]]);
      looks += 1;
      if (looks <= 2) return running("RUNNING");
      if (looks === 3) return { status: 503, text: "" };
      return status === undefined ? rows([]) : running(status);
    });
    expect(states.map(({ kind }) => kind)).toEqual(["running", "stalled", "halted"]);
    expect(end).toMatchObject({ kind: "halted", error: { message: expect.stringContaining(message) } });
  });

  it("says why a job has failed, if the configured job manager knows", async () => {
    const manager = await startRecordingServer();
    onTestFinished(() => manager.stop());
    const trace = `org.apache.flink.JobException: Recovery is suppressed\n\tat a.b\nCaused by: java.lang.NumberFormatException: For input string: '9'. Overflow.\n\tat c.d`;
    manager.answer(() => ({ status: 200, body: JSON.stringify({ "root-exception": trace }) }));
    let looks = 0;
    const { end } = await run((statement) => {
      if (statement === "SET")
        return rows([
          ["rest.address", "127.0.0.1"],
          ["rest.port", new URL(manager.url).port],
        ]);
      if (statement !== "SHOW JOBS") return rows([[id]]);
      looks += 1;
      return looks === 1 ? running("RUNNING") : running("FAILED");
    });
    expect(end).toMatchObject({
      kind: "halted",
      error: { message: `Job ${id} of Flink has failed: For input string: '9'. Overflow.` },
    });
    expect(manager.requests.map(({ path }) => path)).toEqual([`/jobs/${id}/exceptions?maxExceptions=1`]);
  });

  it("reports the progress of a job if the configured job manager knows the job", async () => {
    const manager = await startRecordingServer();
    onTestFinished(() => manager.stop());
    const vertex = "a".repeat(32);
    const metrics = `/jobs/${id}/vertices/${vertex}/subtasks/metrics`;
    const names = ["Sink__kept[5].numRecordsIn", "Source__totals_transfers[1].pendingRecords", "busyTime"];
    manager.answer(({ path }) => {
      if (path === `/jobs/${id}`) return json({ vertices: [{ id: vertex }, { id: "../../.." }] });
      if (path === metrics) return json(names.map((name) => ({ id: name })));
      return json([
        { id: names[0], sum: 12, min: 12 },
        { id: names[1], sum: 3, min: 3 },
      ]);
    });
    const json = (value: unknown) => ({ status: 200, body: JSON.stringify(value) });
    let looks = 0;
    const { figures } = await run((statement, stop) => {
      if (statement === "SET")
        return rows([
          ["rest.address", "127.0.0.1"],
          ["rest.port", new URL(manager.url).port],
        ]);
      if (statement !== "SHOW JOBS") return rows([[id]]);
      looks += 1;
      if (looks === 3) stop();
      return running("RUNNING");
    });
    expect(figures).toEqual([{ rows: new Map([["kept", 12]]), waiting: 3 }]);
    const asked = manager.requests.map(({ path }) => decodeURIComponent(path));
    expect(asked.filter((path) => !/numRestarts|checkpoints/.test(path))).toEqual([
      `/jobs/${id}`,
      metrics,
      `${metrics}?get=${names[0]},${names[1]}&agg=sum,min`,
    ]);
  });

  it.each([
    ["hangs", 1],
    ["answers each request late, with tasks without end", 12],
  ])("is looked after while its job manager %s", async (kind, most) => {
    const manager = await startRecordingServer();
    onTestFinished(() => manager.stop());
    const vertices = Array.from({ length: 100 }, (_, index) => ({
      id: index.toString(16).padStart(32, "0"),
    }));
    const names = [
      { id: "Source__t.pendingRecords", sum: 1, min: 1 },
      { id: `Sink__${"k".repeat(4_000)}.numRecordsIn` },
    ];
    let time = 0;
    manager.answer(({ path }) => {
      if (kind === "hangs") return "hangs";
      time += 1_000;
      return { status: 200, body: JSON.stringify(path === `/jobs/${id}` ? { vertices } : names) };
    });
    const gateway = await playedGateway((request) => {
      if (request.startsWith("GET"))
        return rows([
          ["rest.address", "127.0.0.1"],
          ["rest.port", new URL(manager.url).port],
        ]);
      return handles(request);
    });
    const outgoing = createOutgoing({ allowsPrivate: true }, { timeout: () => AbortSignal.timeout(200) });
    onTestFinished(() => outgoing.close());
    const clock = { timeout: world.timeout, now: () => time };
    const session = await new FlinkGateway(gateway, { outgoing, clock }).openSession(never);
    expect(await session.figuresOf(id)).toBeUndefined();
    expect(manager.requests.length).toBeLessThanOrEqual(most);
    for (const { path } of manager.requests) expect(path.length).toBeLessThan(1_000);
  });

  it("is left to another run that follows it", async () => {
    const said: string[] = [];
    const { end, kept } = await run(
      (statement) => {
        said.push(statement);
        return statement === "SHOW JOBS" ? running("RUNNING") : rows([[id]]);
      },
      ({ kind }) => kind === "running",
      { fate: "leave" },
    );
    expect([end, kept]).toEqual([{ kind: "left" }, undefined]);
    expect(said.filter((statement) => statement.startsWith("STOP"))).toEqual([]);
  });

  it("is cancelled without a savepoint when its pipeline is deleted", async () => {
    const said: string[] = [];
    const { end } = await run(
      (statement) => {
        said.push(statement);
        return statement === "SHOW JOBS" ? running("RUNNING") : rows([[id]]);
      },
      ({ kind }) => kind === "running",
      { fate: "cancel" },
    );
    expect([end, said.at(-1)]).toEqual([{ kind: "cancelled" }, `STOP JOB '${id}'`]);
  });

  it("cancels a job of the flow that computes something else", async () => {
    const said: string[] = [];
    let isCancelled = false;
    await run(
      (statement) => {
        said.push(statement);
        if (statement === "SHOW JOBS" && !isCancelled)
          return rows([["f".repeat(32), "graphloom totals d0", "RUNNING", "now"]]);
        if (statement === "SHOW JOBS") return said.includes("EXECUTE") ? running("RUNNING") : rows([]);
        if (statement.startsWith("STOP JOB")) isCancelled = true;
        return rows([[id]]);
      },
      ({ kind }) => kind === "running",
    );
    expect(said).toContain(`STOP JOB '${"f".repeat(32)}'`);
  });

  it.each([
    ["d1", "file:///savepoint-1"],
    ["d0", undefined],
  ])("continues at a savepoint only if the job still computes the same: %s", async (digest, savepoint) => {
    const said: string[] = [];
    const { states } = await run(
      (statement) => {
        said.push(statement);
        if (statement !== "SHOW JOBS") return rows([[id]]);
        return said.includes("EXECUTE") ? running("RUNNING") : rows([]);
      },
      ({ kind }) => kind === "running",
      { before: { digest, targets: ["t"], savepoint: "file:///savepoint-1" } },
    );
    expect(states[0]).toEqual({ kind: "starting", savepoint });
    expect(said.some((statement) => statement.includes("file:///savepoint-1"))).toBe(savepoint !== undefined);
  });

  it.each([
    ["goes on at its savepoint without a doubt if it was paused", undefined, undefined],
    ["is reported to have lost its state if Flink has forgotten it while it ran", true, "lost"],
  ] as const)("%s", async (_, isRunning, doubt) => {
    const said: string[] = [];
    const savepoint = "file:///savepoint-1";
    const { states, kept } = await run(
      (statement) => {
        said.push(statement);
        if (statement !== "SHOW JOBS") return rows([[id]]);
        return said.includes("EXECUTE") ? running("RUNNING") : rows([]);
      },
      ({ kind }) => kind === "running",
      { before: { digest: "d1", targets: ["t"], savepoint, ...(isRunning && { isRunning }) }, fate: "leave" },
    );
    expect(states.slice(0, 2)).toEqual([
      { kind: "starting", savepoint },
      { kind: "running", id, ...(doubt && { doubt }) },
    ]);
    const lost = doubt && { hasLostState: true };
    expect(kept).toEqual({ digest: "d1", targets: ["t"], savepoint, isRunning: true, ...lost });
  });

  it("is cancelled if Flink refuses its savepoint repeatedly", async () => {
    const said: string[] = [];
    const { end, kept } = await run(
      (statement) => {
        said.push(statement);
        if (statement === "SHOW JOBS" && said.includes("EXECUTE")) return running("RUNNING");
        if (statement.endsWith("WITH SAVEPOINT"))
          return { status: 500, text: JSON.stringify({ errors: ["no savepoint now"] }) };
        return statement === "SHOW JOBS" ? rows([]) : rows([[id]]);
      },
      ({ kind }) => kind === "running",
    );
    expect(said.at(-1)).toBe(`STOP JOB '${id}'`);
    expect(end).toMatchObject({
      kind: "halted",
      error: { message: expect.stringMatching(/could not be paused, and was cancelled.*no savepoint now/) },
    });
    expect(kept).toMatchObject({ savepoint: undefined });
  });

  it("is reported as possibly running if it could neither be paused nor cancelled", async () => {
    let isAway = false;
    const { end } = await run(
      (statement) => {
        if (statement.startsWith("STOP JOB")) isAway = true;
        if (isAway) return { status: 503, text: "" };
        return statement === "SHOW JOBS" ? running("RUNNING") : rows([[id]]);
      },
      ({ kind }) => kind === "running",
    );
    expect(end).toMatchObject({
      kind: "halted",
      error: { message: expect.stringContaining("Flink may still run it") },
    });
  });

  it("pauses a job that was submitted but is listed only after the run was stopped", async () => {
    let looks = 0;
    const { end } = await run((statement, stop) => {
      if (statement === "SHOW JOBS") {
        looks += 1;
        return looks < 4 ? rows([]) : running("RUNNING");
      }
      if (statement === "EXECUTE") {
        stop();
        return "nothing";
      }
      return rows([["file:///savepoint-2"]]);
    });
    expect(end).toEqual({ kind: "paused", savepoint: "file:///savepoint-2" });
  });

  describe("that Flink starts again", () => {
    const json = (value: unknown) => ({ status: 200, body: JSON.stringify(value) });

    /**
     * Runs a job that is looked at some times.
     * @param counts how often its job manager says that it was started again, and went on at a checkpoint, by question
     */
    async function watched(
      counts: (question: number) => { readonly restarts: number; readonly restored: number } | undefined,
      { before, status = () => "RUNNING", from }: Watched = {},
    ): ReturnType<typeof run> {
      const manager = await startRecordingServer();
      onTestFinished(() => manager.stop());
      let questions = 0;
      manager.answer(({ path }) => {
        if (path === `/jobs/${id}/metrics?get=numRestarts`) questions += 1;
        const found = counts(questions);
        if (!found) return { status: 503, body: "" };
        if (path.endsWith("/checkpoints")) return json({ counts: { restored: found.restored } });
        if (path.includes("numRestarts")) return json([{ id: "numRestarts", value: String(found.restarts) }]);
        return json({ vertices: [] });
      });
      let looks = 0;
      let isStarted = before !== undefined && from === undefined;
      return run(
        (statement, stop) => {
          if (statement === "SET")
            return rows([
              ["rest.address", "127.0.0.1"],
              ["rest.port", new URL(manager.url).port],
            ]);
          if (statement === "EXECUTE") isStarted = true;
          if (statement.startsWith("STOP JOB")) return rows([["file:///savepoint-2"]]);
          if (statement !== "SHOW JOBS") return rows([[id]]);
          if (!isStarted) return rows([]);
          looks += 1;
          if (looks === 30) stop();
          return running(status(looks));
        },
        undefined,
        { ...(before && { before }), ...(from && { from }) },
      );
    }
    interface Watched {
      readonly before?: KeptJob;
      readonly from?: JobToRun["from"];
      status?(look: number): string;
    }
    const kept: KeptJob = { digest: "d1", targets: ["t"], savepoint: undefined };
    const doubts = (states: readonly JobState[]) =>
      states.flatMap((state) => (state.kind === "running" ? [state.doubt] : []));

    it("before its first checkpoint is reported to have lost its state, and the loss is stored", async () => {
      const { states, kept: after } = await watched(() => ({ restarts: 1, restored: 0 }));
      expect(doubts(states)).toEqual([undefined, "lost"]);
      expect(after).toEqual({ ...kept, savepoint: "file:///savepoint-2", hasLostState: true });
    });

    it("at a checkpoint each time is not reported", async () => {
      const { states, kept: after } = await watched(() => ({ restarts: 3, restored: 3 }));
      expect([doubts(states), after?.hasLostState]).toEqual([[undefined], undefined]);
    });

    it("at the savepoint of its first start is not reported", async () => {
      const before = { ...kept, savepoint: "file:///savepoint-1" };
      const { states } = await watched(() => ({ restarts: 1, restored: 2 }), { before });
      expect(doubts(states)).toEqual([undefined]);
    });

    it("without the savepoint of its first start is reported to have lost its state", async () => {
      const before = { ...kept, savepoint: "file:///savepoint-1" };
      const { states } = await watched(() => ({ restarts: 1, restored: 1 }), { before });
      expect(doubts(states)).toEqual([undefined, "lost"]);
    });

    it("repeatedly is not reported while restores are not counted yet", async () => {
      const { states } = await watched((question) => ({ restarts: question, restored: question - 1 }));
      expect(doubts(states)).toEqual([undefined]);
    });

    it("between two checks is not reported, because the counts of two starts are not compared", async () => {
      const { states } = await watched(
        (question) => (question < 4 ? { restarts: 1, restored: 0 } : { restarts: 1, restored: 1 }),
        { status: (look) => (look === 10 ? "RESTARTING" : "RUNNING") },
      );
      expect(doubts(states)).toEqual([undefined, undefined]);
    });

    it("is reported as uncertain if its job manager does not report the restores", async () => {
      const { states } = await watched(() => undefined);
      expect(doubts(states)).toEqual([undefined, "unknown"]);
    });

    it("stays reported as lost in the next run, until the user restarts it", async () => {
      const before = { ...kept, hasLostState: true as const };
      const next = await watched(() => ({ restarts: 0, restored: 0 }), { before });
      expect([doubts(next.states), next.kept?.hasLostState]).toEqual([["lost"], true]);
      const anew = await watched(() => ({ restarts: 0, restored: 0 }), { before, from: "none" });
      expect([doubts(anew.states), anew.kept?.hasLostState]).toEqual([[undefined], undefined]);
    });
  });
});
