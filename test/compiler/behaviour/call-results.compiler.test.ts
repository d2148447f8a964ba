import { beforeAll, describe, expect, test } from "vitest";
import { a, type BuiltScenario, buildScenario, instance } from "./harness.js";
import { type ResultRow, resultRows } from "./result-rows.js";

const abi = resultRows.flatMap(({ returns, small }, i) => [
  `event Case${i}(uint8[] list)`,
  `function read${i}(${small ? "uint8[]" : ""}) view returns (${returns})`,
]);

let built: BuiltScenario;
beforeAll(async () => {
  const handlers = resultRows.map(({ fields, small }, i) => [
    `Case${i}`,
    {
      calls: { r: { name: `read${i}`, required: true, ...(small && { params: "event.params.list" }) } },
      entities: { [`Got${i}`]: fields },
    },
  ]);
  built = await buildScenario({
    abis: { Results: abi },
    instances: [instance("Results", a(1), Object.fromEntries(handlers))],
  });
});

describe("a mapping can read a result of", () => {
  test.each(
    resultRows.map((row, i) => [row.returns, row.small ? "encoded here" : "by the binding", i] as const),
  )("%s, %s", async (_, __, i) => {
    const { answer, stored } = resultRows[i] as ResultRow;
    const played = built.play();
    played.contracts = () => answer;
    await played.emit(abi, a(1), `Case${i}`, [[1n]]);
    expect(played.all(`Got${i}`)).toMatchObject([stored]);
  });
});
