import { expect, it } from "vitest";
import { importStatement } from "../../../src/compiler/emit/import-statement.js";

const from = "../generated/schema";
const fitting = "A".repeat(80 - 'import {  } from "../generated/schema";'.length);

it.each([
  [["Transfer"], 'import { Transfer } from "../generated/schema";'],
  [["b", "a", "B as C", "A"], 'import { A, B as C, a, b } from "../generated/schema";'],
  // 80 characters fit, 81 do not.
  [[fitting], `import { ${fitting} } from "../generated/schema";`],
  [[`${fitting}A`], `import {\n  ${fitting}A,\n} from "../generated/schema";`],
  [
    ["B".repeat(30), "A".repeat(30)],
    `import {\n  ${"A".repeat(30)},\n  ${"B".repeat(30)},\n} from "../generated/schema";`,
  ],
])("an import of %j is wrapped at 80 characters", (names, want) => {
  const given = [...names];
  expect(importStatement(names, from)).toBe(want);
  expect(names).toEqual(given);
});
