import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The rules to check in each colour scheme. What the others find does not depend on it: light or dark, once is enough. */
export const rulesIn = (colorScheme: "light" | "dark"): readonly string[] | undefined =>
  colorScheme === "light" ? undefined : ["color-contrast", "link-in-text-block"];

/**
 * What axe finds wrong with the accessibility of a page: rules, and the elements that break them.
 * @param rules the rules to check; all by default
 */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  return page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`,
  );
}
