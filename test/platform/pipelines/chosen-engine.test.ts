import { expect, it } from "vitest";
import { chosenEngine } from "../../../src/platform/pipelines/chosen-engine.js";

const gateway = "http://flink:8083/";
const flink = { kind: "flink", integers: "decimal" } as const;

it("is what it was before, if nothing is said of it", () => {
  expect(chosenEngine({}, undefined, gateway)).toBeUndefined();
  expect(chosenEngine({}, { ...flink, integers: "string" }, gateway)).toEqual({
    ...flink,
    integers: "string",
  });
});

it("is Flink, also by the address of the server's gateway", () => {
  expect(chosenEngine({ engine: "flink" }, undefined, gateway)).toEqual(flink);
  expect(chosenEngine({ engine: "flink=http://flink:8083" }, undefined, gateway)).toEqual(flink);
  expect(chosenEngine({ engine: "flink", integers: "string" }, flink, gateway)?.integers).toBe("string");
});

it("is the server again, if that is asked for", () => {
  expect(chosenEngine({ engine: "graphloom" }, flink, gateway)).toBeUndefined();
});

it.each([
  ["another gateway", { engine: "flink=http://elsewhere:8083" }, "engine"],
  ["another engine", { engine: "spark" }, "engine"],
  ["nothing", { engine: "" }, "engine"],
  ["integers without Flink", { integers: "string" }, "integers"],
] as const)("cannot be %s", (_, asked, field) => {
  expect(() => chosenEngine(asked, undefined, gateway)).toThrow(
    expect.objectContaining({ type: "bad-request", errors: [expect.objectContaining({ field })] }),
  );
});

it("cannot be Flink on a server that drives none, which says what to do", () => {
  for (const before of [undefined, flink])
    expect(() => chosenEngine(before ? {} : { engine: "flink" }, before, undefined)).toThrow(
      expect.objectContaining({ type: "unprocessable", message: expect.stringContaining("--flows") }),
    );
});
