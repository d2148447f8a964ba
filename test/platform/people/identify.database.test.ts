import type { FastifyRequest } from "fastify";
import { expect, it } from "vitest";
import { identify } from "../../../src/platform/people/access.js";
import { addApiKey, revokeApiKey } from "../../../src/platform/people/api-keys.js";
import { createProject } from "../../../src/platform/people/projects.js";
import type { Sql } from "../../../src/store/database/database.js";
import { onEither } from "../../support/database/databases.js";

const databases = onEither();

it("simultaneous requests with one key share two database queries, and a revoked key is refused at once", async () => {
  const database = await databases.fresh();
  await createProject(database, { id: "project_1", name: "one" });
  const key = `gl_${"K".repeat(32)}`;
  await addApiKey(database, { id: "key_1", project: "project_1", name: "k", role: "Owner", key });
  let looks = 0;
  const counted: Sql = {
    ...database,
    query: (...given) => {
      looks += 1;
      return database.query(...given);
    },
  };
  const ask = (): Promise<string> =>
    identify(counted, { headers: { authorization: `Bearer ${key}` } } as FastifyRequest).then(
      ({ kind }) => kind,
      (error: Error) => error.message,
    );
  const answers = await Promise.all(Array.from({ length: 200 }, ask));
  expect([...new Set(answers)]).toEqual(["key"]);
  expect(looks).toBe(2);
  // A request that arrives after the key was revoked does not share a look that began before.
  const before = ask();
  const revoked = revokeApiKey(database, "project_1", "key_1");
  const meanwhile = ask();
  await revoked;
  expect(await ask()).toContain("was revoked");
  await Promise.all([before, meanwhile]);
});
