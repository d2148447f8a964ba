import { expect, it } from "vitest";
import { kafkaOptions, writtenForms } from "../../../src/pipelines/flink/kafka-options.js";
import { optionLines } from "../../../src/pipelines/flink/sql-text.js";
import { redact } from "../../../src/web/http/address.js";
import { oddTexts } from "../../support/pipelines/odd-texts.js";

const parts = [...Object.values(oddTexts), "plain", "it's", 'say "no"', "back\\slash", "tab\there", "ü'\\\""];

it.each(parts)("a message never contains a password from its statement: %j", (part) => {
  const password = `before-${part}-after`;
  for (const user of ["u", "ü"]) {
    const login = { mechanism: "PLAIN", user, password } as const;
    const statement = optionLines(kafkaOptions({ brokers: ["a:1"], isTls: false, login }));
    expect(statement).toContain("before-");
    const shown = redact(`Encountered at: ${statement} ${password}`, writtenForms(password));
    expect(shown).not.toMatch(/before-|-after/);
    expect(shown).toContain('password="…"');
  }
});
