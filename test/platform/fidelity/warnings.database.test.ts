import { expect, test } from "vitest";
import { recordedCases } from "./recorded.js";
import { Stage } from "./stage.js";

test("the log warns once about each part of a build that will fail", async () => {
  const stage = await Stage.open();
  try {
    const cases = recordedCases.filter(({ name }) => name === "c4-event-noabi" || name === "c4-wildcard");
    for (const one of cases) await stage.deploy(one);
    for (const moment of ["15", "21"] as const) {
      await stage.start();
      await stage.moveTo(moment);
      await stage.moveTo("restarted");
    }
    const logs = await Promise.all(cases.map((one) => stage.log(one)));
    const warnings = logs.map((lines) => lines.filter(({ level }) => level === "warn"));
    expect(warnings.map((lines) => lines.length)).toEqual([1, 0]);
    expect(warnings[0]?.[0]?.text).toMatch(
      /^dataSources\[0\].*event is Zed\(indexed uint256,uint128\), which the ABI Lab does not have/,
    );
  } finally {
    await stage.close();
  }
});
