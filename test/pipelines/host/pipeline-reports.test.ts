import { expect, it } from "vitest";
import type { PipelineNews } from "../../../src/pipelines/host/messages.js";
import { PipelineReports } from "../../../src/pipelines/host/pipeline-reports.js";

const hour = 3_600_000;

/** Reports at a time that the test sets. */
function reporting() {
  const at = { now: 0 };
  const told: PipelineNews[] = [];
  const givenUp: string[] = [];
  const reports = new PipelineReports({
    now: () => at.now,
    tell: (news) => void told.push(news),
    giveUp: (why) => void givenUp.push(why),
  });
  const taken = (): readonly PipelineNews[] => {
    reports.flush();
    return told.splice(0);
  };
  return { at, reports, taken, givenUp };
}

const away = { kind: "stalled", why: "away", since: 0, wait: 1_000, nextAttempt: 1_000 } as const;

it("the host reports a state once, after the log lines that explain it", () => {
  const { reports, taken } = reporting();
  reports.sink("stored", away);
  reports.sink("stored", away);
  reports.progress("read until block 7");
  const news = taken();
  expect(news.map(({ kind }) => kind)).toEqual(["progress", "lines", "state"]);
  expect(news[1]).toMatchObject({ lines: [{ level: "error", text: "Sink stored is stalled: away" }] });
  expect(taken()).toEqual([]);
  const progress = { rows: 1, blocks: new Map([["transfers", 7]]), overwritten: 0, parked: 0 };
  reports.sink("stored", { kind: "progressing", progress });
  expect(taken()).toMatchObject([
    { kind: "lines", lines: [{ text: "Sink stored goes on" }] },
    { kind: "state", status: { state: "progressing", rows: 1, blocks: { transfers: 7 } } },
  ]);
});

it("the host stops a pipeline whose sink has stalled for six hours without a break", () => {
  const { at, reports, givenUp } = reporting();
  reports.sink("stored", away);
  at.now = 5 * hour;
  reports.sink("other", away);
  const progress = { rows: 0, blocks: new Map(), overwritten: 0, parked: 0 };
  reports.sink("stored", { kind: "progressing", progress });
  at.now = 6 * hour;
  reports.sink("stored", away);
  expect(givenUp).toEqual([]);
  at.now = 11 * hour;
  reports.sink("other", away);
  expect(givenUp).toEqual(["Sink other was stalled for more than 6 hours: away"]);
});

it("the host reports nodes only when their figures change", () => {
  const { at, reports, taken } = reporting();
  reports.counter.passed("large", "stored", 10);
  reports.noteFigures();
  reports.noteFigures();
  expect(taken()).toEqual([{ kind: "nodes", nodes: { large: { rows: 10, rate: 0 } } }]);
  at.now = 2_000;
  reports.counter.passed("large", "stored", 10);
  reports.noteFigures();
  expect(taken()).toEqual([{ kind: "nodes", nodes: { large: { rows: 20, rate: 5 } } }]);
});

it("the host reports what was written to each sink since the report before, from its first batch to its last", () => {
  const { at, reports, taken } = reporting();
  at.now = 130;
  reports.wrote("stored", 4, 100);
  at.now = 150;
  reports.wrote("stored", 3, 140);
  reports.wrote("other", 1, 149);
  at.now = 400;
  expect(taken()).toEqual([
    { kind: "written", written: { sink: "stored", rows: 7, batches: 2, milliseconds: 50 } },
    { kind: "written", written: { sink: "other", rows: 1, batches: 1, milliseconds: 1 } },
  ]);
  expect(taken()).toEqual([]);
});
