import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openApiDocument } from "../../src/data/openapi/openapi-document.js";
import type { DataStore } from "../../src/data/reads/data-reads.js";
import { createDataService, type DataService } from "../../src/data/service/data-service.js";
import { ClickHouseError } from "../../src/pipelines/sinks/clickhouse-server.js";
import { type Asked, ask, dataKey } from "../support/data/asked.js";
import { hashOf, type MadeChain, timeOf } from "../support/data/made-chain.js";
import { describeRows, type MadeRows } from "../support/data/made-rows.js";

const chain: MadeChain = { chain: "ethereum", head: 250, final: 200 };
const now = (timeOf(250) + 30) * 1000;

describeRows("the blocks of the data service", (fresh, isFirst) => {
  let rows: MadeRows;
  let service: DataService;

  beforeAll(async () => {
    ({ rows } = await fresh());
    await rows.makeChain(chain);
    service = createDataService({ store: rows.store(), key: dataKey, now: () => now });
  });

  afterAll(() => rows.drop("ethereum"));

  const blocks = (query: Parameters<typeof ask>[2] = {}): Promise<Asked> =>
    ask(service, "/blocks/ethereum", query);
  const numbersIn = ({ body }: Asked): readonly number[] =>
    body.data.map(({ number }: { readonly number: number }) => number);

  it("the data service returns the newest hundred blocks by default, newest first, and says for which block", async () => {
    const { status, headers, body } = await blocks();
    expect(status).toBe(200);
    expect(body.limit).toBe(100);
    expect(numbersIn({ body } as Asked)).toEqual(Array.from({ length: 100 }, (_, index) => 250 - index));
    expect(headers).toMatchObject({
      "x-block-number": "250",
      "x-block-hash": hashOf(chain, 250),
      "x-block-timestamp": String(timeOf(250)),
      "x-blocks": `ethereum;number=250;hash="${hashOf(chain, 250)}";time=${timeOf(250)}`,
    });
    const { responses } = pathsOf()["/blocks/{chain}"].get;
    expectFits(responses[200], body);
    expect(body.data[0]).toMatchObject({ chain: "ethereum", parent_hash: hashOf(chain, 249), size: 500 });
  });

  it("blocks are found by number, by hash and by ranges", async () => {
    expect(numbersIn(await blocks({ number: 7 }))).toEqual([7]);
    expect(numbersIn(await blocks({ hash: hashOf(chain, 9) }))).toEqual([9]);
    expect(numbersIn(await blocks({ hash: hashOf(chain, 9).toUpperCase().replace("0X", "0x") }))).toEqual([
      9,
    ]);
    expect(numbersIn(await blocks({ number_gte: 3, number_lte: 5 }))).toEqual([5, 4, 3]);
    expect(numbersIn(await blocks({ number_gte: 3, number_lte: 5, sort: "number_asc" }))).toEqual([3, 4, 5]);
    // Two blocks share each timestamp.
    const times = { timestamp_gte: timeOf(10), timestamp_lte: timeOf(12) };
    expect(numbersIn(await blocks(times))).toEqual([13, 12, 11, 10]);
    expect(numbersIn(await blocks({ ...times, number_lte: 11 }))).toEqual([11, 10]);
    expect(numbersIn(await blocks({ limit: 0 }))).toEqual([]);
    expect((await blocks({ limit: 5_000 })).body.limit).toBe(1_000);
    // Parameters of other operations are ignored.
    expect((await blocks({ page_size: 3 })).body.limit).toBe(100);
  });

  it("the data service returns the requested number of blocks, with a cursor while more follow", async () => {
    for (const limit of [0, 1, 2, 9, 10, 11, 99, 100, 101, 250, 251, 1_000]) {
      const page = await blocks({ limit });
      const shown = Math.min(limit, 251);
      expect([limit, numbersIn(page)]).toEqual([
        limit,
        Array.from({ length: shown }, (_, index) => 250 - index),
      ]);
      expect([limit, page.body.next_cursor !== null]).toEqual([limit, limit > 0 && limit < 251]);
    }
  });

  it("blocks are found by timestamp", async () => {
    for (const [at, number] of [
      [timeOf(20), 21],
      [timeOf(20) + 11, 21],
      [timeOf(0) - 1, undefined],
      [timeOf(250) + 999, 250],
    ] as const)
      expect(numbersIn(await blocks({ timestamp_lte: at, sort: "number_desc", limit: 1 }))).toEqual(
        number === undefined ? [] : [number],
      );
  });

  it("a request for blocks that do not exist returns an empty list with status 200", async () => {
    for (const query of [
      { number: 251 },
      { number: "9223372036854775807" },
      { hash: `0x${"0".repeat(64)}` },
      { number_gte: 9, number_lte: 8 },
      { timestamp_gte: timeOf(250) + 1 },
    ]) {
      const { status, body } = await blocks(query);
      expect([status, body.data, body.next_cursor]).toEqual([200, [], null]);
    }
  });

  if (isFirst)
    it.each([
      [400, "BAD_REQUEST", { hash: "0x12" }],
      [400, "BAD_REQUEST", { hash: "" }],
      [400, "BAD_REQUEST", { sort: "newest" }],
      [400, "BAD_REQUEST", { number: -1 }],
      [400, "BAD_REQUEST", { number: "1e3" }],
      [400, "BAD_REQUEST", { number: "9223372036854775808" }],
      [400, "BAD_REQUEST", { limit: -1 }],
      [400, "BAD_REQUEST", { limit: "2147483648" }],
      [400, "BAD_REQUEST", { timestamp_gte: "2024-01-01" }],
      [400, "INVALID_CURSOR", { cursor: "abc" }],
      [422, "CONFLICTING_FILTERS", { number: 1, hash: `0x${"0".repeat(64)}` }],
      [422, "CONFLICTING_FILTERS", { number: 1, number_gte: 1 }],
      [422, "CONFLICTING_FILTERS", { number: 1, timestamp_lte: 1 }],
      [422, "CONFLICTING_FILTERS", { hash: `0x${"0".repeat(64)}`, number_lte: 1 }],
    ])("blocks are refused with %i %s for %j", async (status, code, query) => {
      const { status: found, body, headers } = await blocks(query);
      expect([found, body.error.code]).toEqual([status, code]);
      expect(headers["cache-control"]).toBe("no-store");
      expectFits(pathsOf()["/blocks/{chain}"].get.responses[status], body);
    });

  it("blocks are refused for chains that do not exist or have no data", async () => {
    for (const [slug, status, code] of [
      ["nowhere", 400, "UNKNOWN_CHAIN"],
      ["polygon", 400, "UNKNOWN_CHAIN"],
      ["%E0%A4%A", 400, "UNKNOWN_CHAIN"],
      ["matic", 502, "NO_DATA"],
    ] as const)
      for (const path of [`/blocks/${slug}`, `/blocks/${slug}/head`]) {
        const { status: found, body } = await ask(service, path);
        expect([path, found, body.error.code]).toEqual([path, status, code]);
      }
  });

  it("the data service returns the head, with its lag", async () => {
    const { status, body, headers } = await ask(service, "/blocks/ethereum/head");
    expect([status, body]).toEqual([
      200,
      { chain: "ethereum", number: 250, timestamp: timeOf(250), head_lag_seconds: 30 },
    ]);
    expect(headers["cache-control"]).toBe("private, max-age=2");
  });

  it("answers may be cached for long if no reorganisation can change them", async () => {
    for (const [query, isFinal] of [
      [{ number: 200 }, true],
      [{ number: 201 }, false],
      [{ hash: hashOf(chain, 200) }, true],
      [{ hash: `0x${"0".repeat(64)}` }, false],
      [{ number_lte: 150 }, true],
      [{ number_gte: 150 }, false],
      [{ sort: "number_asc", number_lte: 200, limit: 1_000 }, true],
      // Its cursor is of a walk that a reorganisation may end.
      [{ sort: "number_asc", limit: 10 }, false],
      [{ sort: "number_asc", number_gte: 195, limit: 10 }, false],
      [{ timestamp_lte: timeOf(100), limit: 1 }, true],
      [{ timestamp_lte: timeOf(200), limit: 1 }, false],
    ] as const) {
      const { headers } = await blocks(query);
      expect([query, headers["cache-control"]]).toEqual([
        query,
        isFinal ? "private, max-age=86400" : "private, max-age=2",
      ]);
    }
  });

  it("answers may not be cached for long if the next block can change them", async () => {
    // The tables end at a block that is final, as after an import from an archive.
    await rows.makeChain({ ...chain, final: 250 });
    for (const [query, isFinal] of [
      [{}, false],
      [{ limit: 1 }, false],
      [{ number: 251 }, false],
      [{ number_lte: 300 }, false],
      [{ number_gte: 251 }, false],
      [{ timestamp_lte: timeOf(250), limit: 1 }, false],
      [{ hash: `0x${"0".repeat(64)}` }, false],
      [{ sort: "number_asc", number_gte: 245 }, false],
      [{ sort: "number_asc", number_gte: 245, limit: 6 }, true],
      [{ number: 250 }, true],
      [{ number_lte: 250 }, true],
      [{ timestamp_lte: timeOf(248), limit: 1 }, true],
    ] as const) {
      const { headers } = await blocks(query);
      expect([query, headers["cache-control"]]).toEqual([
        query,
        isFinal ? "private, max-age=86400" : "private, max-age=2",
      ]);
    }
    // A walk never goes beyond the block at which it began.
    const { body } = await blocks({ limit: 5 });
    const { headers } = await blocks({ cursor: body.next_cursor });
    expect(headers["cache-control"]).toBe("private, max-age=86400");
    await rows.makeChain(chain);
  });

  it("blocks are walked page by page, in both orders, while new blocks come", async () => {
    for (const [sort, expected] of [
      ["number_desc", [230, 229, 228, 227, 226, 225, 224, 223, 222, 221]],
      ["number_asc", [221, 222, 223, 224, 225, 226, 227, 228, 229, 230]],
    ] as const) {
      await rows.makeChain({ ...chain, head: 230 });
      const walked: number[] = [];
      let cursor: string | undefined;
      for (let head = 230; cursor !== null && head < 250; head += 2) {
        await rows.makeChain({ ...chain, head });
        const page = await blocks(
          cursor === undefined ? { number_gte: 221, sort, limit: 3 } : { cursor, limit: 3 },
        );
        expect(page.headers["x-block-number"]).toBe("230");
        walked.push(...numbersIn(page));
        cursor = page.body.next_cursor;
      }
      expect(walked).toEqual(expected);
    }
    await rows.makeChain(chain);
  });

  it("a walk ends with 410 when a reorganisation replaces the block at which it began", async () => {
    const { body } = await blocks({ limit: 5 });
    await rows.makeChain({ ...chain, branch: { name: "other", from: 249 } });
    const ended = await blocks({ cursor: body.next_cursor });
    expect([ended.status, ended.body.error.code]).toEqual([410, "REORGANISED"]);
    // A page that was kept leads on, since no reorganisation reaches what follows.
    const { headers, body: kept } = await blocks({ number_lte: 200, limit: 5 });
    expect(headers["cache-control"]).toBe("private, max-age=86400");
    await rows.makeChain(chain);
    expect((await blocks({ cursor: body.next_cursor })).status).toBe(200);
    expect(numbersIn(await blocks({ cursor: kept.next_cursor, limit: 2 }))).toEqual([195, 194]);
  });

  it("a walk ends with 410 although a busy server refuses a statement once, and with 502 if it refuses again", async () => {
    const { refusing } = rows;
    if (!refusing) return;
    const { body } = await blocks({ limit: 5 });
    await rows.makeChain({ ...chain, branch: { name: "other", from: 249 } });
    const walk = async (refusal: (statement: number) => Error | undefined): Promise<readonly unknown[]> => {
      const store = refusing.call(rows, refusal);
      const one = createDataService({ store, key: dataKey, now: () => now });
      const { status, body: ended } = await ask(one, "/blocks/ethereum", { cursor: body.next_cursor });
      return [status, ended.error.code];
    };
    for (const code of [undefined, 202, 241]) {
      const error = new ClickHouseError("The server is busy.", code);
      let statements = 1;
      for (let refused = 0; refused <= statements; refused++) {
        statements = 0;
        const ended = await walk((statement) => {
          statements = Math.max(statements, statement);
          return statement === refused ? error : undefined;
        });
        expect([code, refused, ...ended]).toEqual([code, refused, 410, "REORGANISED"]);
      }
      expect(statements).toBeGreaterThan(3);
      expect([code, ...(await walk(() => error))]).toEqual([code, 502, "UPSTREAM_ERROR"]);
    }
    // What another attempt does not change is refused at once, and so is what has taken all its time.
    for (const [error, expected] of [
      [new ClickHouseError("There is no such table.", 60), [502, "UPSTREAM_ERROR"]],
      [new ClickHouseError("It took too long.", 159), [504, "TIMEOUT"]],
      [new ClickHouseError("It would take too long.", 160), [504, "TIMEOUT"]],
      [new ClickHouseError("No answer.", undefined, { isSilent: true }), [504, "TIMEOUT"]],
    ] as const) {
      const ended = await walk((statement) => (statement === 0 ? error : undefined));
      expect([error.message, ...ended]).toEqual([error.message, ...expected]);
    }
    await rows.makeChain(chain);
  });

  it("the data service returns rows of one moment while rows are written", async () => {
    const other: MadeChain = { ...chain, branch: { name: "other", from: 240 } };
    let changes = 0;
    const hashes = await rows.store().read(async (reads) => {
      const block = await reads.block("ethereum", 245);
      if (changes++ === 0) await rows.makeChain(other);
      const page = await reads.blocks({
        chain: "ethereum",
        shownAs: "ethereum",
        from: 245,
        to: 245,
        isAscending: true,
        limit: 1,
      });
      return [block?.hash, JSON.parse(page?.items ?? "").hash];
    });
    expect(hashes[0]).toBe(hashes[1]);
    await rows.makeChain(chain);
  });

  it("the data service returns rows of the branch that is written after the tables were looked up", async () => {
    const { watched } = rows;
    if (!watched) return;
    const [wallet, from, token] = [1, 2, 3].map((number) => `0x${String(number).repeat(40)}`);
    const put = (amount: bigint): Promise<void> =>
      rows.putTransfers("ethereum", [
        { block: 245, transaction: 0, log: 0, from: `${from}`, to: `${wallet}`, token: `${token}`, amount },
      ]);
    await put(1n);
    const other: MadeChain = { ...chain, branch: { name: "other", from: 240 } };
    const moves = { address: `${wallet}`, chains: "ethereum", include_unknown_price: true };
    for (const [path, query, table] of [
      ["/blocks/ethereum", { number: 245 }, "_blocks`"],
      ["/blocks/ethereum", { hash: hashOf(other, 245) }, "_blocks`"],
      ["/feeds/wallets/transfers", moves, "_transfers`"],
    ] as const) {
      let isDue = false;
      const store = watched.call(rows, async (sql) => {
        if (!isDue || !sql.includes(table)) return;
        isDue = false;
        await rows.makeChain(other);
        await put(2n);
      });
      const one = createDataService({ store, key: dataKey, now: () => now });
      await ask(one, path, query);
      isDue = true;
      const { headers, body } = await ask(one, path, query);
      expect([path, isDue, headers["x-block-hash"]]).toEqual([path, false, hashOf(other, 250)]);
      expect(body.data).toMatchObject([
        path === "/blocks/ethereum" ? { hash: hashOf(other, 245) } : { amount_raw: "2" },
      ]);
      await rows.makeChain(chain);
      await put(1n);
    }
  });

  it("a request takes one statement if nothing has changed, and a request about wallets takes two", async () => {
    const { watched } = rows;
    if (!watched) return;
    let statements = 0;
    const store = watched.call(rows, async () => void statements++);
    const one = createDataService({ store, key: dataKey, now: () => now });
    const wallet = { address: `0x${"1".repeat(40)}`, chains: "ethereum", include_unknown_price: true };
    const day = { from: "2023-11-14T22:13:20Z", to: "2023-11-15T22:13:20Z", direction: "in" };
    const balances = { ...wallet, token_address: `0x${"3".repeat(40)}` };
    const asked = [
      ["/blocks/ethereum/head", {}, 1],
      ["/blocks/ethereum", { number: 7 }, 1],
      ["/blocks/ethereum", { hash: hashOf(chain, 9) }, 1],
      ["/blocks/ethereum", { number_gte: 3, limit: 10 }, 1],
      ["/blocks/ethereum", { timestamp_lte: timeOf(10), limit: 1 }, 2],
      ["/feeds/wallets/transfers", wallet, 2],
      ["/feeds/wallets/transfers", { ...wallet, ...day }, 2],
      ["/feeds/wallets/balances", balances, 2],
    ] as const;
    // What is remembered as long as no block comes.
    await ask(one, "/feeds/wallets/transfers", wallet);
    await ask(one, "/feeds/wallets/balances", balances);
    await ask(one, "/blocks/ethereum");
    for (const [path, query, expected] of asked) {
      statements = 0;
      expect((await ask(one, path, query)).status).toBe(200);
      expect([path, query, statements]).toEqual([path, query, expected]);
    }
  });

  it("the data service returns NO_DATA for a table that is rebuilt, until it is filled", async () => {
    const { remakeBlocks } = rows;
    if (!remakeBlocks) return;
    expect(numbersIn(await blocks({ number: 7 }))).toEqual([7]);
    await remakeBlocks.call(rows, "ethereum");
    const { body } = await blocks({ number: 7 });
    expect(body.error?.code).toBe("NO_DATA");
    await rows.makeChain(chain);
    expect(numbersIn(await blocks({ number: 7 }))).toEqual([7]);
  });

  it("the data service answers 503 while a part of the rows is replaced", async () => {
    if (!rows.interrupt) return;
    await rows.interrupt({ ...chain, branch: { name: "other", from: 240 } });
    const { status, headers, body } = await blocks({ number: 245 });
    expect([status, headers["retry-after"], body.error.chains]).toEqual([503, "2", ["ethereum"]]);
    expectFits(pathsOf()["/blocks/{chain}"].get.responses[503], body);
    await rows.makeChain(chain);
    expect((await blocks({ number: 245 })).body.data).toMatchObject([{ hash: hashOf(chain, 245) }]);
  });

  it("the data service accepts a cursor only for the walk that returned it", async () => {
    const { body } = await blocks({ limit: 5, number_gte: 100 });
    const cursor: string = body.next_cursor;
    expect(numbersIn(await blocks({ cursor, number_gte: 100, sort: "number_desc", limit: 1 }))).toEqual([
      245,
    ]);
    const [text = "", signature = ""] = cursor.split(".");
    const other = Buffer.from(Buffer.from(text, "base64url").toString().replace("100", "101")).toString(
      "base64url",
    );
    for (const query of [
      { cursor, number_gte: 101 },
      { cursor, number_lte: 240 },
      { cursor, sort: "number_asc" },
      { cursor: `${other}.${signature}` },
      { cursor: `${text}.${signature}x` },
      { cursor: text },
    ]) {
      const { status, body: refused } = await blocks(query);
      expect([status, refused.error.code]).toEqual([400, "INVALID_CURSOR"]);
    }
    expect((await ask(service, "/blocks/matic", { cursor })).body.error.message).toContain("another chain");
  });

  if (isFirst)
    it("the data service requires the key, in one of three places", async () => {
      const answer = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> =>
        (await service.answer({ method: "GET", url, header: (name) => headers[name] })).status;
      const path = "/blocks/ethereum/head";
      expect(await answer(path)).toBe(401);
      expect(await answer(path, { "x-api-key": "other" })).toBe(401);
      expect(await answer(`${path}?key=other`)).toBe(401);
      expect(await answer(path, { "x-api-key": dataKey })).toBe(200);
      expect(await answer(path, { authorization: `Bearer ${dataKey}` })).toBe(200);
      expect(await answer(`${path}?key=${dataKey}`)).toBe(200);
      // One that is right is enough, whatever a proxy adds.
      for (const other of ["", "other"])
        expect(await answer(`${path}?key=${dataKey}`, { "x-api-key": other })).toBe(200);
      expect(await answer(`${path}?key=other&key=${dataKey}`, { authorization: "Bearer other" })).toBe(200);
      expect(await answer(`${path}?key=other`, { "x-api-key": "", authorization: "Bearer other" })).toBe(401);
      const refused = await service.answer({ method: "POST", url: path, header: () => undefined });
      expect([refused.status, refused.headers.allow]).toEqual([405, "GET, HEAD"]);
    });

  it("the data service reports how far each category is indexed", async () => {
    const { status, body, headers } = await ask(service, "/status");
    expect([status, headers["cache-control"]]).toEqual([200, "no-store"]);
    expectFits(pathsOf()["/status"].get.responses[200], body);
    expect(body.chains).toEqual([
      {
        chain: "ethereum",
        blocks_chain: "ethereum",
        chain_id: 1,
        indexed_from: 0,
        head_lag_seconds: 30,
        indexed_to: { blocks: 250, transfers: 250, natives: 250 },
        final_to: { blocks: 200, transfers: 200, natives: 200 },
        capabilities: { receipts: true, traces: false, finality: "tag", node: false },
      },
    ]);
  });

  it("the data service answers 504 if the database is slow and 502 if it fails, and tells only the operator why", async () => {
    const failures: string[] = [];
    const telling = (store: DataStore): DataService =>
      createDataService({
        store,
        key: dataKey,
        now: () => now,
        onFailure: (...failure) => failures.push(failure.join(": ")),
      });
    const slow = telling(rows.slow(200));
    // The first request also looks whether the chain has tables.
    for (const _ of [1, 2]) expect((await ask(slow, "/blocks/ethereum")).body.error.code).toBe("TIMEOUT");
    await rows.hideBlocks("ethereum", true);
    const { status, body } = await ask(telling(rows.store()), "/blocks/ethereum");
    expect([status, body.error.code]).toEqual([502, "UPSTREAM_ERROR"]);
    expect(JSON.stringify(body)).not.toContain("graphloom_data");
    expect(failures).toEqual([
      ...[1, 2].map(() => expect.stringMatching(/^TIMEOUT: .*(?:timeout|Timeout)/)),
      expect.stringMatching(/^UPSTREAM_ERROR: .*graphloom_data_ethereum/s),
    ]);
    await rows.hideBlocks("ethereum", false);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: the document is JSON
function pathsOf(): any {
  return (openApiDocument("") as { readonly paths: unknown }).paths;
}

/** Holds a body against a response of the OpenAPI document. */
function expectFits(response: unknown, body: unknown): void {
  const { content } = response as {
    readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;
  };
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const document = openApiDocument("") as { readonly components: object };
  const check = ajv.compile({
    $ref: content["application/json"]?.schema.$ref ?? "",
    components: document.components,
  });
  expect(check(body), JSON.stringify(check.errors)).toBe(true);
}
