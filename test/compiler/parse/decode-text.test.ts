import { expect, test } from "vitest";
import { type DecodedText, decodeText } from "../../../src/compiler/parse/decode-text.js";

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));

test.each<[string, Uint8Array, DecodedText]>([
  ["nothing", bytes(), { kind: "text", text: "" }],
  ["one letter", bytes("a"), { kind: "text", text: "a" }],
  ["UTF-8", bytes("é\u{1f600}\r\n"), { kind: "text", text: "é\u{1f600}\r\n" }],
  ["a byte order mark", bytes([0xef, 0xbb, 0xbf], "{}"), { kind: "text", text: "{}" }],
  ["a NUL inside", bytes("{}\0"), { kind: "text", text: "{}\0" }],
  ["a stray byte", bytes("aé", [0xff], "b"), { kind: "invalid", byte: 3, text: "aé" }],
  ["Latin-1", bytes("caf", [0xe9], '"'), { kind: "invalid", byte: 3, text: "caf" }],
  ["a cut sequence", bytes("a", [0xf0, 0x9f, 0x98]), { kind: "invalid", byte: 1, text: "a" }],
  ["a surrogate", bytes("a", [0xed, 0xa0, 0x80]), { kind: "invalid", byte: 1, text: "a" }],
  ["an overlong form", bytes("ab", [0xc0, 0xaf]), { kind: "invalid", byte: 2, text: "ab" }],
  ["a long overlong form", bytes("ab", [0xe0, 0x80, 0x80]), { kind: "invalid", byte: 2, text: "ab" }],
  ["beyond Unicode", bytes([0x61, 0x62, 0xf4, 0x90, 0x80, 0x80]), { kind: "invalid", byte: 2, text: "ab" }],
  ["a mark and a fault", bytes([0xef, 0xbb, 0xbf], "ab", [0xff]), { kind: "invalid", byte: 5, text: "ab" }],
  ["UTF-16 LE with a mark", bytes([0xff, 0xfe], [0x7b, 0]), { kind: "other-encoding", encoding: "UTF-16" }],
  ["UTF-16 BE with a mark", bytes([0xfe, 0xff], [0, 0x7b]), { kind: "other-encoding", encoding: "UTF-16" }],
  ["UTF-16 LE without", bytes([0x7b, 0, 0x7d, 0]), { kind: "other-encoding", encoding: "UTF-16" }],
  ["UTF-16 BE without", bytes([0, 0x7b, 0, 0x7d]), { kind: "other-encoding", encoding: "UTF-16" }],
  ["UTF-32 LE", bytes([0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0]), { kind: "other-encoding", encoding: "UTF-32" }],
  ["UTF-32 BE", bytes([0, 0, 0xfe, 0xff, 0, 0, 0, 0x7b]), { kind: "other-encoding", encoding: "UTF-32" }],
])("decodeText decodes %s, or says which byte is wrong", (_, given, want) => {
  expect(decodeText(given)).toEqual(want);
});
