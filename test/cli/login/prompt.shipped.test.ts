import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Api, token, useApi } from "../remote/harness.js";

const api = useApi();

const main = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const script = "/usr/bin/script";

/** Runs a shell command in a terminal and answers the first question. @returns what the terminal showed */
function atTerminal({ server, home }: Api, line: string, answer: string): Promise<string> {
  const env = { PATH: process.env.PATH ?? "", HOME: home, GRAPHLOOM_API_URL: server.url, TERM: "xterm" };
  const command = line.replace("graphloom", `"${process.execPath}" "${main}"`);
  const child = spawn(script, ["-qec", command, "/dev/null"], { cwd: home, env });
  let shown = "";
  let isAnswered = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    if (isAnswered || !shown.includes("Code or API key")) return;
    isAnswered = true;
    child.stdin.write(`${answer}\r`);
  });
  return new Promise((resolve) => child.on("close", () => resolve(shown)));
}

describe.runIf(existsSync(script))("a token that the user enters", () => {
  it.each([
    "graphloom login --no-browser",
    "graphloom login --no-browser 2>messages",
    "graphloom login --no-browser >answers",
    "graphloom login --no-browser >answers 2>messages",
  ])("is never shown: %s", async (line) => {
    const all = await api();
    const shown = await atTerminal(all, line, all.server.token);
    expect(shown).toContain("Code or API key for ");
    expect(shown).not.toContain(token);
    for (const file of ["messages", "answers"].filter((each) => line.includes(each)))
      expect(readFileSync(join(all.home, file), "utf8")).not.toContain(token);
    expect(all.server.received.map(({ headers }) => headers.authorization)).toEqual([
      // The request that checks for sign-in carries no token.
      undefined,
      `Bearer ${all.server.token}`,
    ]);
  });
});
