import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { generateContract } from "./generate-contract.js";

/** UPDATE_GOLDEN=1 writes the file that the other runs compare. */
const update = process.env.UPDATE_GOLDEN === "1";
const file = new URL("../../src/api/contract.ts", import.meta.url);

describe("the types of the management API", () => {
  it("match its OpenAPI document", () => {
    const generated = generateContract();
    if (update) writeFileSync(file, generated);
    expect(readFileSync(file, "utf8")).toBe(generated);
  });
});
