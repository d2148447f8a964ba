import { expect, it } from "vitest";
import { datasetKinds } from "../../src/datasets/tables/dataset.js";
import { datasetNamed, datasets } from "../../src/datasets/tables/datasets.js";

it.each(datasetKinds)("%s has an example with a value for each column, of the column's type", (kind) => {
  const { columns, example } = datasets[kind];
  expect(Object.keys(example).sort()).toEqual(columns.map(({ name }) => name).sort());
  for (const { name, type, nullable } of columns) {
    const value = example[name];
    if (value === null) expect(nullable, name).toBe(true);
    else if (type === "LONG" || type === "DOUBLE") expect(typeof value, name).toBe("number");
    else if (type === "ARRAY<STRING>") expect(Array.isArray(value), name).toBe(true);
    else expect(typeof value, name).toBe("string");
  }
});

it.each(datasetKinds)("%s has columns of different names, described in a few words", (kind) => {
  const names = datasets[kind].columns.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { description } of datasets[kind].columns) expect(description).toMatch(/^.{5,110}$/);
});

it("a dataset is found by its kind and by its aliases", () => {
  expect(datasetNamed("raw_logs")).toBe(datasets.raw_logs);
  expect(datasetNamed("logs")).toBe(datasets.raw_logs);
  expect(datasetNamed("log")).toBeUndefined();
});
