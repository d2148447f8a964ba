import { groupBy } from "../../../base/group-by.js";
import type { HostedError, HostedStatus } from "../../../hosting/engine.js";
import { mostErrors } from "../../../store/deployments/health.js";
import type { ConfigExcerpt } from "../../../subgraph/config-places.js";
import { type Html, html, linesOf } from "../../http/html.js";
import type { Caller } from "../../people/access.js";
import type { Platform } from "../../platform.js";
import { linesAround } from "../../subgraphs/config-places.js";
import { queryAddresses } from "../../subgraphs/query-addresses.js";
import { type Log, readStatuses } from "../../subgraphs/read-statuses.js";
import { listVersionsOf } from "../../subgraphs/read-subgraphs.js";
import type { SubgraphVersion } from "../../subgraphs/versions.js";
import { pageOf } from "../addresses.js";
import type { ReadHistory } from "../charts/histories.js";
import { historyChart } from "../charts/history-chart.js";
import type { Draft } from "../draft.js";
import { changeOf, digits, figuresOf, progressOf, reasonsOf } from "../parts.js";
import { momentOf } from "../times.js";
import { readChange } from "../views.js";
import { connectBox } from "./connect-box.js";
import { excerptOf, failureNotice, placedMessage } from "./failure.js";
import type { ReadLastAttempts } from "./last-attempts.js";
import { receiverNotice } from "./receiver-notice.js";
import type { TabScope, TabVisit } from "./tab-scope.js";
import { aboutText, createTimeLeft } from "./time-left.js";

/** The most different errors to list. */
const mostListed = 20;

/** The most versions to check, newest first. */
const mostSeen = 20;

/** Adds the tab with the state of a version or a tag, its failures, and how to query it. */
export function addOverviewTab(
  tabs: TabScope,
  platform: Platform,
  { attemptsOf, historyOf }: { readonly attemptsOf: ReadLastAttempts; readonly historyOf: ReadHistory },
  draft?: Draft,
): void {
  const timeLeft = createTimeLeft(platform.world);
  tabs.get("overview", "", async (visit) => {
    const { entry, status, places, mayChange, base, request, query, visitor } = visit;
    const change = draft && (await readChange(platform, entry, request.log));
    const { description } = entry;
    const hasKeys = visitor.sessionId !== undefined;
    const links = { settings: `${base}/settings`, keys: hasKeys ? "/keys" : undefined };
    const left = timeLeft(entry.deployment, status);
    const body = html`${description !== null && description !== "" && html`<p class="lines">${linesOf(description)}</p>`}
${await failureHtml(platform, visit)}
${await downReceivers(attemptsOf, visit)}
${status?.isSynced !== true && progressOf(status)}
${figuresOf(status)}
${left !== undefined && html`<p class="small" id="time-left">Will catch up in ${aboutText(left)}.</p>`}
${changeOf(change)}
${status && toleratedErrors(status, (error) => linesAround(places, error))}
${mayChange && entry.target === undefined && pausing(entry, base)}
${connectBox(entry, queryAddresses(entry, platform.settings.address()), links)}
${historyChart(await historyOf(entry, query.get("range")), base)}
${deployment(entry, status)}`;
    return { body, isLive: true, scripts: ["zoom.js"] };
  });
}

async function failureHtml(platform: Platform, visit: TabVisit): Promise<Html | undefined> {
  const { entry, status, places, base, mayChange, caller, request } = visit;
  const error = status?.fatalError;
  if (!error) return undefined;
  const sound = error.isRetried ? undefined : await newestSound(platform, caller, entry, request.log);
  return failureNotice({
    error,
    base,
    mayChange,
    network: entry.network,
    excerpts: linesAround(places, error),
    sound: sound && [`${sound.name}/${sound.version}`, pageOf(sound)],
  });
}

/** Names the receivers that are down. */
async function downReceivers(
  attemptsOf: ReadLastAttempts,
  { down, entry }: TabVisit,
): Promise<readonly Html[]> {
  const { version, target = version } = entry;
  const attempts = await attemptsOf(down);
  const base = pageOf({ ...entry, version: target });
  return down.map((webhook) => receiverNotice(webhook, base, attempts.get(webhook.id)));
}

function pausing({ isPaused }: SubgraphVersion, base: string): Html {
  const [action, word] = isPaused ? ["resume", "Resume"] : ["pause", "Pause"];
  return html`<form class="line" method="post" action="${base}/${action}"><button id="pausing">${word}</button></form>`;
}

function deployment(entry: SubgraphVersion, status: HostedStatus | undefined): Html {
  return html`<h2 id="deployment">Deployment</h2>
<dl><dt>ID</dt><dd class="mono">${entry.deployment}</dd>
<dt>Engine</dt><dd>${entry.engine}</dd>
<dt>Deployed</dt><dd>${momentOf(entry.createdAt)}</dd>
${status && html`<dt>Start block</dt><dd>${digits(status.startBlock)}</dd>`}</dl>`;
}

/** The newest other version of a subgraph that is indexed and has not failed. @throws DatabaseError */
async function newestSound(
  platform: Platform,
  caller: Caller,
  { name, deployment }: SubgraphVersion,
  log: Log,
): Promise<SubgraphVersion | undefined> {
  const all = await listVersionsOf(platform, caller, name);
  const others = all
    .filter((one) => one.target === undefined && one.deployment !== deployment)
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    .slice(0, mostSeen);
  const { known } = await readStatuses(platform.hosting, others, log);
  return others.find((one) => {
    const { health = "unknown", headBlock, startBlock = 0 } = known.get(one.deployment) ?? {};
    // The block before the first one counts as indexed from the start.
    return (
      headBlock !== undefined && headBlock >= startBlock && (health === "healthy" || health === "unhealthy")
    );
  });
}

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
