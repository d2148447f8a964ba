import { spawn } from "node:child_process";
import { once } from "node:events";
import { pid } from "node:process";
import { expect, it } from "vitest";
import { hasEnded, processName } from "../../src/base/process-name.js";

it.runIf(process.platform === "linux")(
  "a process has a name that shows whether the process has ended",
  async () => {
    const child = spawn("sleep", ["60"]);
    await once(child, "spawn");
    const name = processName(child.pid) as string;
    expect([hasEnded(name), hasEnded(processName() as string)]).toEqual([false, false]);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(hasEnded(name)).toBe(true);
  },
);

it.runIf(process.platform === "linux")(
  "a process of another time, container or machine has a different name",
  () => {
    const [boot, namespace, , began] = (processName() as string).split("/");
    expect(hasEnded([boot, namespace, pid, Number(began) - 1].join("/"))).toBe(true);
    expect(hasEnded([boot, "pid:[1]", pid, 1].join("/"))).toBe(false);
    expect(hasEnded(["another", namespace, pid, 1].join("/"))).toBe(false);
    expect(hasEnded("nonsense")).toBe(false);
  },
);
