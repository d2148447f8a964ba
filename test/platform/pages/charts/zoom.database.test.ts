import type { CDPSession, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { World } from "../../../../src/base/world.js";
import { addMarks, addMinutes } from "../../../../src/platform/figures/figure-rows.js";
import { minute } from "../../../../src/platform/figures/ranges.js";
import { SQL } from "../../../../src/store/database/database.js";
import { onEither, world as realWorld } from "../../../support/database/databases.js";
import { axeFindings, rulesIn } from "../../../support/server/axe.js";
import { browserMissing, openBrowser, type TestBrowser } from "../../../support/server/browser.js";
import { startPages } from "../harness.js";

const databases = onEither();
const path = "/dashboard/pools/1.0.0";

/** What the history has as a file. */
interface HistoryText {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly columns: readonly ({ readonly lagBlocks?: number; readonly text: string } | null)[];
  readonly marks: readonly { readonly kind: string; readonly at: number; readonly text: string }[];
}

describe.skipIf(browserMissing !== undefined)("The chart to zoom into", () => {
  let browser: TestBrowser;
  let pages: Awaited<ReturnType<typeof startPages>>;
  let page: Page;
  let complaints: string[];
  let asked: string[];
  /** The time of the server. Whole minutes, so that columns stay where they are. */
  let now: number;

  /**
   * Pages renew themselves after a tenth of the usual time. The longest pause too, which follows when the clock moves
   * while a page is made.
   */
  const world: World = {
    ...realWorld,
    now: () => now,
    timeout: (wait) => realWorld.timeout(wait > 30_000 ? wait : Math.ceil(wait / 10)),
  };

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    now = Math.floor(Date.now() / minute) * minute;
    pages = await startPages(await databases.fresh(), { world });
    const { database } = pages.platform;
    await database.query(SQL`update graphloom.versions set created_at = $1::timestamptz`, [
      new Date(now - 25 * minute).toISOString(),
    ]);
    complaints = [];
    asked = [];
  });
  /** Opens the page of an Owner, who is in Bogota, where clocks are never changed. */
  const enter = async (options: Parameters<TestBrowser["newPage"]>[0]): Promise<void> => {
    page = await browser.newPage({ timezoneId: "America/Bogota", reducedMotion: "reduce", ...options });
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      asked.push(request.url().replace(pages.address, ""));
      if (!request.url().startsWith(pages.address)) complaints.push(`asked ${request.url()}`);
    });
    await page.addInitScript(`addEventListener("securitypolicyviolation", ({ violatedDirective, sourceFile }) =>
      console.error("policy", violatedDirective, sourceFile))`);
    await page.request.get(`${pages.address}/sign-in?code=${pages.codes.issue("owner")}`);
    await page.goto(`${pages.address}${path}?range=1h`);
  };
  afterEach(async () => {
    await page.close();
    await pages.stop();
  });

  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const slider = () => page.getByRole("slider", { name: "Time" });
  const values = () => page.locator(".zoom .values");
  const shown = () => page.locator(".zoom").getByText(/^Shown:/);
  const open = async (): Promise<void> => {
    await button("Zoom").click();
    await shown().waitFor();
  };
  const history = async (): Promise<HistoryText> =>
    JSON.parse(
      String(await page.evaluate(`fetch("${path}/history.json?range=1h").then((each) => each.text())`)),
    );
  const local = (at: number): string =>
    new Intl.DateTimeFormat("sv-SE", {
      dateStyle: "short",
      timeStyle: "medium",
      timeZone: "America/Bogota",
    }).format(at);
  const rangeText = (from: number, to: number): string =>
    `Shown: ${local(from)} to ${local(to)} (America/Bogota)`;
  /** The length of what is shown, in minutes. */
  const length = async (): Promise<number> => {
    const [from = "", to = ""] = String(await shown().textContent()).match(/\d{4}-\d\d-\d\d [\d:]{8}/g) ?? [];
    return (Date.parse(`${to}Z`) - Date.parse(`${from}Z`)) / minute;
  };
  const plotBox = async (index: number) => {
    const over = page.locator(".zoom .u-over").nth(index);
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    if (!box) throw new Error("the plot is there");
    return box;
  };
  /** How many pixels of a plot have a colour of the page. */
  const painted = (index: number, colour: string): Promise<number> =>
    page.evaluate(`(() => {
      const probe = document.createElement("canvas").getContext("2d");
      const span = document.body.appendChild(document.createElement("span"));
      span.style.color = "var(${colour})";
      probe.fillStyle = getComputedStyle(span).color;
      span.remove();
      probe.fillRect(0, 0, 1, 1);
      const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
      const canvas = document.querySelectorAll(".zoom canvas")[${index}];
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let at = 0; at < data.length; at += 4)
        if (data[at] === red && data[at + 1] === green && data[at + 2] === blue && data[at + 3] === 255) count++;
      return count;
    })()`) as Promise<number>;

  /** The minute that ends a minute from now. Written before the clock moves on, as a page caches what it reads then. */
  const measured = (lagBlocks: number) => ({
    deployment: "QmPools",
    at: now,
    minutes: 1,
    isOwn: true,
    state: "synced" as const,
    block: 110,
    chainBlock: 110 + lagBlocks,
    lagBlocks,
    lagSeconds: 0,
    eventsPerSecond: 3,
    fromMemory: 0,
    fromEngine: 0,
    refused: 0,
    failed: 0,
  });

  describe("with a mouse or a keyboard", () => {
    beforeEach(() => enter({}));

    it("loads nothing until the user asks for it, shows the same values as the page, and disappears again", async () => {
      await button("Zoom").waitFor();
      expect(asked.filter((each) => /uplot|zoom-chart|history\.json/.test(each))).toEqual([]);
      await open();
      const { from, to, columns, marks } = await history();
      expect(await shown().textContent()).toBe(rangeText(from, to));
      expect(await length()).toBe(60);
      expect(columns.filter((column) => column !== null)).toHaveLength(26);
      expect(marks.map(({ kind }) => kind).sort()).toEqual(["deploy", "failure", "restart"]);
      // Lag and events have the colours of the page, and so have the marks.
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await expect.poll(() => painted(0, "--warn")).toBeGreaterThan(1_000);
        await expect.poll(() => painted(1, "--accent")).toBeGreaterThan(1_000);
        await expect.poll(() => painted(0, "--bad")).toBeGreaterThan(3);
      }
      await button("Close zoom").click();
      expect(await page.locator(".zoom").count()).toBe(0);
      expect(await button("Zoom").getAttribute("aria-expanded")).toBe("false");
      expect(complaints).toEqual([]);
    });

    it("tells the values under the pointer and zooms by dragging, in either plot", async () => {
      await open();
      const { from, to, step, columns, marks } = await history();
      const restart = marks.find(({ kind }) => kind === "restart");
      const at = Math.floor(((restart?.at ?? from) - from) / step);
      for (const index of [0, 1]) {
        const box = await plotBox(index);
        await page.mouse.move(box.x + ((at + 0.5) / columns.length) * box.width, box.y + 30);
        const text = `${local(from + at * step)}: catching up, 61 blocks behind (10 min), 12.5 events/s; ${restart?.text}`;
        await expect.poll(() => values().textContent()).toBe(text);
        expect(columns[at]?.lagBlocks).toBe(61);
        await page.mouse.move(box.x + 3, box.y + 30);
        await expect.poll(() => values().textContent()).toBe(`${local(from)}: not measured`);

        await page.mouse.move(box.x + box.width * 0.5, box.y + 50);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * 0.75, box.y + 60, { steps: 4 });
        await page.mouse.up();
        await expect.poll(length).toBeCloseTo(15, 0);
        const [begin = ""] = String(await shown().textContent()).match(/\d{4}-\d\d-\d\d [\d:]{8}/) ?? [];
        expect(Math.abs(Date.parse(`${begin}Z`) - Date.parse(`${local(from + 30 * minute)}Z`))).toBeLessThan(
          minute,
        );
        await page.mouse.dblclick(box.x + box.width / 2, box.y + 50);
        await expect.poll(() => shown().textContent()).toBe(rangeText(from, to));
      }
      expect(complaints).toEqual([]);
    });

    it("can be used entirely by keyboard", async () => {
      await button("Zoom").press("Enter");
      await shown().waitFor();
      const { from, to, step, columns } = await history();
      const latest = columns.findLastIndex((column) => column !== null);
      expect(await slider().getAttribute("aria-valuetext")).toBe(
        `${local(from + latest * step)}: ${columns[latest]?.text}`,
      );
      await slider().focus();
      await page.keyboard.press("ArrowLeft");
      const text = `${local(from + (latest - 1) * step)}: ${columns[latest - 1]?.text}`;
      expect(await slider().getAttribute("aria-valuetext")).toBe(text);
      expect(await values().textContent()).toBe(text);
      await page.keyboard.press("+");
      expect(await length()).toBe(30);
      await page.keyboard.press("-");
      expect(await length()).toBe(60);
      await page.keyboard.press("+");
      await page.keyboard.press("0");
      expect(await shown().textContent()).toBe(rangeText(from, to));

      await button("Zoom in").press("Enter");
      await button("Zoom in").press("Enter");
      expect(await length()).toBe(15);
      const region = page.locator(".heard[role=status]").first();
      expect(await region.textContent()).toBe(await shown().textContent());
      for (let times = 0; times < 9; times++) await button("Earlier").press("Enter");
      expect(await shown().textContent()).toBe(rangeText(from, from + 15 * minute));
      await button("Later").press("Enter");
      expect(await shown().textContent()).toBe(rangeText(from + 7.5 * minute, from + 22.5 * minute));
      // The line takes what is shown along.
      await slider().focus();
      await page.keyboard.press("Home");
      expect(await shown().textContent()).toBe(rangeText(from, from + 15 * minute));
      await page.keyboard.press("End");
      expect(await shown().textContent()).toBe(rangeText(to - 15 * minute, to));
      await button("Zoom out").press("Enter");
      expect(await length()).toBe(30);
      await button("Whole range").press("Enter");
      expect(await shown().textContent()).toBe(rangeText(from, to));
      for (let times = 0; times < 9; times++) await button("Zoom in").press("Enter");
      expect(await length()).toBe(5);
      expect(complaints).toEqual([]);
    });

    it("stays open when the page renews itself, and takes the new figures", async () => {
      await open();
      const { from, to, step } = await history();
      await button("Zoom in").click();
      await button("Earlier").click();
      const before = await shown().textContent();
      await page.evaluate("document.querySelector('.zoom canvas').isKept = true");
      // The state of the page changes, and the history does not.
      const status = pages.statuses.get("QmPools");
      if (!status) throw new Error("the status is there");
      pages.statuses.set("QmPools", { ...status, headBlock: 110, isSynced: true });
      await page.locator("main .state.good").first().waitFor();
      expect(await shown().textContent()).toBe(before);

      await addMinutes(pages.platform.database, [measured(7_777)]);
      await addMarks(pages.platform.database, [{ deployment: "QmPools", kind: "restart", at: now }]);
      now += minute;
      await page
        .locator("#history")
        .getByText(/^at most 7,777 blocks/)
        .waitFor({ state: "attached" });
      // What was zoomed to stays, and the newest column has the new figures.
      await slider().focus();
      const text = `${local(to - step)}: synced, 7,777 blocks behind, 3 events/s; A server started indexing`;
      await expect
        .poll(async () => {
          await page.keyboard.press("End");
          await page.keyboard.press("ArrowLeft");
          return values().textContent();
        })
        .toBe(text);
      expect(await page.evaluate("document.querySelector('.zoom canvas').isKept")).toBe(true);
      expect(await length()).toBe(30);
      await button("Whole range").click();
      expect(await shown().textContent()).toBe(rangeText(from + minute, to + minute));
      // The whole range stays the whole range.
      await addMarks(pages.platform.database, [{ deployment: "QmPools", kind: "restart", at: now }]);
      now += minute;
      await expect.poll(() => shown().textContent()).toBe(rangeText(from + 2 * minute, to + 2 * minute));
      expect(complaints).toEqual([]);
    });

    it("has no accessibility errors in light and dark, and fits a narrow screen", async () => {
      await open();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect([colorScheme, await axeFindings(page, rulesIn(colorScheme))]).toEqual([colorScheme, []]);
        if (process.env.GRAPHLOOM_SHOTS) {
          await page
            .locator("#history")
            .screenshot({ path: `${process.env.GRAPHLOOM_SHOTS}/zoom-${colorScheme}.png` });
        }
      }
      await page.setViewportSize({ width: 320, height: 640 });
      await expect.poll(async () => (await plotBox(0)).width).toBeLessThan(300);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      const box = await plotBox(0);
      expect(box.width).toBeGreaterThan(180);
      // The line stays at its column.
      const line = await page.locator(".zoom .u-cursor-x").first().boundingBox();
      const column = Number(await slider().getAttribute("aria-valuenow"));
      expect(Math.abs((line?.x ?? 0) - box.x - ((column + 0.5) / 60) * box.width)).toBeLessThan(3);
      if (process.env.GRAPHLOOM_SHOTS) {
        await page.locator("#history").screenshot({ path: `${process.env.GRAPHLOOM_SHOTS}/zoom-narrow.png` });
      }
      expect(complaints).toEqual([]);
    });

    it("says that its figures did not load, and can be opened again", async () => {
      await page.route(/history\.json/, (route) => route.fulfill({ status: 503, body: "{}" }), { times: 1 });
      await button("Zoom").click();
      await page.getByRole("alert").filter({ hasText: "The figures did not load. Try again." }).waitFor();
      expect(complaints.splice(0)).toEqual([expect.stringContaining("503")]);
      await open();
      expect(await page.getByRole("alert").filter({ hasText: "did not load" }).count()).toBe(0);
      expect(complaints).toEqual([]);
    });

    it("is not offered until something was measured", async () => {
      const { database } = pages.platform;
      await database.query(SQL`delete from graphloom.figures`);
      now += 2 * minute;
      await page.reload();
      await page.getByText("Nothing was measured in the last hour.").waitFor();
      expect(await button("Zoom").count()).toBe(0);
      await addMinutes(database, [measured(5)]);
      now += minute;
      await button("Zoom").waitFor();
      await open();
      expect(await slider().getAttribute("aria-valuetext")).toContain("synced, 5 blocks behind, 3 events/s");
      expect(complaints).toEqual([]);
    });
  });

  describe("under fingers", () => {
    let fingers: CDPSession;

    beforeEach(async () => {
      await enter({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 700 } });
      fingers = await page.context().newCDPSession(page);
      await open();
    });
    type Place = readonly [x: number, y: number];
    const touch = (type: "Start" | "Move" | "End", ...places: readonly Place[]) =>
      fingers.send("Input.dispatchTouchEvent", {
        type: `touch${type}`,
        touchPoints: places.map(([x, y], id) => ({ x, y, id })),
      });
    /** Moves fingers from places to others, and lifts them. */
    const move = async (from: readonly Place[], to: readonly Place[]): Promise<void> => {
      await touch("Start", ...from);
      for (let step = 1; step <= 8; step++) {
        const along = (begin: number, end: number) => begin + ((end - begin) * step) / 8;
        const places = from.map(
          ([x, y], id): Place => [along(x, to[id]?.[0] ?? x), along(y, to[id]?.[1] ?? y)],
        );
        await touch("Move", ...places);
      }
      await touch("End");
    };
    const selected = () =>
      page
        .locator(".zoom .u-select")
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
    /** What is shown, in minutes after a time. */
    const shownAfter = async (from: number): Promise<readonly number[]> => {
      const begin = Date.parse(`${local(from)}Z`);
      const all = String(await shown().textContent()).match(/\d{4}-\d\d-\d\d [\d:]{8}/g) ?? [];
      return all.map((text) => (Date.parse(`${text}Z`) - begin) / minute);
    };

    it("zooms to the range that one finger drags over, and lets the page scroll up and down", async () => {
      const { from } = await history();
      for (const index of [0, 1]) {
        const { x, y, width } = await plotBox(index);
        await move([[x + width * 0.75, y + 50]], [[x + width * 0.5, y + 60]]);
        await expect.poll(length).toBeCloseTo(15, 0);
        expect((await shownAfter(from))[0]).toBeCloseTo(30, 0);
        expect(await selected()).toEqual([0, 0]);
        for (const type of ["Start", "End", "Start", "End"] as const)
          await touch(type, ...(type === "Start" ? [[x + width / 2, y + 50] as const] : []));
        await expect.poll(length).toBe(60);
      }
      const { x, y, width } = await plotBox(0);
      const before = Number(await page.evaluate("scrollY"));
      await move([[x + width / 2, y + 70]], [[x + width / 2 + 20, y - 130]]);
      await expect.poll(() => page.evaluate("scrollY")).toBeGreaterThan(before + 100);
      expect([await length(), await selected()]).toEqual([60, [0, 0]]);
      expect(complaints).toEqual([]);
    });

    it("shows the values where one finger taps or drags", async () => {
      const { from, step, columns } = await history();
      const { x, y, width } = await plotBox(0);
      const at = columns.findIndex((column) => column !== null);
      const place: Place = [x + ((at + 0.5) / columns.length) * width, y + 30];
      const text = `${local(from + at * step)}: ${columns[at]?.text}`;
      await touch("Start", place);
      await touch("End");
      await expect.poll(() => values().textContent()).toContain(text);
      await touch("Start", [x + 3, y + 30]);
      await touch("Move", [x + 13, y + 30]);
      await touch("Move", place);
      await expect.poll(() => values().textContent()).toContain(text);
      expect((await selected())[0]).toBeCloseTo(place[0] - x - 3, 0);
      await touch("End");
      await expect.poll(length).toBeLessThan(60);
      expect(complaints).toEqual([]);
    });

    it("zooms in and out between two fingers, which stay on their times", async () => {
      const { from, to } = await history();
      const { x, y, width } = await plotBox(0);
      const at = (share: number): Place => [x + share * width, y + 60];
      await move([at(0.4), at(0.6)], [at(0.2), at(0.8)]);
      // A third of the hour, whose middle has stayed where it was.
      await expect.poll(length).toBeCloseTo(20, 0);
      expect((await shownAfter(from))[0]).toBeCloseTo(20, 0);
      await move([at(0.3), at(0.9)], [at(0.3), at(0.6)]);
      await expect.poll(length).toBeCloseTo(40, 0);
      // 26 minutes were under the finger that stayed.
      expect((await shownAfter(from))[0]).toBeCloseTo(14, 0);
      await move([at(0.1), at(0.9)], [at(0.4), at(0.6)]);
      await expect.poll(() => shown().textContent()).toBe(rangeText(from, to));
      // A second finger ends a drag, and lifting it begins none.
      await touch("Start", at(0.2));
      await touch("Move", at(0.5));
      await touch("Start", at(0.5), at(0.8));
      await touch("End", at(0.5));
      await touch("Move", at(0.3));
      await touch("End");
      expect([await length(), await selected()]).toEqual([60, [0, 0]]);
      expect(complaints).toEqual([]);
    });
  });
});
