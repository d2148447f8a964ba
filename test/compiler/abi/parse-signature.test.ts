import { describe, expect, it } from "vitest";
import { parseSignature, writtenSignatureText } from "../../../src/compiler/abi/parse-signature.js";

/** The signature in short, as `event Transfer(address,uint256) i-` (`i` for indexed), or what was expected where. */
function read(text: string): string {
  const signature = parseSignature(text);
  if ("expected" in signature) return `${signature.offset}: ${signature.expected}`;
  const indexed = signature.parameters?.map((parameter) => (parameter.indexed ? "i" : "-")).join("") ?? "";
  const keyword = signature.keyword ? `${signature.keyword} ` : "";
  return `${keyword}${writtenSignatureText(signature)}${indexed && ` ${indexed}`}`;
}

describe("a valid signature", () => {
  it.each([
    ["Transfer", "Transfer"],
    ["  Transfer\n", "Transfer"],
    ["event Transfer", "event Transfer"],
    ["function mint", "function mint"],
    ["Transfer()", "Transfer()"],
    ["Transfer(address,address,uint256)", "Transfer(address,address,uint256) ---"],
    ["Transfer(indexed address,indexed address,uint256)", "Transfer(address,address,uint256) ii-"],
    [
      "Transfer(address indexed from, address indexed to, uint256 value)",
      "Transfer(address,address,uint256) ii-",
    ],
    [
      "event Transfer(address indexed from, address indexed to, uint256 value);",
      "event Transfer(address,address,uint256) ii-",
    ],
    ["event Debug(uint a) anonymous;", "event Debug(uint256) -"],
    ["  event\tTransfer ( address ,\n address )  ", "event Transfer(address,address) --"],
    ["function f(uint a, int b) external view returns (uint256, bool)", "function f(uint256,int256) --"],
    [
      "function f(string memory a, bytes calldata b, address payable c) public payable",
      "function f(string,bytes,address) ---",
    ],
    ["f(byte,uint8,int24,bytes32)", "f(bytes1,uint8,int24,bytes32) ----"],
    ["f(uint256[],uint[3][],address[2][3])", "f(uint256[],uint256[3][],address[2][3]) ---"],
    ["f(uint256 [ ] , uint256[ 3 ])", "f(uint256[],uint256[3]) --"],
    ["f((address,uint256),bool)", "f((address,uint256),bool) --"],
    ["f(tuple(address a, uint b) x, bool)", "f((address,uint256),bool) --"],
    ["f(tuple(address,(bool,string[])[2])[] memory x)", "f((address,(bool,string[])[2])[]) -"],
    ["f(indexed tuple(address a) x)", "f((address)) i"],
    ["f(())", "f(()) -"],
    ["event()", "event()"],
    ["function(uint256)", "function(uint256) -"],
    ["event", "event"],
    ["event event(address)", "event event(address) -"],
    ["$f_1(address)", "$f_1(address) -"],
    ["f(address indexed indexed)", "f(address) i"],
    ["f(Foo)", "f(Foo) -"],
    ["__proto__(address constructor)", "__proto__(address) -"],
  ])("%j is read as %j", (text, want) => {
    expect(read(text)).toBe(want);
  });

  it("may nest structs 64 deep", () => {
    const types = `${"(".repeat(64)}uint256${")".repeat(64)}`;
    expect(read(`f(${types})`)).toBe(`f(${types}) -`);
  });
});

describe("an invalid signature", () => {
  it.each([
    ["", "0: the name of an event or function"],
    [" ", "1: the name of an event or function"],
    ["1f", "0: the name of an event or function"],
    ["f(", "2: a type"],
    ["f(address", '9: ")"'],
    ["f(address,", "10: a type"],
    ["f(address,)", "10: a type"],
    ["f(,)", "2: a type"],
    ["f(address))", "10: nothing more"],
    ["f(address) {", "11: nothing more"],
    ["f(address a b)", '12: ")"'],
    ["f address", '2: "("'],
    ["f.g(address)", '1: "("'],
    ["f(uint256[)", '9: ")"'],
    ["f(uint256[-1])", '9: ")"'],
    ["f(uint256[0x2])", '9: ")"'],
    ["f(address) returns", '18: "("'],
    ["f(address);;", "11: nothing more"],
    ["f(address); f(bool)", "12: nothing more"],
    ["event 1", "6: a name"],
    ["f(address\u0000)", '9: ")"'],
    ["f\u202e(address)", '1: "("'],
    [`f(${"(".repeat(100)}uint256${")".repeat(100)})`, "66: at most 64 nested structs"],
  ])("%j is refused at %j", (text, want) => {
    expect(read(text)).toBe(want);
  });

  it.each([
    ["dimensions", `f(uint256${"[]".repeat(20_000)})`],
    ["structs", `f(${"(".repeat(20_000)}`],
    ["parameters", `f(${"uint256,".repeat(20_000)}`],
    ["white space", `f${" ".repeat(200_000)}x`],
    ["modifiers", `f()${" a".repeat(20_000)}!`],
  ])("is refused at once, even with very many %s", (_, text) => {
    expect(() => parseSignature(text)).not.toThrow();
  });
});
