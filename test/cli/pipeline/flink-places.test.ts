import { expect, it } from "vitest";
import { flinkPlaces } from "../../../src/cli/pipeline/flink-places.js";

const others = { integers: "decimal", "from-snapshot": "last" } as const;

it("the parser finds Flink and Kafka in the options", () => {
  expect(flinkPlaces({ ...others })).toBeUndefined();
  expect(flinkPlaces({ ...others, engine: "flink=http://localhost:8083", kafka: "localhost:9092" })).toEqual({
    gateway: "http://localhost:8083",
    kafka: "localhost:9092",
  });
});

it.each([
  [{ kafka: "localhost:9092" }, "--kafka: add --engine flink=<gateway>, which reads its topics."],
  [
    { engine: "flink", kafka: "localhost:9092" },
    "--engine: write flink=<address of the SQL gateway>, such as flink=http://localhost:8083.",
  ],
  [{ engine: "spark=http://localhost", kafka: "localhost:9092" }, "--engine: write flink=<address"],
  [
    { engine: "flink=http://localhost:8083" },
    "--engine flink: pass --kafka <host>:9092, where the topics are that Flink reads.",
  ],
])("the parser refuses %o", (given, message) => {
  expect(() => flinkPlaces({ ...others, ...given })).toThrow(message);
});
