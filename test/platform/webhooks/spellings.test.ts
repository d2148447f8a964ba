import { expect, test } from "vitest";
import { escapeHtml } from "../../../src/platform/http/html.js";
import { spellingsOf } from "../../../src/platform/webhooks/attempt.js";
import { redact } from "../../../src/web/http/address.js";

const secret = `a"b\\c<d&e>'f`;

test.each([
  ["as it is", secret],
  ["in JSON", JSON.stringify({ secret })],
  ["in HTML", `<p>${escapeHtml(secret)}</p>`],
  ["in HTML with named characters", "<p>a&quot;b\\c&lt;d&amp;e&gt;&#39;f</p>"],
  ["in JSON in HTML", `<p>${escapeHtml(JSON.stringify({ secret }))}</p>`],
])("a secret is found %s", (_, answer) => {
  const kept = redact(answer, spellingsOf(secret));
  expect(kept).toContain("…");
  for (const part of ["a&", 'a"', "a\\", "c<", "c&", "f"]) expect(kept).not.toContain(part);
});

test("a secret of letters has one spelling", () => {
  expect(spellingsOf("whs_mine")).toEqual(["whs_mine"]);
});
