import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { getPriority, platform } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type Child, startChild } from "../../../src/machine/processes/start-child.js";
import { until } from "../../support/until.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const folder = join(root, "node_modules/.graphloom-tests/processes");
const children: Child[] = [];

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  const input = ["child", "parent"].map((name) => join(root, `test/support/processes/${name}.ts`));
  const bundled = await rolldown({ input, platform: "node", logLevel: "warn" });
  await bundled.write({ dir: folder, format: "esm", entryFileNames: "[name].mjs" });
});
afterAll(async () => {
  for (const child of children) child.kill();
  await Promise.all(children.map(({ ended }) => ended));
});

interface Shown {
  readonly env: Readonly<Record<string, string>>;
  readonly flags: readonly string[];
  readonly score: string;
  readonly pid: number;
  readonly failure?: string;
}

function start({ heap = 64, memory = 500 } = {}): Child & {
  tell(order: string): void;
  answer(): Promise<Shown>;
} {
  const script = pathToFileURL(join(folder, "child.mjs"));
  const child = startChild({ script, title: "test", heap, memory });
  children.push(child);
  const port = child.channels.open(1);
  const answers: Shown[] = [];
  port.on("message", (answer: Shown) => answers.push(answer));
  return {
    ...child,
    tell: (order) => port.postMessage(order),
    answer: () => until(() => answers.shift()),
  };
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it("a child gets neither the environment nor the flags of its parent, and its own folder for temporary files", async () => {
  vi.stubEnv("SECRET_OF_THE_SERVER", "x");
  const child = start();
  vi.unstubAllEnvs();
  child.tell("show");
  const { env, flags, score } = await child.answer();
  expect(env).not.toHaveProperty("SECRET_OF_THE_SERVER");
  expect(env).not.toHaveProperty("PATH");
  expect(flags).toEqual(["--max-old-space-size=64", "--max-semi-space-size=8"]);
  expect(score).toBe("1000");
  expect(existsSync(env.TMPDIR as string)).toBe(true);
  child.kill();
  expect(await child.ended).toEqual({ kind: "exited", code: null, signal: "SIGKILL" });
  expect(existsSync(env.TMPDIR as string)).toBe(false);
});

it.runIf(platform() === "linux")(
  "the priority of all threads of a child can be lowered at any time",
  async () => {
    const child = start();
    child.tell("show");
    const { pid } = await child.answer();
    const priorities = (): readonly number[] =>
      readdirSync(`/proc/${pid}/task`).map((thread) => getPriority(Number(thread)));
    expect(priorities().length).toBeGreaterThan(1);
    for (const nice of [6, 19]) {
      child.standBack(nice);
      expect(new Set(priorities())).toEqual(new Set([nice]));
    }
    child.kill();
    await child.ended;
    child.standBack(19);
  },
);

it("the parent ends a child that uses more memory than it may, although its heap is small", async () => {
  const child = start({ memory: 300 });
  child.tell("hold");
  expect(await child.ended).toEqual({ kind: "out-of-memory", megabytes: 300 });
});

it("the parent outlives a child that crashes", async () => {
  const child = start();
  child.tell("SIGSEGV");
  expect(await child.ended).toEqual({ kind: "exited", code: null, signal: "SIGSEGV" });
});

it("the parent receives failures that a child does not catch, and decides when the child ends", async () => {
  const child = start();
  child.tell("throw");
  expect(await child.answer()).toEqual({ failure: "Error: nobody catches it" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) child.tell(signal);
  child.tell("show");
  expect(await child.answer()).toMatchObject({ score: "1000" });
});

it("a killed parent leaves no children behind", async () => {
  const parent = fork(join(folder, "parent.mjs"));
  const [{ pid, env }] = (await once(parent, "message")) as [Shown];
  expect(isThere(pid)).toBe(true);
  parent.kill("SIGKILL");
  await until(() => !isThere(pid));
  expect(existsSync(env.TMPDIR as string)).toBe(false);
});

it("the parent says that a child's heap was full", async () => {
  const child = start({ heap: 30, memory: 2_000 });
  child.tell("fill");
  expect(await child.ended).toEqual({ kind: "out-of-memory", megabytes: 30 });
});
