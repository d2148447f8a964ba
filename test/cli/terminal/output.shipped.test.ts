import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { deployed, useApi } from "../remote/harness.js";

const api = useApi();

const main = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

/** Runs a shell line with `graphloom` as a command; returns its output and the exit code of its first process. */
function shell(line: string, env: Readonly<Record<string, string>> = {}) {
  const script = `graphloom() { "${process.execPath}" "${main}" "$@"; }; ${line}; echo "ended \${PIPESTATUS[0]}"`;
  const child = spawn("bash", ["-c", script], {
    env: { PATH: process.env.PATH ?? "", HOME: "/nowhere", ...env },
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (text) => {
    out += text;
  });
  child.stderr.on("data", (text) => {
    err += text;
  });
  return new Promise<{ out: string; err: string }>((resolve) =>
    child.on("close", () => resolve({ out, err })),
  );
}

/** A project with a long log. */
async function chatty() {
  const all = await api();
  await deployed(all, "pools", "1.0.0");
  const entries = Array.from({ length: 5_000 }, (_, index) => ({
    text: `${index} ${"x".repeat(100)}`,
    timestamp: Date.now(),
    level: "info" as const,
  }));
  await all.server.log("pools", "1.0.0", ...entries);
  return { GRAPHLOOM_API_URL: all.server.url, GRAPHLOOM_TOKEN: all.server.token };
}

describe("a closed pipe", () => {
  it.each([
    "graphloom explain | head -1",
    "graphloom explain | true",
    "graphloom --version | true",
    "graphloom subgraph deploy --help | head -1",
  ])("ends quietly: %s", async (line) => {
    const { err } = await shell(line);
    expect(err).toBe("");
  });

  it.each(["", "--format json"])("ends a command that follows a log: %s", async (format) => {
    const { out, err } = await shell(
      `graphloom subgraph log pools/1.0.0 ${format} | head -1`,
      await chatty(),
    );
    expect(err).toBe("");
    expect(out.split("\n")).toHaveLength(3);
    expect(out).toContain("ended 141\n");
  });

  it("for messages does not end the command", async () => {
    const env = await chatty();
    const { out } = await shell("{ graphloom subgraph list --verbose 2>&3 | wc -l; } 3>&1 1>&2 | true", env);
    expect(out).toContain("ended");
    const { err } = await shell("graphloom subgraph list --verbose 2> >(true)", env);
    expect(err).toBe("");
  });
});

describe.runIf(existsSync("/dev/full"))("a full disk", () => {
  it.each(["explain", "--version", "subgraph deploy --help"])("is reported in one line: %s", async (line) => {
    const { out, err } = await shell(`graphloom ${line} >/dev/full`);
    expect([out, err]).toEqual([
      "ended 1\n",
      "The output cannot be written: no space is left on the device (ENOSPC).\n",
    ]);
  });
});
