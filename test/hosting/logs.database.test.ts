import { beforeEach, describe, expect, test } from "vitest";
import { ThreadLog } from "../../src/hosting/embedded/thread-log.js";
import { LogBook, readLines, trimLines, writeLines } from "../../src/hosting/logs/log-book.js";
import type { Database } from "../../src/store/database/database.js";
import { migrate } from "../../src/store/database/migrate.js";
import type { LogPage, LogQuery } from "../../src/store/logs/log-line.js";
import { describeDatabases } from "../support/database/databases.js";
import { realWorld } from "../support/worlds.js";

describeDatabases("logs", ({ fresh }) => {
  let database: Database;
  beforeEach(async () => {
    database = await fresh();
    await migrate(database);
    await writeLines(
      database,
      Array.from({ length: 10 }, (_, index) => ({
        deployment: index % 5 === 4 ? "other" : "one",
        level: index % 2 === 0 ? "info" : "error",
        text: `Line ${index} of 100%_a`,
        timestamp: 1_000 + index,
      })),
    );
  });

  const read = async (query: Partial<LogQuery>): Promise<LogPage> =>
    readLines(database, "one", { direction: "asc", limit: 100, ...query });
  const numbers = ({ lines }: LogPage): string => lines.map(({ text }) => text.split(" ")[1]).join("");

  test("the server reads logs in both directions, page by page", async () => {
    expect(numbers(await read({}))).toBe("01235678");
    expect(numbers(await read({ direction: "desc" }))).toBe("87653210");
    for (const direction of ["asc", "desc"] as const) {
      const pages: string[] = [];
      for (let cursor: number | undefined, more = true; more; ) {
        const page = await read({ direction, limit: 3, ...(cursor !== undefined && { cursor }) });
        pages.push(numbers(page));
        cursor = page.cursor;
        more = cursor !== undefined;
      }
      expect(pages).toEqual(direction === "asc" ? ["012", "356", "78"] : ["876", "532", "10"]);
    }
  });

  test("the server searches logs by text, level and time", async () => {
    expect(numbers(await read({ search: "LINE 3" }))).toBe("3");
    expect(numbers(await read({ search: "100%_A" }))).toBe("01235678");
    expect(numbers(await read({ search: "1%0" }))).toBe("");
    expect(numbers(await read({ levels: ["error", "warn"] }))).toBe("1357");
    expect(numbers(await read({ levels: [] }))).toBe("");
    expect(numbers(await read({ after: 1_006 }))).toBe("678");
    expect((await read({ limit: 1 })).lines).toEqual([
      { text: "Line 0 of 100%_a", level: "info", timestamp: 1_000 },
    ]);
  });

  test("the server keeps the last lines of a log, even with odd characters", async () => {
    await trimLines(database, "one", 3);
    expect(numbers(await read({}))).toBe("235678");
    expect((await readLines(database, "other", { direction: "asc", limit: 10 })).lines).toHaveLength(2);
    const text = `'"\\{},NULL \0 \uD83D ${"x".repeat(20_000)}`;
    await writeLines(database, [{ deployment: "new", level: "debug", text, timestamp: 1.5 }]);
    const [line] = (await readLines(database, "new", { direction: "asc", limit: 1 })).lines;
    expect(line?.text).toBe(`'"\\{},NULL \u2400 \uFFFD ${"x".repeat(10_000)}`.slice(0, 10_000));
  });

  test("the server keeps errors when many other lines follow", async () => {
    const flood = Array.from({ length: 20 }, () => ({
      ...({ deployment: "one", level: "warn", text: "Flood", timestamp: 2_000 } as const),
    }));
    await writeLines(database, flood);
    await trimLines(database, "one", 5);
    const { lines } = await read({ levels: ["error"] });
    expect(lines.map(({ timestamp }) => timestamp)).toEqual([1_001, 1_003, 1_005, 1_007]);
    expect((await read({})).lines).toHaveLength(9);
  });

  test("the server keeps the errors of a thread that floods the log, and reports how many lines it dropped", () => {
    const log = new ThreadLog(() => 1);
    log.say("error", "It is the first");
    for (let one = 0; one < 50_000; one++) log.say("warn", `Flood ${one}`);
    const lines = log.take();
    expect(lines.length).toBeLessThan(3_003);
    expect(lines.slice(0, 2).map(({ text }) => text)).toEqual([
      `${(50_002 - lines.length).toLocaleString("en")} lines before this one were dropped, because too many came at once`,
      "It is the first",
    ]);
    expect(lines.at(-1)?.text).toBe("Flood 49999");
    expect(log.take()).toEqual([]);
  });

  describe("of a server", () => {
    test("writes a server's log lines in order, and drops waiting lines with their deployment", async () => {
      const book = new LogBook(database, realWorld);
      for (let one = 0; one < 2_500; one++) book.say("book", "info", `Line ${one}`);
      const last = { direction: "desc", limit: 1 } as const;
      await expect.poll(async () => (await book.read("book", last)).lines[0]?.text).toBe("Line 2499");
      const { lines } = await book.read("book", { direction: "asc", limit: 1_000 });
      expect(lines.map(({ text }) => text)).toEqual(Array.from({ length: 1_000 }, (_, one) => `Line ${one}`));
      book.say("book", "info", "more");
      await book.drop("book");
      await book.close();
      expect((await book.read("book", last)).lines).toEqual([]);
    });

    test("ignores log lines of removed deployments", async () => {
      const book = new LogBook(database, realWorld);
      for (const gone of ["dropped", "forgotten", "there"]) book.say(gone, "info", "a line");
      await expect.poll(() => book.counted).toBe(3);
      await book.drop("dropped");
      await book.forget("forgotten");
      expect(book.counted).toBe(1);
      await book.close();
    });

    test("writes all log lines before the server ends", async () => {
      const book = new LogBook(database, realWorld);
      book.say("book", "warn", "the last word");
      await book.close();
      expect((await book.read("book", { direction: "asc", limit: 5 })).lines).toMatchObject([
        { text: "the last word", level: "warn" },
      ]);
    });
  });
});
