import { expect, it } from "vitest";
import { Scalar, stringify } from "yaml";
import { foldLines } from "../../../src/compiler/emit/build-files.js";

/** An event with that many parameters, some of them indexed. */
function event(count: number, indexed: number): string {
  const types = ["address", "bytes32", "uint256", "uint256[]", "(address,int24)[]"];
  const parameters = Array.from({ length: count }, (_, place) => {
    return `${(indexed >> place) & 1 ? "indexed " : ""}${types[(place * 3 + count) % types.length]}`;
  });
  return `${"Something".repeat(1 + (count % 3))}(${parameters.join(",")})`;
}

it("foldLines folds events as the YAML library of graph build does", () => {
  let folds = 0;
  for (let count = 1; count < 20; count++) {
    for (let indexed = 0; indexed < 2 ** Math.min(count, 9); indexed += 3) {
      const source = { mapping: { eventHandlers: [{ event: event(count, indexed), handler: "handle" }] } };
      const manifest = { specVersion: "1.2.0", dataSources: [source] };
      const whole = stringify(manifest, { lineWidth: 0 });
      const theirs = stringify(manifest, { defaultKeyType: Scalar.PLAIN, lineWidth: 90 });
      expect(foldLines(whole)).toBe(theirs);
      if (theirs !== whole) folds += 1;
    }
  }
  expect(folds).toBeGreaterThan(100);
});

it("foldLines leaves quoted and short values alone", () => {
  const manifest = `address: "0x${"a ".repeat(60)}"\nevent: Short(indexed address)\n`;
  expect(foldLines(manifest)).toBe(manifest);
});
