import { expect, it } from "vitest";
import { standardSql } from "../../../src/pipelines/sql/standard-sql.js";

it.each([
  ["SELECT `data` FROM `a`", 'SELECT "data" FROM "a"'],
  ["SELECT * EXCEPT (a, b) FROM t", "SELECT * EXCLUDE(a, b) FROM t"],
  ["SELECT t.*\n  except  (a) FROM t", "SELECT t.*\n  EXCLUDE (a) FROM t"],
  ["SELECT CAST(a AS ARRAY<INTEGER>) FROM t", "SELECT CAST(a AS INTEGER[]     ) FROM t"],
  ["SELECT * EXCEPT(a) FROM t", "SELECT *EXCLUDE(a) FROM t"],
  ["SELECT t.*EXCEPT(a)\nFROM t", "SELECT t.*EXCLUDE a\nFROM t"],
  ["SELECT *EXCEPT(`a`,b) FROM t", 'SELECT *EXCLUDE("a",b)FROM t'],
  ["SELECT *EXCEPT(a, b)\nFROM t", "SELECT *EXCLUDE(a,b)\nFROM t"],
])("%s becomes what DuckDB reads, at the same length", (text, standard) => {
  expect(standardSql(text)).toBe(standard);
  expect(standard).toHaveLength(text.length);
});

it.each([
  "SELECT a FROM t EXCEPT (SELECT a FROM u)",
  "SELECT '* EXCEPT (a)', \"* EXCEPT (a)\" -- * EXCEPT (a)",
  "/* `a` * EXCEPT (a) */ SELECT '`'",
  "SELECT a * exceptional(b)",
  "SELECT 'ARRAY<INT>', array < b FROM t",
])("%s stays unchanged", (text) => {
  expect(standardSql(text)).toBe(text);
});
