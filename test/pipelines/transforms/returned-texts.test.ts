import { expect, it } from "vitest";
import { valueFromJson } from "../../../src/pipelines/changes/value-from-json.js";
import { madeRows } from "../../../src/pipelines/script/script-values.js";
import { oddTexts, zeroTexts } from "../../support/pipelines/odd-texts.js";

const texts = Object.values({ ...oddTexts, ...zeroTexts });
const cut = { given: ["USD\ud83d", "\ude00", "\ud800\ud800"], held: ["USD\ufffd", "\ufffd", "\ufffd\ufffd"] };

it("a script returns every text unchanged, and half of a surrogate pair as U+FFFD", () => {
  const columns = [{ name: "text", type: "string" }] as const;
  const returned = (given: readonly string[]): unknown =>
    madeRows(JSON.stringify(given.map((text) => [text])), 0, columns).flat();
  expect(returned(texts)).toEqual(texts);
  expect(returned(cut.given)).toEqual(cut.held);
});

it("a handler returns every text unchanged, and half of a surrogate pair as U+FFFD", () => {
  const answered = (given: readonly string[]): unknown => given.map((text) => valueFromJson(text, "STRING"));
  expect(answered(texts)).toEqual(texts);
  expect(answered(cut.given)).toEqual(cut.held);
  expect(valueFromJson(texts, "ARRAY<STRING>")).toEqual(texts);
  expect(valueFromJson(cut.given, "ARRAY<STRING>")).toEqual(cut.held);
});
