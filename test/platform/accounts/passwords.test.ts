import { expect, it } from "vitest";
import { createPasswords } from "../../../src/platform/accounts/passwords.js";

const cheap = createPasswords(2 ** 4);

it("keeps passwords with what they were hashed with, each with a salt of its own", async () => {
  const passwords = createPasswords();
  const kept = await passwords.hash("correct horse battery");
  expect(kept).toMatch(/^scrypt\$65536\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
  expect(await passwords.verify("correct horse battery", kept)).toBe(true);
  expect(await passwords.verify("correct horse batterz", kept)).toBe(false);
  expect(await cheap.hash("same")).not.toBe(await cheap.hash("same"));
});

it("knows passwords that were kept with other parameters", async () => {
  const kept = await createPasswords(2 ** 5).hash("older");
  expect(await cheap.verify("older", kept)).toBe(true);
});

it("takes the two forms of a letter for the same", async () => {
  expect(await cheap.verify("caf\u00e9", await cheap.hash("cafe\u0301"))).toBe(true);
});

it("works as long for somebody unknown, and knows nobody", async () => {
  expect(await cheap.verify("", undefined)).toBe(false);
});

it("lets a bounded number wait", async () => {
  const asked = await Promise.allSettled(Array.from({ length: 60 }, () => cheap.hash("x")));
  const refused = asked.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(60 - 52);
  expect((refused[0] as PromiseRejectedResult).reason).toMatchObject({ type: "unavailable" });
  expect(await cheap.hash("x")).toMatch(/^scrypt/);
});
