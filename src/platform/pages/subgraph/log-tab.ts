import { logLevels } from "../../../store/logs/log-line.js";
import { html } from "../../http/html.js";
import type { Platform } from "../../platform.js";
import { levelsFrom, readLog } from "../../subgraphs/read-subgraphs.js";
import { logTable } from "../log-table.js";
import type { TabScope } from "./tab-scope.js";

const pageLines = 200;

/** Adds the tab with the log of a version or a tag, latest lines first. It shows new lines as they come. */
export function addLogTab(tabs: TabScope, platform: Platform): void {
  tabs.get("log", "", async ({ caller, query, entry }) => {
    const level = logLevels.find((each) => each === query.get("level")) ?? "debug";
    const search = query.get("search") ?? "";
    const cursor = Number(query.get("cursor") ?? Number.NaN);
    const isOlder = Number.isSafeInteger(cursor);
    const isFollowed = !isOlder && query.get("follow") !== "off";
    const log = await readLog(platform, caller, entry, {
      direction: "desc",
      limit: pageLines,
      levels: levelsFrom(level),
      ...(search !== "" && { search }),
      ...(isOlder && { cursor }),
    });
    const link = (text: string, more: Readonly<Record<string, string>>) =>
      html`<a href="?${String(new URLSearchParams({ level, search, ...more }))}">${text}</a>`;
    const following = isFollowed ? link("Stop following", { follow: "off" }) : link("Follow", {});
    const body = html`<form class="line" method="get">
<label>Minimum level <select name="level">${logLevels.map((each) => html`<option${each === level && html` selected`}>${each}</option>`)}</select></label>
<label>Containing <input name="search" value="${search}" maxlength="200"></label><button>Show</button></form>
<p>${isOlder ? link("Newest lines", {}) : following}</p>
${log.lines.length === 0 ? html`<p class="soft">No matching lines.</p>` : logTable(log.lines, (block) => `?${String(new URLSearchParams({ search: `block ${block}` }))}`)}
${log.cursor !== undefined && html`<p>${link("Older lines", { cursor: String(log.cursor) })}</p>`}`;
    return { body, isLive: isFollowed };
  });
}
