import { expect, test } from "vitest";
import { DatabaseError } from "../../../src/store/database/database.js";
import { isDatabaseTrouble } from "../../../src/store/database/database-trouble.js";

test.each([
  "08006",
  "40001",
  "53100",
  "53300",
  "54000",
  "55P03",
  "57P01",
  "58030",
  undefined,
])("an error with the code %s is the database's trouble and is retried", (code) => {
  expect(isDatabaseTrouble(new DatabaseError("no", code === undefined ? {} : { code }))).toBe(true);
});

test.each(["22003", "23505"])("an error with the code %s fails every time", (code) => {
  expect(isDatabaseTrouble(new DatabaseError("no", { code }))).toBe(false);
});

test("an error of the program is not the database's trouble", () => {
  expect(isDatabaseTrouble(new Error("no"))).toBe(false);
});
