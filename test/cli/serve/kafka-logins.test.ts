import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openKafkaLogins } from "../../../src/cli/serve/kafka-logins.js";
import { placeOf } from "../../../src/pipelines/host/flink/flink-place.js";
import { useFolder } from "../../support/folder.js";

const folder = useFolder();
const path = join(folder, "logins.json");
const hidden = "hidden password";

it("the server gives each project its own user, also a project that was added while the server runs", () => {
  const sentences: string[] = [];
  writeFileSync(path, JSON.stringify({ one: { user: "u1", password: hidden } }));
  const loginOf = openKafkaLogins(path, (sentence) => sentences.push(sentence));
  const shared = {
    gateway: "http://flink",
    kafka: '{"bootstrapServers":"a:1","saslJaasUsername":"all"}',
    loginOf,
  };
  expect(placeOf("two", shared)).toBeUndefined();
  writeFileSync(
    path,
    JSON.stringify({ one: { user: "u1", password: hidden }, two: { user: "u2", password: "p2" } }),
  );
  expect(placeOf("two", shared)).toEqual({
    gateway: "http://flink",
    kafka: '{"bootstrapServers":"a:1","saslJaasUsername":"u2","saslJaasPassword":"p2"}',
  });
  rmSync(path);
  expect(loginOf("two")).toEqual({ user: "u2", password: "p2" });
  expect(loginOf("constructor")).toBeUndefined();
  expect(sentences).toEqual(
    Array(2).fill(`--flows: logins=${path}: the file does not exist. The logins stay as they were.`),
  );
});

it.each([
  ["no JSON", `{"one": {"user": "u", "password": "${hidden}"`, "is not an object"],
  ["a list", `[{"user": "u", "password": "${hidden}"}]`, "is not an object"],
  ["no password", `{"one": {"user": "${hidden}"}}`, "project one has no user and password"],
  ["an empty user", `{"one": {"user": "", "password": "${hidden}"}}`, "project one has no user and password"],
  ["a password that is no text", `{"one": {"user": "${hidden}", "password": 5}}`, "project one has no user"],
])("the server refuses a file with %s, without showing what is in it", (_, content, message) => {
  writeFileSync(path, content);
  const open = () => openKafkaLogins(path, () => undefined);
  expect(open).toThrow(message);
  expect(open).not.toThrow(hidden);
});

it("the server refuses a missing file and a folder", () => {
  expect(() => openKafkaLogins(join(folder, "none"), () => undefined)).toThrow("the file does not exist");
  expect(() => openKafkaLogins(folder, () => undefined)).toThrow("it is a folder");
});
