import { groupBy } from "../../../base/group-by.js";
import type { HostedError, HostedStatus } from "../../../hosting/engine.js";
import { mostErrors } from "../../../store/deployments/health.js";
import type { ConfigExcerpt } from "../../../subgraph/config-places.js";
import { type Html, html } from "../../http/html.js";
import { digits, reasonsOf } from "../parts.js";
import { excerptOf, placedMessage } from "./failure.js";

/** The most different errors to list. */
const mostListed = 20;

/**
 * The errors that did not stop indexing, equal ones together.
 * @param linesOf the lines of the configuration around an error
 */
export function toleratedErrors(
  status: HostedStatus,
  linesOf: (error: HostedError) => readonly ConfigExcerpt[],
): Html | undefined {
  // Engines report these among the errors too, and the page has shown them already.
  const said = reasonsOf(status);
  const errors = status.nonFatalErrors.filter(
    ({ handler, message }) => handler !== undefined || !said.includes(message),
  );
  if (errors.length === 0) return undefined;
  const groups = [...groupBy(errors, (error) => `${error.handler}\n${placedMessage(error)}`).values()];
  const count = `${errors.length < mostErrors ? "" : "at least "}${digits(errors.length)}`;
  return html`<details class="notice" id="errors"><summary>${count} ${errors.length === 1 ? "error" : "errors"} that did not stop indexing</summary>
<ul>${groups.slice(0, mostListed).map((group) => itemOf(group, linesOf))}</ul>
${groups.length > mostListed && html`<p>The log has ${digits(groups.length - mostListed)} more.</p>`}</details>`;
}

function itemOf(
  group: readonly HostedError[],
  linesOf: (error: HostedError) => readonly ConfigExcerpt[],
): Html | false {
  const [first] = group;
  if (!first) return false;
  const { handler, block } = first;
  const times = group.length > 1 && html`${digits(group.length)} times, first `;
  const where = [
    handler !== undefined && html`in ${handler}, `,
    block !== undefined && html`${times}at block ${digits(block)}`,
  ];
  return html`<li>${where} <span class="mono">${placedMessage(first)}</span>${linesOf(first).map(excerptOf)}</li>\n`;
}
