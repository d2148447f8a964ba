import { expect, it } from "vitest";
import { createPasswords } from "../../../../src/platform/people/passwords/passwords.js";

const cheap = createPasswords(2 ** 4);
const turn = { client: "10.0.0.1" };

it("the server stores each hash with its parameters and its own salt", async () => {
  const passwords = createPasswords();
  const kept = await passwords.hash("correct horse battery", turn);
  expect(kept).toMatch(/^scrypt\$65536\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
  expect(await passwords.verify("correct horse battery", kept, turn)).toBe(true);
  expect(await passwords.verify("correct horse batterz", kept, turn)).toBe(false);
  expect(await cheap.hash("same", turn)).not.toBe(await cheap.hash("same", turn));
});

it("the server verifies passwords that were hashed with other parameters", async () => {
  const kept = await createPasswords(2 ** 5).hash("older", turn);
  expect(await cheap.verify("older", kept, turn)).toBe(true);
});

it("the server treats the two Unicode forms of a letter as the same", async () => {
  expect(await cheap.verify("caf\u00e9", await cheap.hash("cafe\u0301", turn), turn)).toBe(true);
});

it("the server rejects every password if no hash is stored", async () => {
  expect(await cheap.verify("", undefined, turn)).toBe(false);
});

it("the server limits how many hashes wait, in total and per network", async () => {
  const ask = (clients: readonly string[]) =>
    Promise.allSettled(clients.map((client) => cheap.hash("x", { client })));
  const one = await ask(Array.from({ length: 60 }, () => "10.0.0.1"));
  expect(one.filter(({ status }) => status === "fulfilled")).toHaveLength(2 + 10);
  expect(one.at(-1)).toMatchObject({ reason: { type: "unavailable" } });
  const many = await ask(Array.from({ length: 80 }, (_, index) => `10.0.1.${index}`));
  expect(many.filter(({ status }) => status === "rejected")).toEqual([]);
  const flood = await ask(Array.from({ length: 300 }, (_, index) => `10.1.${index}`));
  expect(flood.filter(({ status }) => status === "fulfilled")).toHaveLength(2 + 200);
  expect(await cheap.hash("x", turn)).toMatch(/^scrypt/);
});
