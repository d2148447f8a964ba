import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { untilHolds } from "../../support/until.js";
import { workplace } from "../harness.js";

it("pipeline run stays while its only sink retries, and ends when it is interrupted", async () => {
  const cwd = workplace();
  writeFileSync(
    join(cwd, "flow.yaml"),
    `
name: waiting
sources: { transfers: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: earliest } }
sinks: { stored: { type: postgres, from: transfers, table: t, secret_name: DB, primary_key: id } }
`,
  );
  const words = ["pipeline", "run", "flow.yaml", "--rpc", "http://127.0.0.1:1"];
  const child = spawn(process.execPath, [resolve("dist/cli/main.js"), ...words], {
    cwd,
    env: { ...process.env, GRAPHLOOM_SECRET_DB: "postgres://u:p@127.0.0.1:1/x" },
  });
  let err = "";
  child.stderr.on("data", (piece) => {
    err += piece;
  });
  const ended = once(child, "exit");
  // The third attempt comes after the waits before it, in which nothing else keeps the process.
  await untilHolds(() => expect(err.match(/retrying|stalled/g)?.length).toBeGreaterThan(0));
  const first = await Promise.race([ended, new Promise((after) => setTimeout(after, 4_000, "still there"))]);
  expect([first, err]).toEqual(["still there", expect.stringContaining("stored")]);
  child.kill("SIGINT");
  expect((await ended)[0]).toBe(130);
});
