import { expect, it } from "vitest";
import type { PipelineEnd, PipelineOrder } from "../../../src/pipelines/host/pipeline-engine.js";
import { PreparedRuns } from "../../../src/pipelines/host/prepared-runs.js";
import type { PipelineJob, PipelineProcess } from "../../../src/pipelines/host/start-pipeline.js";

const meaning = {
  name: "a",
  form: "pipeline",
  job: false,
  document: {},
  nodes: [],
  secrets: [],
  subgraphs: [],
};
const order = (text = "name: a", size: PipelineOrder["size"] = "s"): PipelineOrder => ({
  flow: "project/a",
  size,
  begins: "continue",
  definition: { text, variables: { ONE: "1", TWO: "2" } },
  host: {} as PipelineOrder["host"],
});

/** Processes that say that a definition is sound, unless it is empty, and how each of them came along. */
function fixture() {
  const said: string[] = [];
  const due: (() => void)[] = [];
  const begin = ({ definition }: PipelineOrder, hear: PipelineJob["hear"]): PipelineProcess => {
    const number = said.push("checks") - 1;
    let end: (end: PipelineEnd) => void = () => undefined;
    const ended = new Promise<PipelineEnd>((resolve) => {
      end = resolve;
    });
    const checked = definition.text === "" ? { findings: [] } : { findings: [], meaning };
    queueMicrotask(() => {
      if (definition.text === "fails") return end({ kind: "failed", why: "out of memory" });
      hear({ kind: "checked", checked: checked as never });
    });
    return {
      ended,
      standBack: () => undefined,
      async stop() {
        said[number] = "stopped";
        end({ kind: "stopped" });
      },
      kill() {
        said[number] = "killed";
        end({ kind: "stopped" });
      },
      memory: () => undefined,
      tap: () => undefined,
      go: ({ begins }) => {
        said[number] = `runs from ${begins}`;
        hear({ kind: "lines", lines: [] });
      },
    };
  };
  const timeout = (): AbortSignal => {
    const late = new AbortController();
    due.push(() => late.abort());
    return late.signal;
  };
  return { runs: new PreparedRuns(begin, { timeout }), said, due };
}

const waiting = new AbortController().signal;

it("prepared runs let a process run the definition that it has checked, once", async () => {
  const { runs, said } = fixture();
  const heard: string[] = [];
  expect(await runs.check(order(), waiting)).toMatchObject({ meaning: { name: "a" } });
  expect(runs.take({ ...order(), begins: "anew" }, ({ kind }) => heard.push(kind))).toBeDefined();
  expect([said, heard]).toEqual([["runs from anew"], ["lines"]]);
  expect(runs.take(order(), () => undefined)).toBeUndefined();
});

it.each([
  ["another definition", order("name: a # changed")],
  ["another size", order("name: a", "m")],
  ["another variable", { ...order(), definition: { text: "name: a", variables: { ONE: "1" } } }],
])("prepared runs end a process that has checked %s", async (_, asked) => {
  const { runs, said } = fixture();
  await runs.check(order(), waiting);
  expect(runs.take(asked, () => undefined)).toBeUndefined();
  expect(said).toEqual(["stopped"]);
});

it("prepared runs take no process of another pipeline, and keep two", async () => {
  const { runs, said } = fixture();
  for (const name of ["a", "b", "c"]) await runs.check({ ...order(), flow: `project/${name}` }, waiting);
  expect(said).toEqual(["stopped", "checks", "checks"]);
  expect(runs.take({ ...order(), flow: "other/b" }, () => undefined)).toBeUndefined();
  expect(runs.take({ ...order(), flow: "project/b" }, () => undefined)).toBeDefined();
  expect(said).toEqual(["stopped", "runs from continue", "checks"]);
});

it("prepared runs end an unused process after a while", async () => {
  const { runs, said, due } = fixture();
  await runs.check(order(), waiting);
  for (const task of due) task();
  await Promise.resolve();
  await Promise.resolve();
  expect([said, runs.take(order(), () => undefined)]).toEqual([["stopped"], undefined]);
});

it("prepared runs keep no process of a definition with mistakes, and say why a check has failed", async () => {
  const { runs } = fixture();
  await runs.check(order(""), waiting);
  expect(runs.take(order(""), () => undefined)).toBeUndefined();
  await expect(runs.check(order("fails"), waiting)).rejects.toThrow("out of memory");
});

it("prepared runs end a process if the caller stops waiting for its check", async () => {
  const { runs, said } = fixture();
  const gone = new AbortController();
  const check = runs.check(order(), gone.signal);
  gone.abort(new Error("gone"));
  await expect(check).rejects.toThrow("gone");
  expect([said, runs.take(order(), () => undefined)]).toEqual([["killed"], undefined]);
});
