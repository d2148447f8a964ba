import { expect, it } from "vitest";
import { answerText, readAnswer } from "../../../src/datasets/archive/json-answer.js";

it("keeps integers of any size, wherever they are in an answer", () => {
  const answer = {
    list: [1n, { deep: -(2n ** 256n) }, [[2n ** 255n]]],
    plain: [1, "1", true, null, { bigint: 5 }],
    none: {},
  };
  expect(readAnswer(answerText(answer))).toEqual(answer);
  expect(readAnswer(answerText(7n))).toBe(7n);
});

it("refuses a text that is cut off", () => {
  expect(() => readAnswer('{"a":')).toThrow(SyntaxError);
});
