import { expect, it } from "vitest";
import { chosenEngine } from "../../../src/platform/pipelines/chosen-engine.js";

const driven = { gateway: "http://flink:8083/", admits: (project: string) => project === "own" };
const flink = { kind: "flink", integers: "string" } as const;

it("the engine of a pipeline stays the same if the definition does not name one", () => {
  expect(chosenEngine({}, undefined, "own", driven)).toBeUndefined();
  expect(chosenEngine({}, { ...flink, integers: "decimal" }, "own", driven)).toEqual({
    ...flink,
    integers: "decimal",
  });
});

it("the engine of a pipeline is Flink, also by the address of the server's gateway", () => {
  expect(chosenEngine({ engine: "flink" }, undefined, "own", driven)).toEqual(flink);
  expect(chosenEngine({ engine: "flink=http://flink:8083" }, undefined, "own", driven)).toEqual(flink);
  expect(chosenEngine({ engine: "flink", integers: "decimal" }, flink, "own", driven)?.integers).toBe(
    "decimal",
  );
});

it("the engine of a pipeline is the server again on request", () => {
  expect(chosenEngine({ engine: "graphloom" }, flink, "own", driven)).toBeUndefined();
});

it.each([
  ["another gateway", { engine: "flink=http://elsewhere:8083" }, "engine"],
  ["another engine", { engine: "spark" }, "engine"],
  ["nothing", { engine: "" }, "engine"],
  ["integers without Flink", { integers: "string" }, "integers"],
] as const)("the engine of a pipeline cannot be %s", (_, asked, field) => {
  expect(() => chosenEngine(asked, undefined, "own", driven)).toThrow(
    expect.objectContaining({ type: "bad-request", errors: [expect.objectContaining({ field })] }),
  );
});

it("the engine of a pipeline cannot be Flink on a server without Flink, and the message says what to do", () => {
  for (const before of [undefined, flink])
    expect(() => chosenEngine(before ? {} : { engine: "flink" }, before, "own", undefined)).toThrow(
      expect.objectContaining({ type: "unprocessable", message: expect.stringContaining("--flows") }),
    );
});

it("the engine of a pipeline cannot be Flink for a project without a login, and the message says whom to ask", () => {
  expect(() => chosenEngine({ engine: "flink" }, undefined, "other", driven)).toThrow(
    expect.objectContaining({
      type: "unprocessable",
      message: expect.stringContaining("no login for Kafka"),
    }),
  );
  expect(chosenEngine({ engine: "graphloom" }, flink, "other", driven)).toBeUndefined();
});
