import { handleReservedWord } from "@graphprotocol/graph-cli/dist/codegen/util.js";
import { expect, test } from "vitest";
import { escapeReserved, reservedWords } from "../../../src/compiler/abi/reserved-words.js";
import { words } from "./words.js";

test.each([...new Set([...words, ...reservedWords])])("the compiler escapes %s as graph-cli does", (word) => {
  expect(escapeReserved(word)).toBe(handleReservedWord(word));
});
