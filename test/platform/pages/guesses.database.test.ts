import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createAccounts } from "../../../src/platform/people/accounts.js";
import { createPasswords } from "../../../src/platform/people/passwords/passwords.js";
import { onEither, world } from "../../support/database/databases.js";
import { startPages } from "./harness.js";

const databases = onEither();
let pages: Awaited<ReturnType<typeof startPages>>;
/** Milliseconds added to the clock, so that the limits of one test do not affect the next. */
let later = 0;

const email = "victim@example.com";
const password = "correct horse battery";
const home = "10.7.2.2";

beforeAll(async () => {
  const accounts = createAccounts({ now: () => world.now() + later }, { passwords: createPasswords(2 ** 4) });
  pages = await startPages(await databases.fresh(), { accounts });
  const key = await send("/sign-in", { key: "gl_owner" }, home);
  await send("/account", { email, name: "Victim", password }, home, cookiesOf(key));
});
afterAll(() => pages.stop());
beforeEach(() => {
  later += 7_200_000;
});

/** Sends a form from an IP address. */
const send = (url: string, fields: Record<string, string>, remoteAddress: string, cookie = "") =>
  pages.app.inject({
    method: "POST",
    url,
    remoteAddress,
    headers: { "content-type": "application/x-www-form-urlencoded", cookie },
    payload: String(new URLSearchParams(fields)),
  });
type Answer = Awaited<ReturnType<typeof send>>;

const cookiesOf = ({ cookies }: Answer) => cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
const tryOut = async (given: string, from: string, cookie = "", whose = email) =>
  (await send("/sign-in", { email: whose, password: given }, from, cookie)).statusCode;
/** Guesses wrongly, ten times from each of a number of networks. @returns how many guesses were not blocked */
async function guess(networks: number, whose = email): Promise<number> {
  const statuses: number[] = [];
  for (let at = 0; at < networks * 10; at++) {
    statuses.push(await tryOut("wrong horse battery", `10.66.0.${Math.floor(at / 10)}`, "", whose));
  }
  return statuses.filter((status) => status === 401).length;
}

describe("wrong guesses", () => {
  it("from one network do not lock out the other networks", async () => {
    expect(await guess(1)).toBe(10);
    expect(await tryOut(password, "10.66.0.0")).toBe(429);
    expect(await tryOut(password, "10.8.8.8")).toBe(303);
  });

  it("from many networks do not lock a person out where they have signed in before", async () => {
    const browser = cookiesOf(await send("/sign-in", { email, password }, home));
    expect(await guess(11)).toBe(100);
    expect(await tryOut(password, "10.9.9.9")).toBe(429);
    expect(await tryOut(password, home)).toBe(303);
    expect(await tryOut(password, "10.9.9.9", browser)).toBe(303);
  });

  it("are limited for an unknown email address as well", async () => {
    expect(await guess(11, "nobody@example.com")).toBe(100);
    expect(await tryOut(password, home, "", "nobody@example.com")).toBe(429);
  });

  it("are limited from the browser and the network of an earlier sign-in, too", async () => {
    const browser = cookiesOf(await send("/sign-in", { email, password }, home));
    const asked = Array.from({ length: 11 }, (_, at) => at);
    const withBrowser: number[] = [];
    for (const at of asked) withBrowser.push(await tryOut("wrong horse battery", `10.5.5.${at}`, browser));
    const fromHome: number[] = [];
    for (const _ of asked) fromHome.push(await tryOut("wrong horse battery", home));
    const expected = [...Array(10).fill(401), 429];
    expect([withBrowser, fromHome]).toEqual([expected, expected]);
  });

  it("for one account are not counted against a browser known for a different one", async () => {
    const browser = cookiesOf(await send("/sign-in", { email, password }, home));
    const other = "other@example.com";
    for (let tries = 0; tries < 10; tries++) await tryOut("wrong horse battery", "10.5.6.7", browser, other);
    expect(await tryOut("wrong horse battery", "10.5.6.7", browser, other)).toBe(429);
    expect(await tryOut(password, "10.5.6.7", browser)).toBe(303);
  });
});

describe("right passwords", () => {
  it("are not counted, for any number of sign-ins", async () => {
    const statuses: number[] = [];
    for (let tries = 0; tries < 31; tries++) statuses.push(await tryOut(password, "10.4.4.4"));
    expect(new Set(statuses)).toEqual(new Set([303]));
  });

  it("of API keys are not counted either", async () => {
    const statuses: number[] = [];
    for (let tries = 0; tries < 31; tries++) {
      statuses.push((await send("/sign-in", { key: "gl_owner" }, "10.4.4.5")).statusCode);
    }
    expect(new Set(statuses)).toEqual(new Set([303]));
  });

  it("change the password despite strangers' guesses, which are limited in each session", async () => {
    const own = cookiesOf(await send("/sign-in", { email, password }, home));
    const stolen = cookiesOf(await send("/sign-in", { email, password }, "10.3.3.3"));
    await guess(11);
    const change = async (cookie: string, old: string) =>
      (await send("/account/password", { old, new: password }, "10.3.3.3", cookie)).statusCode;
    const statuses: number[] = [];
    for (let tries = 0; tries < 11; tries++) statuses.push(await change(stolen, "wrong horse battery"));
    expect(statuses).toEqual([...Array(10).fill(403), 429]);
    expect(await change(own, password)).toBe(303);
  });
});
