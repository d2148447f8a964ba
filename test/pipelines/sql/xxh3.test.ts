import { expect, it } from "vitest";
import { xxh3 } from "../../../src/pipelines/sql/xxh3.js";

/** Computed by the algorithm's own implementation. */
it.each([
  [0, "99aa06d3014798d86001c324468d497f"],
  [3, "06b05ab6733a618578af5f94892f3950"],
  [8, "dac23237af37353342b702b313880f12"],
  [16, "c3555e9fce55174a569c0672a88c3a88"],
  [32, "ee98eb0143fdd5f4bb2ffe382bf16020"],
  [66, "9a3b7d9df654c1aac9610af30c2d4be0"],
  [128, "75106b793cdb0b8871a053c2199515fd"],
  [200, "a1313b3263cf2dd86ba524de460065aa"],
  [240, "e19dd61ae6f5930739d1100c985b9b88"],
  [241, "e2cad0e2fe09c422703bd1488442d436"],
  [1024, "ba7eac100dcb27af39f2d226becfe36b"],
  [1025, "baa4268094a36c998f4555650cd4953d"],
  [2500, "406548b874aba4aeb7eab76f96595307"],
])("%d characters have the hash that XXH3 with 128 bits gives", (length, hash) => {
  expect(xxh3("abcdefghij".repeat(250).slice(0, length))).toBe(hash);
});

it("other characters count as their bytes in UTF-8", () => {
  expect(xxh3("ä€😀")).toBe("833ac40700fc35ce4558bd142a7fe2ac");
});
