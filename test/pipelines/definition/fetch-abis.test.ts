import { expect, it } from "vitest";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import { parseDocument } from "../../../src/compiler/parse/parse-document.js";
import { toPlain } from "../../../src/compiler/source/to-plain.js";
import { type FetchedAbi, fetchAbis } from "../../../src/pipelines/definition/fetch-abis.js";

const abi = [{ type: "event", name: "Sent", anonymous: false, inputs: [] }];
const address = "https://explorer.example/api?module=contract&apikey=hidden";

interface Fetched {
  readonly sql: unknown;
  readonly abis: readonly FetchedAbi[];
  readonly asked: readonly string[];
  readonly findings: readonly string[];
}

/** Fetches the ABIs of a query. @param answers by address; an error is thrown */
async function fetched(
  sql: string,
  answers: Readonly<Record<string, string | Error>>,
  known: readonly FetchedAbi[] = [],
): Promise<Fetched> {
  const report = new Report();
  const text = JSON.stringify({ transforms: { t: { sql }, other: { script: "fetch_abi('https://x')" } } });
  const tree = parseDocument({ path: "flow.json", text }, report, () => undefined);
  if (!tree) throw new Error("the document can be read");
  const asked: string[] = [];
  const read = async (url: string): Promise<string> => {
    asked.push(url);
    const answer = answers[url] ?? new Error("the server answers with status 404");
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const whole = await fetchAbis(tree, known, read, report);
  const plain = toPlain(whole.tree) as { transforms: { t: { sql: unknown } } };
  const findings = report.diagnostics.map(
    ({ code, message, at }) => `${code} at "${text.slice(at?.start, at?.end)}": ${message}`,
  );
  return { sql: plain.transforms.t.sql, abis: whole.abis, asked, findings };
}

it("the ABI stands in the query in place of each call, and is fetched once", async () => {
  const url = "https://abis.example/it's.json";
  const call = "_ab_fetch_abi('https://abis.example/it''s.json', 'raw')";
  const written = JSON.stringify([{ ...abi[0], notice: "it's" }], null, 2);
  const query = `select evm_log_decode(${call}, topics, data), FETCH_ABI( 'https://abis.example/it''s.json' ) from logs`;
  const { sql, asked, findings, abis } = await fetched(query, { [url]: written });
  const literal = `'[{"type":"event","name":"Sent","anonymous":false,"inputs":[],"notice":"it''s"}]'`;
  expect(findings).toEqual([]);
  expect(sql).toBe(`select evm_log_decode(${literal}, topics, data), ${literal} from logs`);
  expect(asked).toEqual([url]);
  expect(abis.map(({ format, abi: text }) => [format, JSON.parse(text)])).toEqual([
    ["raw", JSON.parse(written)],
  ]);
});

it("the answer of an explorer, a compiler's artifact and Solidity's form hold an ABI", async () => {
  const explorer = JSON.stringify({ status: "1", message: "OK", result: JSON.stringify(abi) });
  const from = async (answer: string, format: string): Promise<unknown> =>
    (await fetched(`select fetch_abi('${address}', '${format}')`, { [address]: answer })).sql;
  const literal = `select '${JSON.stringify(abi)}'`;
  expect(await from(explorer, "etherscan")).toBe(literal);
  expect(await from(JSON.stringify({ contractName: "Sender", abi }), "raw")).toBe(literal);
  expect(await from("event Sent()\n", "raw")).toBe("select 'event Sent()'");
});

it("an ABI that was fetched before is used again, and its address shows no key", async () => {
  const query = `select fetch_abi('${address}')`;
  const first = await fetched(query, { [address]: JSON.stringify(abi) });
  expect(first.abis[0]?.url).toBe("https://explorer.example/api?module=…&apikey=…");
  expect(JSON.stringify(first.abis)).not.toContain("hidden");
  const again = await fetched(query, {}, first.abis);
  expect([again.sql, again.asked, again.findings]).toEqual([first.sql, [], []]);
});

it("a call without an ABI is an error at its place, which says why", async () => {
  const refused = JSON.stringify({ status: "0", message: "NOTOK", result: "Max rate limit reached" });
  const findings = async (call: string, answer: string | Error = refused): Promise<string> =>
    (await fetched(`select ${call} from logs`, { [address]: answer })).findings.join("\n");
  const call = `fetch_abi('${address}', 'etherscan')`;
  const shown = "https://explorer.example/api?module=…&apikey=…";
  expect(await findings(call)).toBe(
    `sql-error at "${call}": the ABI at ${shown} cannot be used: the explorer refuses: Max rate limit reached`,
  );
  expect(await findings(call, new Error("no answer within 10 s"))).toContain("no answer within 10 s");
  expect(await findings(call, "<html>")).toContain("the answer is not one of an explorer");
  expect(await findings(`fetch_abi('${address}')`, "<html>")).toContain("the answer is not an ABI");
  expect(await findings(`fetch_abi('${address}', 'xml')`)).toContain('fetch_abi has no format "xml"');
  expect(await findings("fetch_abi(address)")).toBe(
    'sql-error at "fetch_abi(": fetch_abi takes an address and a format as texts',
  );
});

it("a call without an ABI causes no further error in its query", async () => {
  const left = async (call: string): Promise<unknown> => (await fetched(`select ${call} from logs`, {})).sql;
  expect(await left("fetch_abi(address)")).toBe("select concat(address) from logs");
  expect(await left(`fetch_abi('${address}')`)).toBe("select '[]' from logs");
});

it("calls in strings, comments and quoted names are left alone", async () => {
  const sql = `select 'fetch_abi(1)', "fetch_abi(1)", \`fetch_abi(1)\` -- fetch_abi(1)\n/* fetch_abi(1) */ from logs`;
  expect(await fetched(sql, {})).toEqual({ sql, abis: [], asked: [], findings: [] });
});

it("the ABIs of a definition have at most four million characters", async () => {
  const urls = [0, 1, 2].map((index) => `https://abis.example/${index}`);
  const large = JSON.stringify([{ ...abi[0], notice: "x".repeat(1_500_000) }]);
  const answers = Object.fromEntries(urls.map((url) => [url, large]));
  const { findings, abis } = await fetched(urls.map((url) => `fetch_abi('${url}')`).join(), answers);
  expect(abis.length).toBe(2);
  expect(findings).toEqual([
    `sql-error at "fetch_abi('https://abis.example/2')": the ABIs of a definition have at most 4 million characters`,
  ]);
});

it("a definition fetches at most 64 ABIs", async () => {
  const urls = Array.from({ length: 65 }, (_, index) => `https://abis.example/${index}`);
  const answers = Object.fromEntries(urls.map((url) => [url, JSON.stringify(abi)]));
  const { findings, asked } = await fetched(urls.map((url) => `fetch_abi('${url}')`).join(), answers);
  expect(asked.length).toBe(64);
  expect(findings).toEqual([
    `sql-error at "fetch_abi('https://abis.example/64')": a definition can fetch 64 ABIs at most`,
  ]);
});
