import { expect, test } from "vitest";
import { recordedCases } from "./recorded.js";
import { Stage } from "./stage.js";

test("a retried block is reported with the number of attempts and the time of the first, even after a restart", async () => {
  const stage = await Stage.open();
  try {
    const cases = recordedCases.filter(({ name }) => name === "c9-xmissing");
    await stage.moveTo("15");
    for (const one of cases) await stage.deploy(one);
    const told: string[] = [];
    const fields: unknown[] = [];
    for (const moment of ["15", "21", "restarted"] as const) {
      await stage.moveTo(moment);
      await stage.start();
      for (const one of cases) {
        const { status } = await stage.sample(one, moment);
        expect(status).toMatchObject({ health: "failed", latestBlock: "1", nonFatalErrors: [] });
        told.push(status.fatalError?.message ?? "");
        fields.push(await stage.retries(one));
      }
    }
    const [first, since] = /\(tried once since (\S+), and will be tried again\)$/.exec(told[0] ?? "") ?? [];
    expect(first).toBeDefined();
    expect(told.slice(1)).toEqual(
      [2, 3].map((times) =>
        expect.stringMatching(
          new RegExp(`\\(tried ${times} times since ${since}, and will be tried again\\)$`),
        ),
      ),
    );
    const failingSince = Date.parse(since ?? "");
    expect(fields).toEqual([1, 2, 3].map((attempts) => ({ failingSince, attempts })));
    await stage.moveTo("restarted");
    const lines = await Promise.all(cases.map((one) => stage.log(one)));
    expect(lines.flat().filter(({ level }) => level === "error")[0]?.text).toMatch(
      /^Failed in the handler xMissing of Lab, block 2: .* Retrying in 2\.0 s$/,
    );
  } finally {
    await stage.close();
  }
});

test("a subgraph that fails in its first block answers queries as of the block before it", async () => {
  const stage = await Stage.open();
  try {
    const [found] = recordedCases.filter(({ name }) => name === "c9-xmissing");
    if (!found) throw new Error("there is no such case");
    const text = JSON.stringify(found.manifest).replaceAll(/"startBlock":\d+/g, '"startBlock":2');
    const queries = [
      "{ _meta { block { number hash } hasIndexingErrors } ps { id } }",
      "{ ps(block: { number: 1 }) { id } }",
    ];
    const one = { ...found, manifest: JSON.parse(text), queries };
    await stage.moveTo("15");
    await stage.deploy(one);
    await stage.start();
    const { status, answers } = await stage.sample(one, "15");
    expect(status).toMatchObject({ health: "failed", latestBlock: "1", earliestBlock: "1" });
    expect(status.fatalError).toMatchObject({ block: "2", deterministic: false });
    const block = { number: 1, hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) };
    expect(answers).toEqual([
      { data: { _meta: { block, hasIndexingErrors: false }, ps: [] } },
      { data: { ps: [] } },
    ]);
  } finally {
    await stage.close();
  }
});
