import { expect, it } from "vitest";
import { chosenEngine } from "../../../src/platform/pipelines/chosen-engine.js";

const driven = { gateway: "http://flink:8083/", admits: (project: string) => project === "own" };
const flink = { kind: "flink", integers: "decimal" } as const;

it("is what it was before, if nothing is said of it", () => {
  expect(chosenEngine({}, undefined, "own", driven)).toBeUndefined();
  expect(chosenEngine({}, { ...flink, integers: "string" }, "own", driven)).toEqual({
    ...flink,
    integers: "string",
  });
});

it("is Flink, also by the address of the server's gateway", () => {
  expect(chosenEngine({ engine: "flink" }, undefined, "own", driven)).toEqual(flink);
  expect(chosenEngine({ engine: "flink=http://flink:8083" }, undefined, "own", driven)).toEqual(flink);
  expect(chosenEngine({ engine: "flink", integers: "string" }, flink, "own", driven)?.integers).toBe(
    "string",
  );
});

it("is the server again, if that is asked for", () => {
  expect(chosenEngine({ engine: "graphloom" }, flink, "own", driven)).toBeUndefined();
});

it.each([
  ["another gateway", { engine: "flink=http://elsewhere:8083" }, "engine"],
  ["another engine", { engine: "spark" }, "engine"],
  ["nothing", { engine: "" }, "engine"],
  ["integers without Flink", { integers: "string" }, "integers"],
] as const)("cannot be %s", (_, asked, field) => {
  expect(() => chosenEngine(asked, undefined, "own", driven)).toThrow(
    expect.objectContaining({ type: "bad-request", errors: [expect.objectContaining({ field })] }),
  );
});

it("cannot be Flink on a server that drives none, which says what to do", () => {
  for (const before of [undefined, flink])
    expect(() => chosenEngine(before ? {} : { engine: "flink" }, before, "own", undefined)).toThrow(
      expect.objectContaining({ type: "unprocessable", message: expect.stringContaining("--flows") }),
    );
});

it("cannot be Flink for a project that has no login, which says whom to ask", () => {
  expect(() => chosenEngine({ engine: "flink" }, undefined, "other", driven)).toThrow(
    expect.objectContaining({
      type: "unprocessable",
      message: expect.stringContaining("no login for Kafka"),
    }),
  );
  expect(chosenEngine({ engine: "graphloom" }, flink, "other", driven)).toBeUndefined();
});
