import { buildSchema } from "graphql";
import { expect } from "vitest";
import { parse } from "yaml";
import type { Compilation } from "../../../src/compiler/compilation.js";
import type { Location } from "../../../src/compiler/source/source.js";
import { unsafePath } from "../../../src/compiler/write/safe-path.js";

/** The directives and scalars that graph-node defines. */
const builtIn = `
scalar BigInt
scalar BigDecimal
scalar Bytes
scalar Int8
scalar Timestamp
directive @entity(immutable: Boolean, timeseries: Boolean) on OBJECT
directive @derivedFrom(field: String!) on FIELD_DEFINITION
type Query { a: Int }
`;

function expectInside({ source, start, end }: Location): void {
  expect(start).toBeGreaterThanOrEqual(0);
  expect(end).toBeGreaterThanOrEqual(start);
  expect(end).toBeLessThanOrEqual(source.text.length);
}

/** The types of the schema, after checking that it is valid. */
export function schemaOf({ files }: Compilation) {
  return buildSchema(`${builtIn}${files.get("schema.graphql")}`);
}

/** The manifests, after checking that they are YAML. */
export function manifestsOf({ files }: Compilation): unknown[] {
  return [...files]
    .filter(([path]) => /^subgraph(\..*)?\.yaml$/.test(path))
    .map(([, text]) => parse(String(text), { strict: true, uniqueKeys: true }) as unknown);
}

/** Checks what holds for every result of every configuration. */
export function expectSound(outcome: Compilation): void {
  const { ok, diagnostics, files } = outcome;
  expect(ok).toBe(!diagnostics.some(({ severity }) => severity === "error"));
  for (const { at, related, message } of diagnostics) {
    expect(message.trim()).not.toBe("");
    if (at) expectInside(at);
    for (const place of related) expectInside(place.at);
  }
  if (!ok) {
    expect(files.size).toBe(0);
    return;
  }
  for (const path of files.keys()) expect(unsafePath(path), path).toBeUndefined();
  const folded = [...files.keys()].map((path) => path.toLowerCase());
  expect(new Set(folded).size).toBe(folded.length);
  schemaOf(outcome);
  const manifests = manifestsOf(outcome);
  expect(manifests.length).toBeGreaterThan(0);
  for (const manifest of manifests) expect(manifest).toMatchObject({ dataSources: expect.any(Array) });
}
