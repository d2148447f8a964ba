import { expect, it } from "vitest";
import { readManual } from "../../src/machine/manual.js";
import { manualTool } from "../../src/mcp/manual-tool.js";

const manual = readManual();
const { run } = manualTool(manual);
const call = { signal: new AbortController().signal, canAsk: false, agreed: () => undefined };
const ask = async (input: Readonly<Record<string, unknown>>): Promise<string> => {
  const { text } = await run(input, call);
  return text;
};

it("the manual's tool lists all pages, prints one, and searches them", async () => {
  const list = await ask({});
  expect(list).toMatch(/^Start\n- getting-started: Getting started\n/);
  for (const { name, title, markdown } of manual) {
    expect(list).toContain(`- ${name}: ${title}\n`);
    expect(await ask({ page: name })).toBe(markdown);
  }
  expect(await ask({ search: "backup" })).toMatch(/^page serve, section .+\n {4}\S/m);
  expect(await ask({ search: "xylophone" })).toMatch(/^No page has these words\. Pages: getting-started, /);
});

it("the manual's tool says what it has for an unknown page", async () => {
  await expect(ask({ page: "servee" })).rejects.toThrow(
    'The manual has no page "servee"; did you mean serve?',
  );
  await expect(ask({ page: "../package" })).rejects.toThrow('no page "../package". It has getting-started, ');
});
