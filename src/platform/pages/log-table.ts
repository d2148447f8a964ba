import type { LogLine } from "../../store/logs/log-line.js";
import { type Html, html } from "../http/html.js";
import { wideTable } from "./parts.js";

/** The lines of a log as a table. */
export function logTable(lines: readonly LogLine[]): Html {
  const tone = { error: "bad", warn: "warn", info: "", debug: "soft" } as const;
  const rows = lines.map(
    ({ text, timestamp, level }) => html`<tr>
<td><time datetime="${new Date(timestamp).toISOString()}">${new Date(timestamp).toISOString().slice(0, 19).replace("T", " ")}</time></td>
<td class="${tone[level]}">${level}</td><td>${text}</td></tr>`,
  );
  const head = [html`<th>Time (UTC)</th>`, html`<th>Level</th>`, html`<th>Message</th>`];
  return wideTable(head, rows, "Log", "log");
}
