import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import {
  absolute,
  extreme,
  integerOf,
  isLess,
  limbsOf,
  negative,
} from "../../../../src/pipelines/flink/print/text-integers.js";

const integers: readonly bigint[] = [
  0n,
  1n,
  -1n,
  9n,
  10n,
  -10n,
  ...[26n, 38n, 52n, 77n].flatMap((digits) =>
    [-1n, 0n, 1n].flatMap((more) => [10n ** digits + more, -(10n ** digits) + more]),
  ),
  2n ** 256n - 1n,
  2n ** 255n - 1n,
  -(2n ** 255n),
];

/** An expression of Flink as DuckDB reads it: its patterns look ahead in no other way. */
function inDuckDb(expression: string): string {
  return expression.replaceAll("'^0+(?=[0-9])', ''", "'^0+([0-9])', '\\1'");
}

it("integers of 256 bits as text are compared and added like numbers", async () => {
  const database = await (await DuckDBInstance.create(":memory:")).connect();
  const ask = async (sql: string): Promise<readonly unknown[][]> =>
    (await database.runAndReadAll(inDuckDb(sql))).getRowsJson();
  try {
    await database.run(`CREATE TABLE t AS SELECT unnest([${integers.map((one) => `'${one}'`)}, NULL]) AS v`);
    const [[sum, least, greatest, most, nothing] = []] = await ask(
      `SELECT ${integerOf(limbsOf("v").map((limb) => `SUM(${limb})`))}, ${extreme("MIN", "v", "")},
        ${extreme("MAX", "v", "")}, ${extreme("MAX", "v", "(v LIKE '-%')")}, ${extreme("MIN", "v", "(v = 'x')")} FROM t`,
    );
    expect([sum, least, greatest, most, nothing]).toEqual([
      String(integers.reduce((all, one) => all + one)),
      String(-(10n ** 77n) - 1n),
      String(2n ** 256n - 1n),
      "-1",
      null,
    ]);
    const [a, b] = [limbsOf("a.v"), limbsOf("b.v")];
    const combined = (sign: string): string =>
      integerOf(a.map((limb, index) => `(${limb} ${sign} ${b[index]})`));
    const pairs = await ask(
      `SELECT a.v, b.v, ${combined("+")}, ${combined("-")}, ${isLess("a.v", "b.v")} FROM t a, t b`,
    );
    const given = [...integers, undefined];
    expect(pairs).toHaveLength(given.length ** 2);
    for (const [one, other, ...computed] of pairs) {
      const [left, right] = [one, other].map((text) => (text === null ? undefined : BigInt(String(text))));
      const isKnown = left !== undefined && right !== undefined;
      const expected = isKnown
        ? [String(left + right), String(left - right), left < right]
        : [null, null, null];
      expect(computed, `${one} and ${other}`).toEqual(expected);
    }
    const signs = await ask(`SELECT v, ${negative("v")}, ${absolute("v")} FROM t WHERE v IS NOT NULL`);
    for (const [text, ...computed] of signs) {
      const value = BigInt(String(text));
      expect(computed).toEqual([String(-value), String(value < 0n ? -value : value)]);
    }
  } finally {
    database.closeSync();
  }
});
