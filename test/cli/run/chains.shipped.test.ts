import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { useAnvil } from "../../support/chain/anvil.js";
import { sharedCache } from "../../support/compiler/shared-cache.js";
import { workplace } from "../harness.js";
import { counterConfig, deployCounter } from "./chains.js";

const main = useAnvil();
const env = { ...process.env, ...sharedCache };

it("run --database ends cleanly on Ctrl-C and keeps the entities", async () => {
  const contract = await deployCounter(main());
  await main().send(contract, "count", [6]);
  const text = counterConfig({ mainnet: contract }, "event.params.number", { debugging: true });
  const cwd = workplace({ "c.json": text });
  const args = [
    "run",
    "c.json",
    "--rpc",
    main().url,
    "--output",
    "ndjson",
    "--entity",
    "Note",
    "--database",
    "kept",
  ];
  const first = spawn(process.execPath, [resolve("dist/cli/main.js"), ...args, "--watch"], { cwd, env });
  first.stderr.on("data", (chunk) => {
    if (String(chunk).includes("saved Note")) first.kill("SIGINT");
  });
  first.stdout.resume();
  expect(await once(first, "close")).toEqual([130, null]);
  expect(readdirSync(join(cwd, "kept")).sort()).toEqual(["graphloom-database.json", "postgres"]);
  const again = spawn(process.execPath, [resolve("dist/cli/main.js"), ...args], { cwd, env });
  let [out, err] = ["", ""];
  again.stdout.on("data", (chunk) => {
    out += String(chunk);
  });
  again.stderr.on("data", (chunk) => {
    err += String(chunk);
  });
  expect(await once(again, "close")).toEqual([0, null]);
  expect(err).toMatch(/^mainnet: continuing after block \d+\n/);
  expect(JSON.parse(out)).toMatchObject({ chain: "mainnet", type: "Note", entity: { value: "6" } });
});

it("run --watch ends cleanly on Ctrl-C", async () => {
  const contract = await deployCounter(main());
  await main().send(contract, "count", [5]);
  const cwd = workplace({
    "c.json": counterConfig({ mainnet: contract }, "event.params.number", { debugging: true }),
  });
  const args = ["run", "c.json", "--rpc", main().url, "--watch", "--output", "ndjson", "--entity", "Note"];
  const child = spawn(process.execPath, [resolve("dist/cli/main.js"), ...args], { cwd, env });
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
