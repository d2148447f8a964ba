import type { LogLine } from "../../store/logs/log-line.js";
import { type Html, html } from "../http/html.js";
import { wideTable } from "./parts.js";
import { momentCell, momentHead } from "./times.js";

const tones = { error: "bad", warn: "warn", info: "", debug: "soft" } as const;

/**
 * The lines of a log as a table.
 * @param ofBlock the address of the facts about a block, to which its number links; without it there are no
 * links
 */
export function logTable(lines: readonly LogLine[], ofBlock?: (block: string) => string): Html {
  const rows = lines.map(
    ({ text, timestamp, level }) => html`<tr>
<td>${momentCell(new Date(timestamp))}</td>
<td class="${tones[level]}">${level}</td><td>${ofBlock ? linked(text, ofBlock) : text}</td></tr>`,
  );
  const head = [momentHead, html`<th scope="col">Level</th>`, html`<th scope="col">Message</th>`];
  return wideTable(head, rows, "Log", "log");
}

/** A line whose numbers of blocks are links. */
function linked(text: string, ofBlock: (block: string) => string): Html {
  const parts = text.split(/(\bblock #?\d{1,15}\b)/);
  return html`${parts.map((part, index) => {
    const [, word = "", number = ""] = /^(block #?)(\d+)$/.exec(part) ?? [];
    return index % 2 === 0 ? part : html`${word}<a href="${ofBlock(number)}">${number}</a>`;
  })}`;
}
