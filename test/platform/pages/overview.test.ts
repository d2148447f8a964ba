import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { HostedStatus } from "../../../src/hosting/engine.js";
import { chainNodes } from "../../../src/platform/figures/chain-nodes.js";
import { html } from "../../../src/platform/http/html.js";
import { documentOf } from "../../../src/platform/pages/layout.js";
import { arrange } from "../../../src/platform/pages/overview/arrange.js";
import { askedOverview, overviewAddress } from "../../../src/platform/pages/overview/asked-overview.js";
import { type OverviewFacts, overview } from "../../../src/platform/pages/overview/overview-page.js";
import type { Shown } from "../../../src/platform/pages/views.js";
import type { SubgraphVersion } from "../../../src/platform/subgraphs/versions.js";

const now = Date.UTC(2026, 10, 27, 12);

const status: HostedStatus = {
  health: "healthy",
  isSynced: true,
  nonFatalErrors: [],
  startBlock: 1,
  headBlock: 100,
  chainHeadBlock: 100,
};
const failed: HostedStatus = {
  ...status,
  health: "failed",
  fatalError: { message: "division by zero", block: 61, failedAt: now - 12 * 60_000 },
};

/** A version as the overview gets it. @param name `pools/1.0.0` */
function version(
  name: string,
  said: HostedStatus | undefined = status,
  { tags = [], ...own }: Partial<SubgraphVersion> & { readonly tags?: readonly string[] } = {},
): Shown {
  const [subgraph = "", number = ""] = name.split("/");
  const entry: SubgraphVersion = {
    project: "project_1",
    name: subgraph,
    version: number,
    deployment: `Qm${name}`,
    network: "mainnet",
    engine: "embedded",
    isPaused: false,
    description: null,
    hasPublicEndpoint: true,
    hasPrivateEndpoint: false,
    createdAt: new Date(now),
    deployedAt: new Date(now),
    ...own,
  };
  const tagged = tags.map((tag) => ({ ...entry, version: tag, target: number }));
  return { entry, status: said, title: name, tags: tagged };
}

function page(shown: readonly Shown[], address = "/", more: Partial<OverviewFacts> = {}): string {
  const asked = askedOverview(new URL(address, "http://server").searchParams);
  const facts = { shown, asked, now, nodes: [], failing: [], down: [], address: "http://server", ...more };
  return documentOf(overview(facts), "/");
}

const rowsOf = (text: string): readonly string[] =>
  [...text.matchAll(/<tr id="row-(.*?)">/g)].map(([, id = ""]) => id);
const rowsAt = (shown: readonly Shown[], address: string) => rowsOf(page(shown, address));
const wordsOf = (text: string): string => text.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ");

describe("the order of the overview", () => {
  const old = { createdAt: new Date(now - 1_000) };
  const all = [
    version("a/1", status, old),
    version("a/2"),
    version("b/1", { ...status, nodeState: { kind: "away", why: "gone" } }),
    version("c/1", failed, old),
    version("c/2"),
    version("d/1", { ...status, headBlock: 10, headTimestamp: now / 1000 - 3 }),
    version("e/1", { ...status, headBlock: 50, headTimestamp: now / 1000 - 600 }),
    version("f/1", { ...status, isSynced: false }),
  ];

  it("puts failed subgraphs first, then waiting ones and those behind, with the versions of one name together", () => {
    expect(rowsAt(all, "/")).toEqual(["c/1", "c/2", "b/1", "e/1", "f/1", "a/2", "d/1"]);
  });

  it("changes when the address asks for it", () => {
    expect(rowsAt(all, "/?sort=behind")[0]).toBe("d/1");
    expect(rowsAt(all, "/?sort=name")).toEqual(["a/2", "b/1", "c/1", "c/2", "d/1", "e/1", "f/1"]);
    expect(rowsAt(all, "/?sort=newest").slice(-2)).toEqual(["a/1", "c/1"]);
  });
});

describe("older versions of a subgraph", () => {
  const aged = (age: number) => ({ createdAt: new Date(now - age) });
  const all = [
    version("a/1", status, aged(4)),
    version("a/2", status, { ...aged(3), isPaused: true }),
    version("a/3", status, { ...aged(2), tags: ["prod"] }),
    version("a/4", { ...status, isSynced: false }, aged(1)),
    version("a/5", status, aged(0)),
    version("b/1"),
  ];

  it("are folded below the last row of their name, unless they have tags or are catching up", () => {
    const text = page(all);
    expect(rowsOf(text)).toEqual(["a/4", "a/5", "a/3", "b/1"]);
    const [, fold = ""] = text.split('<details id="older-a">');
    expect(wordsOf(fold)).toMatch(/^2 older versions of a a\/2 paused a\/1 synced (?!a\/)/);
    expect(fold).toContain('<a href="/dashboard/a/2">');
    expect(text.indexOf('<details id="older-a">')).toBeGreaterThan(text.indexOf('id="row-a/3"'));
    expect(text).not.toContain("older-b");
  });

  it("are never hidden if they have failed, have errors, or wait for a node", () => {
    const away = { kind: "away", why: "gone" } as const;
    for (const said of [
      failed,
      { ...status, health: "unhealthy" },
      { ...status, nodeState: away },
      { ...status, health: "unknown" },
    ] as const)
      expect(rowsOf(page([version("a/1", said, aged(1)), version("a/2")]))).toContain("a/1");
  });

  it("are rows when the address asks for a text, a state, a tag or the order of their age", () => {
    for (const address of ["/?q=a", "/?sort=newest", "/?sort=behind"])
      expect(rowsAt(all, address)).toEqual(expect.arrayContaining(["a/1", "a/2", "a/3", "a/4", "a/5"]));
    expect(rowsAt(all, "/?state=synced")).toContain("a/1");
    expect(rowsAt(all, "/?chain=mainnet")).not.toContain("a/1");
  });

  it("are listed up to ten, with a link to all of them", () => {
    const many = Array.from({ length: 14 }, (_, at) => version(`a/${at + 10}`, status, aged(14 - at)));
    const text = page([...many, version("b/1")]);
    expect(rowsOf(text)).toEqual(["a/23", "b/1"]);
    expect(wordsOf(text)).toContain("13 older versions of a");
    expect(text.match(/<li><a href="\/dashboard\/a\//g)).toHaveLength(10);
    const [, link = ""] = /<a href="(\/[^"]*)">All versions of a</.exec(text) ?? [];
    expect(rowsAt([...many, version("b/1")], link.replaceAll("&#38;", "&"))).toHaveLength(14);
  });
});

describe("the filters of the overview", () => {
  const all = [
    version("pools/1.0.0", failed, { tags: ["prod"] }),
    version("pools/1.1.0", status, { network: "base" }),
    version("tokens/1.0.0", { ...status, isSynced: false }, { tags: ["prod", "beta"] }),
    version("waves/1.0.0", status, { isPaused: true }),
  ];

  it("find text in names, tags and deployments, and combine", () => {
    expect(rowsAt(all, "/?q=POOLS")).toEqual(["pools/1.0.0", "pools/1.1.0"]);
    expect(rowsAt(all, "/?q=Qmwaves")).toEqual(["waves/1.0.0"]);
    expect(rowsAt(all, "/?q=beta")).toEqual(["tokens/1.0.0"]);
    expect(rowsAt(all, "/?tag=prod&state=failed")).toEqual(["pools/1.0.0"]);
    expect(rowsAt(all, "/?chain=base")).toEqual(["pools/1.1.0"]);
    expect(rowsAt(all, "/?state=paused")).toEqual(["waves/1.0.0"]);
    expect(page(all, "/?q=none")).toContain("No subgraph matches.");
  });

  it("stay in the address of every link of the page, and ignore unknown values", () => {
    const asked = askedOverview(new URLSearchParams("q=a b&state=failed&sort=behind&page=3&tag=x&chain=y"));
    expect(overviewAddress(asked)).toBe("/?q=a+b&state=failed&chain=y&tag=x&sort=behind&page=3");
    const odd = askedOverview(new URLSearchParams("state=none&sort=;drop&page=-1e9"));
    expect(overviewAddress(odd)).toBe("/");
    const text = page(all, "/?q=%22%3E%3Cscript%3E");
    expect(text).toContain('value="&#34;&#62;&#60;script&#62;"');
  });

  it("count every state, also when a filter hides it", () => {
    expect(arrange(all, askedOverview(new URLSearchParams("state=failed")), now).counts).toEqual(
      new Map([
        ["failed", 1],
        ["synced", 1],
        ["indexing", 1],
        ["paused", 1],
      ]),
    );
    const words = wordsOf(page(all, "/?state=failed"));
    expect(words).toContain("4 all 1 failed 1 catching up 1 paused 1 synced");
  });
});

describe("a row of the overview", () => {
  it("describes a failure in one line: since when, in which block, and why", () => {
    const [, row = ""] = page([version("pools/1.0.0", failed)]).split('<tr id="row-pools/1.0.0">');
    expect(wordsOf(row)).toContain("failed since 11:48 UTC (12 min) Block 61: division by zero");
    const yesterday = { ...failed, fatalError: { message: "x", block: 1, failedAt: now - 13 * 3_600_000 } };
    expect(wordsOf(page([version("pools/1.0.0", yesterday)]))).toContain("since 2026-11-26 23:00 UTC (13 h)");
    const long = { ...failed, fatalError: { message: `${"a".repeat(200)}\nsecond line`, block: 1 } };
    expect(wordsOf(page([version("pools/1.0.0", long)]))).toMatch(/Block 1: a{160}… /);
  });

  it("says how far behind it is, in blocks and in time", () => {
    const behind = { ...status, isSynced: false, headBlock: 40, headTimestamp: now / 1000 - 720 };
    const nodes = [{ network: "mainnet", head: 100, headAt: now }];
    const words = wordsOf(page([version("pools/1.0.0", behind)], "/", { nodes }));
    expect(words).toContain("catching up 40 %");
    expect(words).toMatch(/mainnet 6012 min 40/);
  });

  it("names what it waits for, as the totals do", () => {
    const why = "The database is read-only";
    const waiting: HostedStatus = {
      ...status,
      health: "unhealthy",
      nonFatalErrors: [{ message: why }],
      waitsFor: why,
      waitsSince: now - 180_000,
    };
    const [head = "", row = ""] = page([version("pools/1.0.0", waiting)]).split('<tr id="row-pools/1.0.0">');
    expect(wordsOf(head)).toContain("1 waiting");
    expect(wordsOf(row)).toContain(`waiting since 11:57 UTC (3 min) ${why}`);
  });

  it("does not count blocks up to a chain head that is old", () => {
    const away: HostedStatus = {
      ...status,
      headBlock: 40,
      nodeState: { kind: "away", since: now - 180_000, why: "No news from mainnet's node" },
    };
    const words = wordsOf(page([version("pools/1.0.0", away)]));
    expect(words).toContain("node unavailable since 11:57 UTC (3 min) No news from mainnet&#39;s node");
    expect(words).not.toContain("60");
  });
});

describe("the head of the overview", () => {
  it("shows the nodes of the project's chains, those with problems first", () => {
    const away = { kind: "away", since: now - 120_000, why: "gone" } as const;
    const nodes = chainNodes(
      [
        { network: "base", isUp: true, head: 7, headAt: now - 31_000 },
        { network: "foreign", isUp: true, head: 9 },
        { network: "mainnet", isUp: false, state: away, head: 100 },
      ],
      [
        ["base", status],
        ["mainnet", status],
      ],
    );
    expect(nodes.map(({ network }) => network)).toEqual(["mainnet", "base"]);
    const words = wordsOf(page([version("a/1"), version("b/1")], "/", { nodes }));
    expect(words).toContain(
      "mainnet node unavailable since 11:58 UTC (2 min) block 100 base block 7 30 s ago",
    );
  });

  it("lists nodes that only a deployment's status reports", () => {
    const stuck = { ...status, nodeState: { kind: "stuck", why: "stuck" } } as const;
    expect(
      chainNodes(
        [],
        [
          ["base", status],
          ["gnosis", stuck],
          ["base", status],
        ],
      ),
    ).toMatchObject([
      { network: "gnosis", state: { kind: "stuck" } },
      { network: "base", head: 100 },
    ]);
  });

  it("tells the number of failures in the tab, and the totals to screen readers", () => {
    const text = page([version("a/1", failed), version("b/1", failed), version("c/1")]);
    expect(text).toContain("<title>(2 failed) Subgraphs");
    expect(text).toContain('data-news="3 subgraphs: 2 failed, 1 synced"');
  });

  it("names the webhook receivers that are down", () => {
    const webhook = { name: "swaps", subgraph: "pools", version: "1.0.0" } as OverviewFacts["down"][number];
    const text = page([version("pools/1.0.0")], "/", { down: [webhook] });
    expect(wordsOf(text)).toContain("1 webhook receiver down: swaps");
    expect(text).toContain('href="/dashboard/pools/1.0.0/webhooks/swaps"');
  });
});

it("the overview stays under 60 KB, compressed, with 1,000 subgraphs, and finds each of them", () => {
  const many = Array.from({ length: 1_000 }, (_, at) => {
    const said = at % 50 === 0 ? failed : { ...status, headBlock: (at * 7919) % 100, handlersPerSecond: at };
    return version(`name-${at % 90}/1.${at}.0`, said, { tags: [`tag-${at}`], network: `chain-${at % 7}` });
  });
  let seed = 1;
  const height = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % 16;
  };
  const line = () => Array.from({ length: 60 }, (_, at) => `L${at} ${height()}`).join("");
  const lastHour = (deployment: string) =>
    html`<svg><title>Lag of ${deployment}</title><path d="M0 16${line()}z"/></svg>`;
  const first = page(many, "/", { lastHour });
  expect(gzipSync(first).length).toBeLessThan(60_000);
  const addresses = [...first.matchAll(/href="(\/\?page=\d+)"/g)].map(([, address = ""]) => address);
  const seen = [rowsOf(first), ...addresses.map((address) => rowsAt(many, address))].flat();
  expect(new Set(seen).size).toBe(1_000);
});
