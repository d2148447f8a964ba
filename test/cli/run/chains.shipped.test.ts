import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { useAnvil } from "../../support/anvil.js";
import { workplace } from "../harness.js";
import { counterConfig, deployCounter } from "./chains.js";

const main = useAnvil();

it("as a process, it ends cleanly on Ctrl-C", async () => {
  const contract = await deployCounter(main());
  await main().send(contract, "count", [5]);
  const cwd = workplace({
    "c.json": counterConfig({ mainnet: contract }, "event.params.number", { debugging: true }),
  });
  const args = ["run", "c.json", "--rpc", main().url, "--watch", "--output", "ndjson", "--entity", "Note"];
  const child = spawn(process.execPath, [resolve("dist/cli/main.js"), ...args], { cwd });
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    if (String(chunk).includes("saved Note")) child.kill("SIGINT");
  });
  const [code] = await once(child, "close");
  expect(code).toBe(130);
  expect(JSON.parse(out)).toMatchObject({ chain: "mainnet", type: "Note", entity: { value: "5" } });
});
