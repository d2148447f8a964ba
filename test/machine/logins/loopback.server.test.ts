import { request } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Loopback, openLoopback } from "../../../src/machine/logins/loopback.js";

let loopback: Loopback;
beforeEach(async () => {
  loopback = await openLoopback((query) => ({
    isAwaited: query.get("good") === "yes",
    text: `<script>${query.get("good")}</script>`,
  }));
});
afterEach(() => loopback.close());

const never = new AbortController().signal;

it("the loopback server waits for the expected request, and does not answer later ones", async () => {
  expect(loopback.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const bad = await fetch(`${loopback.address}?good=no`);
  expect(bad.status).toBe(400);
  const good = await fetch(`${loopback.address}?good=yes&more=a%20b`);
  expect(good.status).toBe(200);
  expect(await good.text()).toContain("<p>&#60;script&#62;yes&#60;/script&#62;</p>");
  expect(good.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(good.headers.get("cache-control")).toBe("no-store");
  expect((await fetch(`${loopback.address}?good=yes`)).status).toBe(404);
  expect((await loopback.wait(never)).get("more")).toBe("a b");
});

it("the loopback server answers 404 to any other request", async () => {
  const { origin } = new URL(loopback.address);
  for (const path of ["/", "/callback/x?good=yes", "//callback?good=yes"])
    expect((await fetch(origin + path)).status).toBe(404);
  expect((await fetch(`${loopback.address}?good=yes`, { method: "POST" })).status).toBe(404);
  const status = await new Promise((resolve, reject) => {
    const asked = request(`${loopback.address}?good=yes`, { headers: { host: "evil.example" } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.once("error", reject).end();
  });
  expect(status).toBe(404);
});

it("the loopback server stops waiting when the signal is aborted, and stops listening when it is closed", async () => {
  const interrupt = new AbortController();
  const waiting = loopback.wait(interrupt.signal);
  interrupt.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await expect(loopback.wait(interrupt.signal)).rejects.toThrow("enough");
  await loopback.close();
  await expect(fetch(loopback.address)).rejects.toThrow();
});
