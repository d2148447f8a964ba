import { describe, expect, test } from "vitest";
import { answerBody } from "../../src/query/answer-body.js";
import { questionOf, readQueryBody } from "../../src/query/query-body.js";
import { musicSchema } from "./music.js";
import { recordingEngine } from "./recording.js";

const client = "GraphQL server error (client error): ";

describe("the body of a request", () => {
  const { engine, rows } = recordingEngine(musicSchema);

  test("answers a query together with the chain head", async () => {
    rows.push([{ j: '[0,"b1"]' }]);
    expect(
      await answerBody(
        readQueryBody('{"query":"{ bands(first: 1) { id } }","variables":null,"operationName":7}'),
        engine,
      ),
    ).toEqual({
      status: 200,
      body: '{"data":{"bands":[{"id":"b1"}]}}',
      headers: {
        "graph-attestable": "true",
        "graph-indexed": `{"hash":"0x${"20".repeat(32)}","number":20,"timestamp":1700000000}`,
      },
      attested: { head: expect.objectContaining({ number: 20, hash: `0x${"20".repeat(32)}` }) },
    });
  });

  test.each([
    [
      "{ wat { id } }",
      '{"errors":[{"locations":[{"line":1,"column":3}],"message":"Type `Query` has no field `wat`"}]}',
      true,
    ],
    [
      "{ bands(first: 0) { id } }",
      '{"errors":[{"message":"The `first` argument must be between 0 and 1000, but is 0"}]}',
      false,
    ],
    ["{ bands }", "{}", true],
    [
      "{",
      '{"errors":[{"locations":[{"line":1,"column":2}],"message":"Unexpected end of input\\nExpected Name"}]}',
      true,
    ],
  ])("answers a query that has errors with status 200: %s", async (query, body, attestable) => {
    const answer = await answerBody(readQueryBody(JSON.stringify({ query })), engine);
    expect(answer).toMatchObject({ status: 200, body, headers: { "graph-attestable": String(attestable) } });
  });

  test.each([
    ["query A { wat1 { id } } query B { wat2 { id } }", "B", "Type `Query` has no field `wat2`"],
    ["query A { wat1 { id } } query B { wat2 { id } }", "A", "Type `Query` has no field `wat1`"],
    ["query A { wat1 { id } } query B { wat2 { id } }", "C", "Operation name required"],
    ["query A { wat1 { id } } query B { wat2 { id } }", undefined, "Operation name required"],
    ["query A { wat1 { id } } query A { wat2 { id } }", "A", "Operation name required"],
    ["query A { wat1 { id } } { wat2 { id } }", "A", "Operation name required"],
    ["query A { wat1 { id } } mutation B { wat2 { id } }", "B", "Not supported: Mutations are not supported"],
    ["query A { wat1 { id } }", "C", "Type `Query` has no field `wat1`"],
  ])("runs the named operation of several: %s, %s", async (query, operationName, message) => {
    const { body } = await answerBody(readQueryBody(JSON.stringify({ query, operationName })), engine);
    expect(JSON.parse(body).errors).toMatchObject([{ message }]);
  });

  test("is a GraphQL syntax error for any variables", async () => {
    expect(await answerBody(readQueryBody('{"query":"{","variables":5}'), engine)).toMatchObject({
      status: 200,
      headers: { "graph-indexed": "null" },
    });
  });

  test.each([
    ["", "Body is required"],
    ["{}", `${client}The "query" field is missing in request data`],
    ['{"query":5}', `${client}The "query" field is not a string`],
    ["[]", `${client}Request data is not an object`],
    ["5", `${client}Request data is not an object`],
    ['{"query":"{ bands { id } }","variables":5}', `${client}Invalid query variables provided`],
    ['{"query":"{ bands { id } }","variables":[]}', `${client}Invalid query variables provided`],
  ])("refuses a body that is not a request: %s", async (body, error) => {
    expect(await answerBody(readQueryBody(body), engine)).toEqual({
      status: 400,
      body: JSON.stringify({ error }),
      headers: {},
    });
  });

  test("refuses a body that is not JSON, with the reason", async () => {
    const { status, body } = await answerBody(readQueryBody("!@#"), engine);
    expect(status).toBe(400);
    expect(body).toMatch(/^\{"error":"GraphQL server error \(client error\): ./);
  });
});

const question = (body: string): string | undefined => questionOf(readQueryBody(body));

test("equal requests have the same key in any notation", () => {
  const one = question('{"query":"{ a }","variables":null}');
  expect(one).toBeDefined();
  expect(question('{ "operationName": "x", "query": "{ a }" }')).toBe(one);
  expect(question('{"query":"{ a }","variables":{"b":1}}')).not.toBe(one);
  const several = ["A", "B", undefined].map((operationName) =>
    question(JSON.stringify({ query: "query A { a }query B { b }", operationName })),
  );
  expect(new Set(several).size).toBe(3);
  for (const body of ["", "[]", "{", '{"query":1}', '{"query":"{ a }","variables":[1]}']) {
    expect(question(body)).toBeUndefined();
  }
});
