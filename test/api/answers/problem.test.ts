import { describe, expect, it } from "vitest";
import { renderProblem } from "../../../src/api/answers/problem.js";
import { readProblem } from "../../../src/api/answers/read-problem.js";
import type { HttpAnswer } from "../../../src/web/http/http-request.js";

const TYPE = "https://api.example.com/api/errors/subgraph-not-found";

function answer(status: number, body: unknown, more: Partial<HttpAnswer> = {}): HttpAnswer {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const bytes = new TextEncoder().encode(text);
  return { status, statusText: "Bad Luck", headers: new Headers(), bytes, text, attempts: 1, ...more };
}
const read = (...args: Parameters<typeof answer>): ReturnType<typeof readProblem> =>
  readProblem("getSubgraph", answer(...args), ["t0ken"]);
const rendered = (...args: Parameters<typeof answer>): string[] =>
  renderProblem(read(...args))
    .split("\n")
    .slice(0, -1);

describe("a problem document", () => {
  it("is rendered with its title, detail, fields and link", () => {
    const document = {
      type: TYPE,
      title: "Validation failed",
      status: 400,
      detail: "Two fields are wrong.",
      instance: "/api/v1/subgraphs/pools",
      errors: [{ field: "name", message: "is too long" }, { message: "there is more" }],
    };
    expect(read(400, document)).toMatchObject({ ...document, operation: "getSubgraph" });
    expect(read(400, document).message).toBe("getSubgraph: Validation failed (400): Two fields are wrong.");
    expect(rendered(400, document)).toEqual([
      "Validation failed (400)",
      "  Two fields are wrong.",
      "  name: is too long",
      "  there is more",
      `  see ${TYPE}`,
    ]);
  });

  it("can be empty", () => {
    const silent = { type: "about:blank", title: "Bad Luck", status: 404, errors: [] };
    expect(read(404, {})).toMatchObject(silent);
    expect(read(404, { type: 7, title: [], detail: "", errors: "none", status: 200 })).toMatchObject(silent);
    expect(read(404, {}).message).toBe("getSubgraph: Bad Luck (404)");
    expect(rendered(404, {})).toEqual(["Bad Luck (404)"]);
    expect(rendered(404, "", { statusText: "" })).toEqual(["The API refused (404)"]);
  });

  it("can be missing, and then the body is shown", () => {
    expect(rendered(502, "<html>\n<b>nginx</b></html>")).toEqual([
      "Bad Luck (502)",
      "  <html>\\n<b>nginx</b></html>",
    ]);
    expect(rendered(502, '["a"]')).toEqual(["Bad Luck (502)", '  ["a"]']);
    expect(rendered(502, "x".repeat(1_000_000))[1]).toBe(`  ${"x".repeat(300)}…`);
  });

  it.each([
    ["javascript:alert(1)", []],
    ["about:blank", []],
    ["/api/errors/x", []],
    ["http://e.com/a b\u202e", ["  see http://e.com/a%20b%E2%80%AE"]],
  ])("shows its type %s only as a valid link", (type, lines) => {
    expect(rendered(404, { type }).slice(1)).toEqual(lines);
  });

  it("has no link to a page that only repeats the detail", () => {
    const type = "https://api.example.com/api/errors/unprocessable";
    expect(rendered(422, { type, detail: "It has no block." }).slice(1)).toEqual(["  It has no block."]);
    expect(rendered(422, { type }).slice(1)).toEqual([`  see ${type}`]);
  });

  it("explains what to do about the token, or how long to wait", () => {
    expect(rendered(401, {}).at(-1)).toBe(
      "Log in with `graphloom login`. An API key belongs to one project.",
    );
    expect(rendered(403, {}).at(-1)).toContain("role");
    expect(rendered(429, {}, { attempts: 3, retryAfter: 4200 })).toEqual([
      "Bad Luck (429, after 3 attempts)",
      "The API asks you to wait 5 s.",
    ]);
    expect(rendered(429, {}, { retryAfter: 600_000 }).at(-1)).toBe("The API asks you to wait 10 minutes.");
  });
});

describe("hostile text", () => {
  const hostile = "\u001b]0;owned\u0007\u001b[2J\r\nfake: line\u202e\u0000";

  it("is escaped and kept on one line", () => {
    const problem = read(400, {
      type: TYPE,
      title: hostile,
      detail: hostile,
      errors: [{ field: hostile, message: hostile }],
    });
    const text = renderProblem(problem);
    const safe = "\\u001b]0;owned\\u0007\\u001b[2J\\r\\nfake: line\\u202e\\u0000";
    expect(text.split("\n").slice(0, -1)).toEqual([
      `${safe} (400)`,
      `  ${safe}`,
      `  ${safe}: ${safe}`,
      `  see ${TYPE}`,
    ]);
    expect(problem.message).toBe(`getSubgraph: ${safe} (400): ${safe}`);
    expect(rendered(400, hostile)[1]).toBe(`  ${safe.slice(0, -6)}\\u0000`);
  });

  it("is truncated at a fixed length", () => {
    const long = "a".repeat(1_000_000);
    const errors = Array.from({ length: 5000 }, () => ({ field: "a".repeat(101), message: "a".repeat(301) }));
    const text = renderProblem(
      read(400, { type: `https://e.com/${long}`, title: long, detail: long, errors }),
    );
    expect(text.split("\n")).toEqual([
      `${"a".repeat(200)}… (400)`,
      `  ${"a".repeat(1000)}…`,
      ...Array.from({ length: 20 }, () => `  ${"a".repeat(100)}…: ${"a".repeat(300)}…`),
      "  and 4980 more",
      "",
    ]);
  });

  it("does not reveal the token", () => {
    const document = {
      title: "t0ken",
      detail: "Bearer t0ken is wrong",
      errors: [{ field: "t0ken", message: "t0ken" }],
    };
    expect(renderProblem(read(401, document))).not.toContain("t0ken");
    expect(renderProblem(read(401, "your t0ken is wrong"))).not.toContain("t0ken");
  });
});
