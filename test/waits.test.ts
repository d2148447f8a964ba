import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { limitedWaits } from "./support/architecture/waits.js";

const folder = fileURLToPath(new URL("./", import.meta.url));

it("no test limits a wait on its own: use until and untilHolds of support/until.ts", () => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const found = files.flatMap((file) => limitedWaits(file, readFileSync(join(folder, file), "utf8")));
  expect(found).toEqual([]);
});

it.each([
  ["waitFor of vitest", "await vi.waitFor(() => expect(done).toBe(true));"],
  ["poll with a limit", "await expect.poll(() => count, { timeout: 2_000, interval: 5 }).toBe(3);"],
  ["waitFor of Playwright with a limit", "await page.locator(`a`).first().waitFor({ timeout });"],
])("the rule finds %s", (_, code) => {
  expect(limitedWaits("a.ts", `\n${code}`)).toHaveLength(1);
});

it.each([
  ["poll without a limit", "await expect.poll(() => count, { interval: 5 }).toBe(3);"],
  ["the shared helper", "await untilHolds(() => expect(count).toBe(3));"],
])("the rule accepts %s", (_, code) => {
  expect(limitedWaits("a.ts", code)).toEqual([]);
});
