import { expect, test } from "vitest";
import { splitList } from "../../../src/compiler/scaffold/split-list.js";

test.each<[string, string[]]>([
  ["a", ["a"]],
  ["a,b", ["a", "b"]],
  [" a , b ", ["a", "b"]],
  ["a,", ["a", ""]],
  ["", [""]],
  [",", ["", ""]],
  ["T(address,uint256),U", ["T(address,uint256)", "U"]],
  [
    "T((address,bytes)[],bool), event U(uint256 a, uint256 b)",
    ["T((address,bytes)[],bool)", "event U(uint256 a, uint256 b)"],
  ],
  ["T(address,U", ["T(address,U"]],
  ["T),U,V", ["T)", "U", "V"]],
])("splitList splits %j", (text, entries) => {
  expect(splitList(text)).toEqual(entries);
});
