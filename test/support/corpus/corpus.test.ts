import { describe, expect, test } from "vitest";
import { type CorpusEntry, corpus, loadAbi } from "./corpus.js";
import { features, featuresOf } from "./features.js";

const real = corpus.filter((entry) => entry.package !== "made");

/** Features that no real ABI of an installable package has. Only handwritten ABIs show them. */
const madeOnly = ["anonymous-event"];

describe("the corpus", () => {
  test("holds at least sixty real contracts", () => {
    expect(real.length).toBeGreaterThanOrEqual(60);
  });

  test("names every contract once", () => {
    expect(new Set(corpus.map(({ id }) => id)).size).toBe(corpus.length);
    expect(new Set(corpus.map(({ file }) => file)).size).toBe(corpus.length);
  });

  test("holds no interface twice", () => {
    expect(new Set(corpus.map((entry) => interfaceOf(entry))).size).toBe(corpus.length);
  });

  test.each(corpus)("has events and exactly the listed features in $id", (entry) => {
    const abi = loadAbi(entry);
    expect(abi.some(({ type }) => type === "event")).toBe(true);
    expect(entry.features).toEqual(featuresOf(abi));
  });

  test.each(features)("has a contract with %s", (feature) => {
    expect(corpus.some((entry) => entry.features.includes(feature))).toBe(true);
    expect(real.some((entry) => entry.features.includes(feature))).toBe(!madeOnly.includes(feature));
  });
});

/** An ABI without the order of its entries and without parts that the chain does not see. */
function interfaceOf(entry: CorpusEntry): string {
  return loadAbi(entry)
    .filter(({ type }) => type === "event" || type === "function")
    .map(({ type, name, inputs, outputs }) => JSON.stringify([type, name, inputs, outputs]))
    .sort()
    .join("\n");
}
