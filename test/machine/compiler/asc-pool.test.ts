import { expect, test } from "vitest";
import type { Asc, AscInput, AscOutput } from "../../../src/compiler/asc/asc.js";
import { startAscPool } from "../../../src/machine/compiler/asc-pool.js";

const output: AscOutput = { kind: "compiled", warnings: [], types: [] };

function program(entry: string, mode: AscInput["mode"] = "full"): AscInput {
  return { entry, mode, files: new Map(), graphTs: new Map(), expressions: [] };
}

interface Running {
  resolve(output: AscOutput): void;
  reject(error: Error): void;
}

/** A pool of compilers that finish a program when the test says so. */
function pool(most: number) {
  const running = new Map<string, Running>();
  let started = 0;
  let closed = 0;
  const start = (): Asc => {
    started++;
    let isClosed = false;
    return {
      prepare: () => undefined,
      compile: ({ entry }) => {
        if (isClosed) return Promise.reject(new Error("closed"));
        const result = new Promise<AscOutput>((resolve, reject) => running.set(entry, { resolve, reject }));
        return result.finally(() => running.delete(entry));
      },
      close: async () => {
        isClosed = true;
        closed++;
      },
    };
  };
  return {
    asc: startAscPool(most, start),
    running,
    started: () => started,
    closed: () => closed,
  };
}

test("programs compile at the same time, in as many threads as allowed", async () => {
  const { asc, running, started } = pool(2);
  const results = ["a", "b", "c"].map((entry) => asc.compile(program(entry)));
  await Promise.resolve();
  expect([...running.keys()]).toEqual(["a", "b"]);
  running.get("b")?.resolve(output);
  await results[1];
  await expect.poll(() => [...running.keys()]).toEqual(["a", "c"]);
  running.get("a")?.resolve(output);
  running.get("c")?.resolve(output);
  expect(await Promise.all(results)).toEqual([output, output, output]);
  expect(started()).toBe(2);
});

test("programs that compile quickly start another thread only when several wait", async () => {
  const { asc, running, started } = pool(2);
  for (const entry of ["a", "b", "c", "d"]) void asc.compile(program(entry, "fast"));
  await Promise.resolve();
  expect([...running.keys()]).toEqual(["a"]);
  void asc.compile(program("e", "fast"));
  await expect.poll(() => [...running.keys()]).toEqual(["a", "b"]);
  expect(started()).toBe(2);
});

test("an idle thread takes a program before another one starts", async () => {
  const { asc, running, started } = pool(2);
  for (const entry of ["a", "b"]) {
    const result = asc.compile(program(entry));
    await expect.poll(() => [...running.keys()]).toEqual([entry]);
    running.get(entry)?.resolve(output);
    await result;
  }
  expect(started()).toBe(1);
});

test("a thread whose program failed takes the next one", async () => {
  const { asc, running } = pool(1);
  const failing = asc.compile(program("a"));
  const next = asc.compile(program("b"));
  await expect.poll(() => [...running.keys()]).toEqual(["a"]);
  running.get("a")?.reject(new Error("crashed"));
  await expect(failing).rejects.toThrow("crashed");
  await expect.poll(() => [...running.keys()]).toEqual(["b"]);
  running.get("b")?.resolve(output);
  expect(await next).toEqual(output);
});

test("closing ends every thread and rejects the programs that wait", async () => {
  const { asc, running, closed } = pool(2);
  const results = ["a", "b", "c"].map((entry) => asc.compile(program(entry)));
  await expect.poll(() => running.size).toBe(2);
  const waiting = expect(results[2]).rejects.toThrow("closed");
  await asc.close();
  expect(closed()).toBe(2);
  await waiting;
  for (const result of running.values()) result.resolve(output);
});
