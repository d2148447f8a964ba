import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { beginAuthorization, readResult } from "../../../src/cli/login/authorization.js";

let drawn = 0;
const begin = (url: string) =>
  beginAuthorization(url, "http://127.0.0.1:1/callback", (bytes) => {
    drawn += 1;
    return new Uint8Array(bytes).fill(drawn);
  });

describe("an authorization request", () => {
  it("sends a challenge and keeps the verifier secret", () => {
    const { page, state, verifier } = begin("https://a.example/api/v1");
    const { origin, pathname, searchParams } = new URL(page);
    expect(origin + pathname).toBe("https://a.example/authorize");
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: "graphloom-cli",
      redirect_uri: "http://127.0.0.1:1/callback",
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      state,
    });
    expect(page).not.toContain(verifier);
    expect([state, verifier].map((text) => text.length)).toEqual([43, 43]);
    expect(state).not.toBe(verifier);
  });

  it.each([
    ["https://a.example", "https://a.example/authorize"],
    ["https://a.example/graphs/api/v1", "https://a.example/graphs/authorize"],
    ["https://a.example/other", "https://a.example/other/authorize"],
  ])("to the API %s goes to the page %s", (url, page) => {
    expect(begin(url).page.split("?")[0]).toBe(page);
  });
});

describe("the answer that a browser delivers", () => {
  const read = (query: string) => readResult(new URLSearchParams(query), { state: "s5" });

  it("is a code or a refusal if it carries the right state", () => {
    expect(read("code=glc_a-_1&state=s5")).toEqual({ code: "glc_a-_1" });
    expect(read("error=access_denied&state=s5")).toEqual({ refusal: "access_denied" });
  });

  it.each([
    "code=glc_a",
    "code=glc_a&state=",
    "code=glc_a&state=s6",
    "code=glc_a&state=s5&state=s5",
    "code=glc_a&state=s5x",
    "error=access_denied",
    "state=s5",
    "code=&state=s5",
    "code=glu_a&state=s5",
    `code=glc_${"a".repeat(101)}&state=s5`,
  ])("is ignored if the state or the code is invalid: %s", (query) => {
    expect(read(query)).toBeUndefined();
  });
});
