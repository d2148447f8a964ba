import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type SchemaRegistryOptions,
  schemaId,
} from "../../../src/pipelines/sinks/kafka/avro/schema-registry.js";
import { createOutgoing } from "../../../src/web/outgoing/outgoing.js";
import { type RecordingServer, startRecordingServer } from "../../support/pipelines/recording-server.js";
import { type PlayedRegistry, playRegistry } from "../../support/servers/schema-registry.js";

const schema = '{"type":"record","name":"Row","fields":[{"name":"id","type":"string"}]}';
const clock = { now: () => 0 };
const outgoing = createOutgoing({ allowsPrivate: true }, { timeout: (ms) => AbortSignal.timeout(ms) });
afterAll(() => outgoing.close());

describe("a schema registry", () => {
  let registry: PlayedRegistry;
  let odd: RecordingServer;
  beforeAll(async () => {
    registry = await playRegistry();
    odd = await startRecordingServer();
  });
  afterAll(() => Promise.all([registry.stop(), odd.stop()]));

  const options = (over: Partial<SchemaRegistryOptions> = {}): SchemaRegistryOptions => ({
    url: `${registry.url}/`,
    login: registry.login,
    outgoing,
    clock,
    ...over,
  });

  it("gives a schema the same id for every caller", async () => {
    const id = await schemaId(options(), "a topic-value", schema);
    expect(registry.schema(id)).toBe(schema);
    const { user, password } = registry.login;
    const url = registry.url.replace("://", `://${user}:${encodeURIComponent(password)}@`);
    expect(await schemaId(options({ url, login: undefined }), "a topic-value", schema)).toBe(id);
    expect(registry.schemas("a topic-value")).toEqual([schema]);
  });

  it("refuses logins and registrations without permission, and the message does not contain the password", async () => {
    const login = { user: "writer", password: "hunter2" };
    await expect(schemaId(options({ login }), "x-value", schema)).rejects.toMatchObject({
      message: expect.stringMatching(/^The schema registry refuses the user, (?!.*hunter2).*status 401/),
      isTemporary: false,
    });
    const known = await schemaId(options(), "known-value", schema);
    registry.close("for registration");
    expect(await schemaId(options(), "known-value", schema)).toBe(known);
    await expect(schemaId(options(), "x-value", schema)).rejects.toThrow(
      "does not let it register a schema for x-value: it answered with status 403",
    );
  });

  it.each([
    [{ status: 404 }, "The schema registry answered with status 404. Is schema_registry_url that of", false],
    [{ status: 200, body: "<html>" }, "The schema registry does not answer with the id of a schema.", false],
    [
      { status: 200, body: '{"id":-1}' },
      "The schema registry does not answer with the id of a schema.",
      false,
    ],
    [{ status: 302 }, "The schema registry answered with status 302, which leads to another address.", false],
    [
      { status: 500, body: "later\u0007" },
      "The schema registry answered with status 500: later\\u0007.",
      true,
    ],
  ])("is not confused with a server that answers %o", async (answer, message, isTemporary) => {
    odd.answer(() => answer);
    await expect(schemaId(options({ url: odd.url }), "x-value", schema)).rejects.toMatchObject({
      message: expect.stringContaining(message),
      isTemporary,
    });
  });

  it("is asked again later while it is unreachable", async () => {
    const url = "http://127.0.0.1:1";
    await expect(schemaId(options({ url }), "x-value", schema)).rejects.toMatchObject({ isTemporary: true });
  });
});
