import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listActs } from "../../../src/platform/people/audit.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { describeDatabase } from "../../support/database/databases.js";
import { startPlatform, type TestPlatform } from "../../support/server/platform-server.js";
import { secretValues } from "./values.js";

describeDatabase("secrets", false, (databases) => {
  let database: Database;
  let server: TestPlatform;

  beforeAll(async () => {
    database = await databases.fresh();
    server = await startPlatform(database);
  });
  afterAll(() => server.close());

  const post = (body: unknown, key = server.token) => server.ask("/secrets", { method: "POST", body, key });
  const patch = (name: string, body: unknown) => server.ask(`/secrets/${name}`, { method: "PATCH", body });
  const remove = (name: string) => server.ask(`/secrets/${name}`, { method: "DELETE" });
  const reveal = (name: string, key = server.token) => server.ask(`/secrets/${name}/value`, { key });
  const acts = async () =>
    (await listActs(database, server.project, { limit: 100 })).map(({ action, subject, actor, address }) => [
      action,
      subject,
      actor.name,
      address,
    ]);
  const problem = (slug: string) => `${server.address}/api/errors/${slug}`;

  it.each(
    Object.entries(secretValues),
  )("secrets of the type %s are stored, and revealed unchanged", async (type, value) => {
    const name = `ALL_${type}`;
    const made = await post({ name, value, description: `a ${type}` });
    expect([made.status, made.json.data]).toEqual([
      201,
      {
        name,
        type,
        description: `a ${type}`,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    const revealed = await reveal(name);
    expect([revealed.status, revealed.json.data]).toEqual([200, { name, value }]);
    expect(revealed.headers.get("cache-control")).toBe("no-store");
    expect((await acts())[0]).toEqual(["secret.reveal", name, "made by graphloom serve", "127.0.0.1"]);
    expect((await remove(name)).status).toBe(204);
    expect((await reveal(name)).status).toBe(404);
  });

  it("secrets are listed in the order of their names, without values", async () => {
    for (const name of ["b-2", "A_1"]) await post({ name, value: secretValues.httpauth });
    const listed = await server.ask("/secrets");
    expect(listed.json.data.map((each: { name: string }) => each.name)).toEqual(["A_1", "b-2"]);
    expect(Object.keys(listed.json.data[0]).sort()).toEqual(
      ["created_at", "description", "name", "type", "updated_at"].sort(),
    );
    expect(listed.text).not.toContain(secretValues.httpauth.secretValue);
    for (const name of ["b-2", "A_1"]) await remove(name);
  });

  it("secrets can change their value or description, but not their type", async () => {
    await post({ name: "changing", value: secretValues.jdbc, description: "first" });
    const described = await patch("changing", { description: "second" });
    expect([described.status, described.json.data.description]).toEqual([200, "second"]);
    expect((await reveal("changing")).json.data.value).toEqual(secretValues.jdbc);
    const value = { ...secretValues.jdbc, password: "another" };
    expect((await patch("changing", { value })).json.data.description).toBe("second");
    expect((await reveal("changing")).json.data.value).toEqual(value);
    expect((await patch("changing", { description: " " })).json.data.description).toBeNull();
    const other = await patch("changing", { value: secretValues.sqs });
    expect([other.status, other.json.errors]).toEqual([
      400,
      [{ field: "value.type", message: "must stay jdbc, because what uses the secret depends on its type" }],
    ]);
    expect((await reveal("changing")).json.data.value).toEqual(value);
    expect((await patch("changing", {})).status).toBe(400);
    expect((await acts()).filter(([, subject]) => subject === "changing").map(([action]) => action)).toEqual([
      "secret.reveal",
      "secret.update",
      "secret.reveal",
      "secret.update",
      "secret.reveal",
      "secret.update",
      "secret.create",
    ]);
    await remove("changing");
  });

  it("secrets have unique names of letters, digits, _ and - in a project", async () => {
    expect((await post({ name: "one", value: secretValues.s3 })).status).toBe(201);
    const again = await post({ name: "one", value: secretValues.sqs });
    expect([again.status, again.json.type]).toEqual([409, problem("conflict")]);
    expect((await reveal("one")).json.data.value.type).toBe("s3");
    for (const name of ["", "a b", "a.b", "é", "a/b", "x".repeat(101)]) {
      const { status, json } = await post({ name, value: secretValues.s3 });
      expect([name, status, json.errors]).toEqual([
        name,
        400,
        [{ field: "name", message: "must consist of 1 to 100 letters, digits, _ or -" }],
      ]);
    }
    expect((await post({ name: "x".repeat(100), value: secretValues.s3 })).status).toBe(201);
    for (const name of ["one", "x".repeat(100)]) await remove(name);
  });

  it("secrets are refused with all invalid fields at once", async () => {
    const { status, json } = await post({
      name: "bad name",
      value: { ...secretValues.jdbc, port: "5432", user: "" },
      other: 1,
    });
    expect([status, json.errors]).toEqual([
      400,
      [
        { message: "has an unknown field; the known fields are name, value, description" },
        { field: "name", message: "must consist of 1 to 100 letters, digits, _ or -" },
        { field: "value.port", message: "must be a whole number" },
        { field: "value.user", message: "must not be empty" },
      ],
    ]);
  });

  it("secrets cannot be deleted while something uses them", async () => {
    await post({ name: "used", value: secretValues.kafka });
    for (const by of ['the pipeline "b"', 'the pipeline "a"']) {
      await database.query(
        SQL`insert into graphloom.secret_uses (project, secret, used_by) values ($1::text, 'used', $2::text)`,
        [server.project, by],
      );
    }
    const refused = await remove("used");
    expect([refused.status, refused.json.type, refused.json.detail]).toEqual([
      422,
      problem("in-use"),
      '"used" is still used by the pipeline "a", the pipeline "b". Delete those first, or make them use a different secret.',
    ]);
    expect((await reveal("used")).status).toBe(200);
    expect((await patch("used", { value: secretValues.kafka })).status).toBe(200);
    await database.query(SQL`delete from graphloom.secret_uses`);
    expect((await remove("used")).status).toBe(204);
    await expect(
      database.query(
        SQL`insert into graphloom.secret_uses (project, secret, used_by) values ($1::text, 'used', 'x')`,
        [server.project],
      ),
    ).rejects.toMatchObject({ code: "23503" });
  });

  it("secrets belong to one project; a different project cannot see them, and can use the same names", async () => {
    await post({ name: "shared", value: secretValues.s3 });
    const key = await server.addKey("Owner", "project_other");
    expect((await server.ask("/secrets", { key })).json.data).toEqual([]);
    expect((await reveal("shared", key)).status).toBe(404);
    expect((await server.ask("/secrets/shared", { method: "DELETE", key })).status).toBe(404);
    expect((await post({ name: "shared", value: secretValues.sqs }, key)).status).toBe(201);
    expect((await reveal("shared", key)).json.data.value.type).toBe("sqs");
    expect((await reveal("shared")).json.data.value.type).toBe("s3");
  });

  it("secrets cannot be opened as another secret", async () => {
    await post({ name: "bait", value: secretValues.httpauth });
    await database.query(
      SQL`update graphloom.secrets set sealed_value =
        (select sealed_value from graphloom.secrets where project = $1::text and name = 'shared')
        where name = 'bait'`,
      [server.project],
    );
    const answer = await reveal("bait");
    expect([answer.status, answer.json.detail]).toEqual([
      500,
      "The server failed to handle the request. Its log has the details.",
    ]);
    // Nobody saw the value, and the audit log records no reveal.
    expect((await acts()).filter(([, subject]) => subject === "bait")).toEqual([
      ["secret.create", "bait", "made by graphloom serve", "127.0.0.1"],
    ]);
  });

  it("secrets can be revealed by Viewers, which the audit log records with their names", async () => {
    const key = await server.addKey("Viewer");
    expect((await reveal("shared", key)).status).toBe(200);
    expect((await acts())[0]).toEqual([
      "secret.reveal",
      "shared",
      expect.stringMatching(/^test \d+$/),
      "127.0.0.1",
    ]);
    expect((await post({ name: "mine", value: secretValues.s3 }, key)).status).toBe(403);
  });

  describe.each(["GET", "PATCH", "DELETE"])("%s of a secret that does not exist", (method) => {
    it("answers with a problem that says so", async () => {
      const path = method === "GET" ? "/secrets/none/value" : "/secrets/none";
      const body = method === "PATCH" ? { description: "x" } : undefined;
      const answer = await server.ask(path, { method, ...(body && { body }) });
      expect([answer.status, answer.json.type, answer.json.detail]).toEqual([
        404,
        problem("secret-not-found"),
        'There is no secret "none".',
      ]);
    });
  });
});
