import { describe, expect, it } from "vitest";
import type { Part } from "../../../src/web/http/http-request.js";
import { encodeMultipart } from "../../../src/web/http/multipart.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const file = (name: string, content: Uint8Array, filename = `${name}.bin`): Part => ({
  name,
  filename,
  contentType: "application/octet-stream",
  bytes: content,
});
const encoded = (...parts: Part[]): Buffer => Buffer.concat([...encodeMultipart(parts).chunks()]);
const boundaryOf = (...parts: Part[]): string =>
  encodeMultipart(parts).contentType.replace("multipart/form-data; boundary=", "");

/** The entries that another implementation reads, with bytes in base64. */
async function decoded(...parts: Part[]): Promise<[string, string | [string, string, string]][]> {
  const headers = { "content-type": encodeMultipart(parts).contentType };
  const form = await new Response(encoded(...parts), { headers }).formData();
  const entries: [string, string | [string, string, string]][] = [];
  for (const [name, value] of form) {
    if (typeof value === "string") entries.push([name, value]);
    else {
      const content = Buffer.from(await value.arrayBuffer());
      entries.push([name, [value.name, value.type, content.toString("base64")]]);
    }
  }
  return entries;
}

describe("a form", () => {
  it("is encoded as in the standard, with text fields first", () => {
    const parts: Part[] = [file("bundle", bytes("PK"), "b.zip"), { name: "start_block", value: "12" }];
    const boundary = boundaryOf(...parts);
    expect(String(encoded(...parts))).toBe(
      [
        `--${boundary}`,
        'content-disposition: form-data; name="start_block"',
        "",
        "12",
        `--${boundary}`,
        'content-disposition: form-data; name="bundle"; filename="b.zip"',
        "content-type: application/octet-stream",
        "",
        "PK",
        `--${boundary}--`,
        "",
      ].join("\r\n"),
    );
  });

  it("is read unchanged by another implementation", async () => {
    const content = Uint8Array.from({ length: 200_000 }, (_, index) => (index * 7) % 256);
    const parts: Part[] = [
      { name: "description", value: 'pools — "größer"\r\n--x\r\n' },
      { name: "empty", value: "" },
      file("bundle", content),
      file("nothing", new Uint8Array()),
    ];
    expect(await decoded(...parts)).toEqual([
      ["description", 'pools — "größer"\r\n--x\r\n'],
      ["empty", ""],
      ["bundle", ["bundle.bin", "application/octet-stream", Buffer.from(content).toString("base64")]],
      ["nothing", ["nothing.bin", "application/octet-stream", ""]],
    ]);
  });

  it("escapes names as browsers do", () => {
    expect(String(encoded(file('a"b\r\nc', bytes(""), 'd"e\r\nf')))).toContain(
      'form-data; name="a%22b%0D%0Ac"; filename="d%22e%0D%0Af"\r\n',
    );
  });

  it("has the length it reports, in chunks of at most 64 KiB", () => {
    const form = encodeMultipart([{ name: "a", value: "ü" }, file("b", new Uint8Array(1_000_001))]);
    const sizes = [...form.chunks()].map((chunk) => chunk.length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(form.length);
    expect(Math.max(...sizes)).toBe(65_536);
  });

  it("is identical for equal parts, and uses a different boundary for different ones", () => {
    const one = { name: "a", value: "1" };
    expect(encoded(one, file("b", bytes("x")))).toEqual(encoded(one, file("b", bytes("x"))));
    const boundaries = [
      boundaryOf(one),
      boundaryOf({ name: "a", value: "2" }),
      boundaryOf({ name: "b", value: "1" }),
      boundaryOf(one, file("b", bytes("x"))),
      boundaryOf(one, file("b", bytes("y"))),
    ];
    expect(new Set(boundaries).size).toBe(boundaries.length);
  });
});
