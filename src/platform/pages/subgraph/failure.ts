import type { HostedError } from "../../../hosting/engine.js";
import type { ConfigExcerpt } from "../../../subgraph/config-places.js";
import { type Html, html } from "../../http/html.js";
import { explorerOf } from "../entities/explorer.js";
import { digits } from "../parts.js";
import { momentOf } from "../times.js";

/** A page's facts about the error that ended indexing, or that is retried. */
export interface FailureFacts {
  readonly error: HostedError;
  /** The lines of the configuration around the error. */
  readonly excerpts: readonly ConfigExcerpt[];
  /** The address of the page of the version or tag. */
  readonly base: string;
  readonly network: string;
  /** The newest other version that has not failed: its name, and the address of its page. */
  readonly sound?: readonly [name: string, address: string] | undefined;
  readonly mayChange: boolean;
}

/** Why and where indexing failed, in the words of `graphloom run`, and what to do. */
export function failureNotice({ error, excerpts, base, network, sound, mayChange }: FailureFacts): Html {
  const { isRetried, block, handler } = error;
  const where = block !== undefined && html` at block ${digits(block)}`;
  return html`<div class="notice bad" id="failure" role="alert"><strong>${isRetried ? "Indexing failed" : "Indexing stopped"}${where}${
    handler !== undefined && html` in ${handler}`
  }.${isRetried && " Retrying."}</strong>
<pre>${placedMessage(error)}</pre>
${excerpts.map(excerptOf)}
${factsOf(error, base, network)}
<p><strong>What to do:</strong> ${adviceFor(error, sound, mayChange)}</p></div>`;
}

/** The message, with its place in the configuration or else in the mapping, if known. */
export function placedMessage({
  message,
  reason = message,
  place,
  configPlace = place,
}: HostedError): string {
  return configPlace === undefined ? reason : `${configPlace}: ${reason}`;
}

/** A line of the configuration with the marked part. */
export function excerptOf({ source, line, column, before, marked, after, what }: ConfigExcerpt): Html {
  const gutter = `${line} | `;
  return html`<figure class="excerpt"><figcaption class="small soft">${source}:${line}:${column}${what !== undefined && `, ${what}`}</figcaption>
<pre><span class="soft">${gutter}</span>${before}<mark>${marked}</mark>${after}</pre></figure>`;
}

function factsOf(error: HostedError, base: string, network: string): Html {
  const { block, blockHash, transactionHash, logIndex, failedAt, failingSince = failedAt, attempts } = error;
  const fact = (name: string, value: Html | false) => value && html`<dt>${name}</dt><dd>${value}</dd>`;
  const explorer = explorerOf(network);
  const hash = (text: string | undefined) => text !== undefined && html`<span class="mono">${text}</span>`;
  const linked = (text: Html | false, address: string | undefined) =>
    text && address !== undefined ? html`<a href="${address}">${text}</a>` : text;
  const number = block !== undefined && linked(html`${digits(block)}`, explorer?.block(String(block)));
  const transaction = linked(
    hash(transactionHash),
    transactionHash && explorer?.transaction(transactionHash),
  );
  const log = `${base}/log?${String(new URLSearchParams({ search: `block ${block}` }))}`;
  return html`<dl>
${fact("Block", block !== undefined && html`${number} ${hash(blockHash)} <a href="${log}">Log at this block</a>`)}
${fact("Transaction", transactionHash !== undefined && html`${transaction}${logIndex !== undefined && `, log index ${logIndex}`}`)}
${fact("Since", failingSince !== undefined && momentOf(new Date(failingSince)))}
${fact("Attempts", attempts !== undefined && html`${digits(attempts)}`)}
</dl>`;
}

function adviceFor(
  { isRetried, isDeterministic }: HostedError,
  sound: FailureFacts["sound"],
  mayChange: boolean,
): Html {
  if (isRetried) {
    return html`The server retries this block automatically. If it keeps failing, check whether the file or the call that the message names is available.`;
  }
  const meanwhile =
    sound &&
    html` Until then, you can point tags to <a href="${sound[1]}">${sound[0]}</a>, which has not failed.`;
  if (isDeterministic === false) {
    return html`The error may be temporary. To retry the block, ${mayChange ? "pause and resume" : "ask an Editor to pause and resume"} all versions of this deployment.${meanwhile}`;
  }
  return html`Retrying would fail in the same way. Fix the configuration and deploy it as a new version. Queries still return the data before this block.${meanwhile}`;
}
