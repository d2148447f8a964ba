import { expect, test } from "vitest";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import { load } from "../../../src/compiler/load/load.js";
import { validate } from "../../../src/compiler/validate/validate.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { dataSource, minimal } from "./harness.js";

test("validation validates five thousand instances and an ABI of eight thousand events in seconds", async () => {
  const events = Array.from({ length: 8000 }, (_, index) => ({
    type: "event",
    name: `Event${index}`,
    inputs: Array.from({ length: 8 }, (_, i) => ({
      name: `parameter${i}`,
      type: "uint256",
      internalType: "uint256",
      padding: "x".repeat(60),
    })),
  }));
  const instances = Array.from({ length: 5000 }, (_, index) => ({
    ...dataSource,
    address: `0x${index.toString(16).padStart(40, "0")}`,
  }));
  const config = JSON.stringify(minimal({ abis: { a: { path: "a.json" } }, instances }));
  const host = memoryHost({ "c.json": config, "a.json": JSON.stringify(events) });
  const report = new Report();
  const loaded = await load("c.json", host, report);
  const project = loaded && validate(loaded, report);
  expect(project?.abis[0]?.abi.events).toHaveLength(8000);
  expect(project?.instances).toHaveLength(5000);
});
