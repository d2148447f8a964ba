import { appendFileSync, existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openArchiveFiles } from "../../../src/machine/files/archive-files.js";
import { hashOf, madeBlocks, madeLogs, put } from "../../support/archive/made-chain.js";
import { graphloom, workplace } from "../harness.js";

/** A working directory with an archive in the folder `kept`. */
async function archive(): Promise<{ readonly cwd: string; readonly blocks: string }> {
  const cwd = workplace();
  await put(
    openArchiveFiles(join(cwd, "kept")),
    { blocks: madeBlocks(1, 9) },
    { blocks: madeBlocks(4, 7) },
    { blocks: madeBlocks(20, 29) },
    { logs: madeLogs(1, 9), claim: { from: 1, to: 9 } },
    { answers: [{ number: 3 }] },
  );
  return { cwd, blocks: join(cwd, "kept", "1", "blocks") };
}

/** Damages the segment of blocks 20 to 29. @returns the file's name */
function damage(blocks: string): string {
  const name = readdirSync(blocks).find((each) => each.startsWith("20-29-")) ?? "";
  writeFileSync(join(blocks, name), "x");
  return name;
}

describe("archive list", () => {
  it.each(["archive", "archive list"])("shows the chains as a table: %s", async (line) => {
    const { cwd } = await archive();
    const { code, out, err } = await graphloom(cwd, `${line} --archive kept`);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const [heading, row = "", ...more] = out.trimEnd().split("\n");
    expect(heading?.split(/ {2,}/)).toEqual(
      "CHAIN NETWORKS RANGES FINAL SEGMENTS BLOCKS LOGS ANSWERS SIZE".split(" "),
    );
    expect(row.split(/ {2,}/)).toEqual([
      "1",
      "mainnet",
      "1-9, 20-29",
      "1000",
      "5",
      "23",
      "3",
      "1",
      expect.stringMatching(/^\d+ KB$/),
    ]);
    expect(more).toEqual([]);
  });

  it("shows the archives as JSON, and takes the folder from GRAPHLOOM_ARCHIVE", async () => {
    const { cwd } = await archive();
    const { code, out } = await graphloom(cwd, "archive --output json", {
      env: { GRAPHLOOM_ARCHIVE: "kept" },
    });
    expect(code).toBe(0);
    const { folder, chains } = JSON.parse(out);
    expect(folder).toBe(join(cwd, "kept"));
    expect(chains).toEqual([
      {
        chain: "1",
        networks: ["mainnet"],
        folder: "1",
        bytes: expect.any(Number),
        segments: 5,
        ranges: [
          { from: 1, to: 9 },
          { from: 20, to: 29 },
        ],
        set_aside: [],
        final: { number: 1_000, hash: hashOf("block 1000") },
        blocks: expect.objectContaining({ count: 23, segments: 3 }),
        logs: expect.objectContaining({ count: 3, segments: 1 }),
        answers: expect.objectContaining({ count: 1, segments: 1 }),
      },
    ]);
    expect(chains[0].bytes).toBe(chains[0].blocks.bytes + chains[0].logs.bytes + chains[0].answers.bytes);
  });
});

describe("a segment that was set aside", () => {
  it("is counted by the list, named by a verification, and removed by a prune", async () => {
    const { cwd, blocks } = await archive();
    const [name = ""] = readdirSync(blocks);
    const manifest = join(cwd, "kept", "1", "manifest.jsonl");
    const lines = readFileSync(manifest, "utf8")
      .split("\n")
      .filter((line) => line.includes(name));
    const { segment } = JSON.parse(lines[0] ?? "");
    appendFileSync(manifest, `\n${JSON.stringify({ aside: { segment, why: "it has two blocks 5" } })}\n`);
    const list = await graphloom(cwd, "archive --archive kept");
    expect(list.out).toContain("mainnet: 1 segment set aside. To see why: graphloom archive verify.");
    const { code, out } = await graphloom(cwd, "archive verify --archive kept");
    expect(code).toBe(0);
    expect(out).toContain(
      `note: 1/aside/blocks-${name}: it was set aside, and is not used: it has two blocks 5`,
    );
    await graphloom(cwd, "archive prune --archive kept --damaged");
    expect((await graphloom(cwd, "archive --archive kept")).out).not.toContain("set aside");
  });
});

describe("archive verify", () => {
  it("shows its progress and the time left in a terminal, and then erases them", async () => {
    const { cwd } = await archive();
    const { err, out } = await graphloom(cwd, "archive verify --archive kept", { isTty: true });
    expect(err).toMatch(/[█░]{10} \d+ %(?:, \d+ s left)? \| \d+ KB of \d+ KB \| \d/);
    expect(err.endsWith("\r\u001b[2K")).toBe(true);
    expect(out).toContain("no faults");
    const pruned = await graphloom(cwd, "archive prune --archive kept --damaged --dry-run", { isTty: true });
    expect(pruned.err).toMatch(/[█░]{10} \d+ %/);
  });

  it("finds no faults, and says what it could not recompute", async () => {
    const { cwd } = await archive();
    const { code, out, err } = await graphloom(cwd, "archive verify --archive kept");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.split("\n").slice(0, -2)).toEqual([
      expect.stringMatching(/^not recomputed: 23 block hashes: headers without all fields/),
      expect.stringMatching(/^not recomputed: 23 transactions roots: headers without all fields/),
      expect.stringMatching(/^not recomputed: 1 answer: reads, balances and code/),
      "not recomputed: 3 logs: held against bloom filters alone, which do not cover data",
    ]);
    expect(out).toMatch(/^mainnet: 5 segments, 9 files, \d+ KB: no faults\n$/m);
  });

  it("reports what is wrong, and exits with 1", async () => {
    const { cwd, blocks } = await archive();
    const name = damage(blocks);
    appendFileSync(join(cwd, "kept", "1", "manifest.jsonl"), "\n{torn");
    const { code, out, err } = await graphloom(cwd, "archive verify --archive kept --chain mainnet");
    expect(code).toBe(1);
    expect(out).toContain(`fault: 1/blocks/${name}: the file has 1 bytes instead of `);
    expect(out).toContain("note: 1/manifest.jsonl: 1 line cannot be read");
    expect(out).toMatch(/: 1 fault\n$/);
    expect(err).toContain("graphloom archive prune --damaged");
    const json = await graphloom(cwd, "archive verify --archive kept --output json");
    expect({ code: json.code, err: json.err }).toEqual({ code: 1, err: "" });
    expect(JSON.parse(json.out)).toMatchObject({
      ok: false,
      chains: [{ chain: "1", faults: [{ file: `1/blocks/${name}` }], notes: [{ file: "1/manifest.jsonl" }] }],
    });
  });

  it("shows control characters of a name instead of obeying them", async () => {
    const { cwd, blocks } = await archive();
    writeFileSync(join(blocks, "a\u001b[2Jb"), "x");
    const { code, out } = await graphloom(cwd, "archive verify --archive kept");
    expect(code).toBe(0);
    expect(out).toContain("note: 1/blocks/a\\u001b[2Jb: it is not a file of the archive\n");
  });
});

describe("archive prune", () => {
  it("removes segments that others contain and old leftovers, and lists them", async () => {
    const { cwd, blocks } = await archive();
    const left = join(blocks, "1-2-0123456789abcdef.parquet.0a0b0c.tmp");
    for (const path of [left, left.replace("1-2", "1-3")]) writeFileSync(path, "x");
    utimesSync(left, 1, 1);
    const before = readdirSync(blocks);
    const dry = await graphloom(cwd, "archive prune --archive kept --dry-run");
    expect(dry.out).toMatch(/^mainnet: would remove 3 files with 1 segment \(\d+ KB\)$/m);
    expect(readdirSync(blocks)).toEqual(before);
    const { code, out, err } = await graphloom(cwd, "archive prune --archive kept");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toBe(dry.out.replace("would remove", "removed"));
    expect(out).toMatch(/^1\/blocks\/4-7-[0-9a-f]{16}\.parquet {2}\d+ KB {2}held by others, too$/m);
    expect(out).toMatch(/^1\/blocks\/1-2-.*\.tmp {2}1 KB {2}left by a crash$/m);
    expect(readdirSync(blocks).length).toBe(before.length - 2);
    const again = await graphloom(cwd, "archive prune --archive kept");
    expect(again.out).toBe("mainnet: nothing to remove\n");
  });

  it("removes damaged segments, so that the next verification finds no fault", async () => {
    const { cwd, blocks } = await archive();
    const name = damage(blocks);
    const { code, out } = await graphloom(cwd, "archive prune --archive kept --damaged --output json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ dry_run: false, chains: [{ segments: 1 }] });
    expect(JSON.parse(out).chains[0].removed[0]).toEqual({
      file: `1/blocks/${name}`,
      bytes: 1,
      why: "damaged",
    });
    expect((await graphloom(cwd, "archive verify --archive kept")).code).toBe(0);
  });

  it("removes segments that end before a block", async () => {
    const { cwd, blocks } = await archive();
    await graphloom(cwd, "archive prune --archive kept --before 10");
    expect(readdirSync(blocks).length).toBe(1);
  });

  it("asks before it removes a chain", async () => {
    const { cwd, blocks } = await archive();
    const asked: string[] = [];
    const answering = (answer: string) => ({
      ask: async (question: string) => {
        asked.push(question);
        return answer;
      },
    });
    const line = "archive prune --archive kept --chain mainnet --all";
    const unasked = await graphloom(cwd, line);
    expect(unasked.code).toBe(2);
    expect(unasked.err).toContain("To answer yes, add --force.");
    const no = await graphloom(cwd, line, answering("n"));
    expect({ code: no.code, err: no.err }).toEqual({ code: 1, err: "Nothing was changed.\n" });
    expect(asked[0]).toMatch(
      /^Remove all that the archive has of mainnet \(chain 1, folder 1, \d+ KB\)\? \[y\/N\] $/,
    );
    expect(readdirSync(blocks).length).toBe(3);
    const dry = await graphloom(cwd, `${line} --dry-run`);
    expect({ code: dry.code, err: dry.err }).toEqual({ code: 0, err: "" });
    expect(readdirSync(blocks).length).toBe(3);
    expect((await graphloom(cwd, line, answering("y"))).code).toBe(0);
    expect(readdirSync(blocks)).toEqual([]);
    expect(existsSync(join(cwd, "kept", "1", "manifest.jsonl"))).toBe(false);
    expect((await graphloom(cwd, "archive --archive kept")).out).toBe("The archive is empty.\n");
  });

  it("names the folders of chains that share an id", async () => {
    const { cwd } = await archive();
    const file = "kept/networks.jsonl";
    appendFileSync(join(cwd, file), '{"network":"mainnet","folder":"1-0a1b2c3d","chainId":"1"}\n');
    const asked: string[] = [];
    const ask = async (question: string): Promise<string> => {
      asked.push(question);
      return "n";
    };
    for (const chain of ["1", "1-0a1b2c3d"])
      await graphloom(cwd, `archive prune --archive kept --chain ${chain} --all`, { ask });
    expect(asked[0]).toMatch(
      / of mainnet \(chain 1, folder 1, \d+ KB\) and of mainnet \(chain 1, folder 1-0a1b2c3d, 0 KB\)\?/,
    );
    expect(asked[1]).toMatch(/ of mainnet \(chain 1, folder 1-0a1b2c3d, 0 KB\)\?/);
  });

  it("removes a chain without asking when it is forced", async () => {
    const { cwd, blocks } = await archive();
    expect((await graphloom(cwd, "archive prune --archive kept --chain 1 --all -f")).code).toBe(0);
    expect(readdirSync(blocks)).toEqual([]);
  });
});

describe("the commands about an archive", () => {
  it.each([
    ["archive", 2, "No archive named. Pass --archive <folder>, or set GRAPHLOOM_ARCHIVE."],
    ["archive --archive=", 2, "No archive named."],
    ["archive --archive nothing", 1, "There is no archive in "],
    ["archive --archive .", 1, "There is no archive in "],
    ["archive --archive kept/networks.jsonl", 1, "(ENOTDIR). Check the folder"],
    ["archive verify --archive kept --chain sepolia", 2, 'has no chain "sepolia". It has: mainnet (1).'],
    ["archive prune --archive kept --all", 2, "--all requires --chain"],
    ["archive prune --archive kept --all --chain 1 --damaged", 2, "Leave out --damaged and --before."],
    ["archive prune --archive kept --before 1.5", 2, "--before must be a whole number"],
    ["archive prune --archive kept --before x", 2, "--before must be a whole number"],
  ])("%s is refused with a reason", async (line, expected, why) => {
    const { cwd } = await archive();
    const { code, err } = await graphloom(cwd, line);
    expect(err).toContain(why);
    expect(code).toBe(expected);
  });
});
