import { expect, it } from "vitest";
import { answerText, readAnswer } from "../../../src/datasets/archive/json-answer.js";

it("readAnswer keeps integers of any size, at any place in an answer", () => {
  const answer = {
    list: [1n, { deep: -(2n ** 256n) }, [[2n ** 255n]]],
    plain: [1, "1", true, null, { bigint: 5 }],
    none: {},
  };
  expect(readAnswer(answerText(answer))).toEqual(answer);
  expect(readAnswer(answerText(7n))).toBe(7n);
});

it("readAnswer refuses a text that is cut off", () => {
  expect(() => readAnswer('{"a":')).toThrow(SyntaxError);
});
