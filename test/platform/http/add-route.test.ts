import { beforeAll, expect, test } from "vitest";
import { dataOf, type Extension, objectOf, textSchema } from "../../../src/api/extension.js";
import { addExtension } from "../../../src/platform/http/add-extension.js";
import { Fastify } from "../../../src/platform/http/fastify.js";
import { refuseUnkeepable } from "../../../src/platform/http/limits/refuse-unkeepable.js";

const app = Fastify();
const read: Extension = {
  method: "GET",
  path: "/things/{name}",
  summary: "A thing",
  query: { times: { type: "integer", minimum: 1 } },
  answer: dataOf(objectOf({ name: textSchema() })),
};

beforeAll(async () => {
  refuseUnkeepable(app as never);
  addExtension(app, read, { role: "anyone" }, async ({ path, query: { times = 1 } }) => ({
    data: path.name === "wrong" ? {} : { name: path.name?.repeat(times) },
  }));
  await app.ready();
});

test.each([
  ["a request that matches its schemas is handled", "/things/ab?times=2", 200, { data: { name: "abab" } }],
  [
    "a query that does not match its schema is refused",
    "/things/ab?times=0",
    400,
    "The query has invalid fields: times.",
  ],
  [
    "a string that no database can store is refused",
    "/things/a%00",
    400,
    "The path has invalid fields: name.",
  ],
  [
    "an answer that does not match its schema is an error of the server",
    "/things/wrong",
    500,
    "the answer to GET /things/{name} does not match its schema: /data must have required property 'name'",
  ],
])("%s", async (_, url, status, expected) => {
  const answer = await app.inject(`/api/v1${url}`);
  const body = answer.json();
  expect([answer.statusCode, status === 200 ? body : body.message]).toEqual([status, expected]);
});
