import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { fieldErrors } from "../../../src/platform/http/field-errors.js";

const judge = new Ajv2020({ allErrors: true }).compile({
  type: "object",
  required: ["name"],
  properties: {
    status: { enum: ["pending", "delivered"] },
    sizes: { type: "array", items: { type: "integer", minimum: 1 } },
  },
});

describe("the invalid fields of a request", () => {
  it("are named with what they accept", () => {
    judge({ status: "gone", sizes: [1, 0] });
    expect(fieldErrors(judge.errors ?? [])).toEqual([
      { field: "name", message: "is required" },
      { field: "status", message: "must be one of pending, delivered" },
      { field: "sizes.1", message: "must be >= 1" },
    ]);
  });
});
