import { type SinkChange, sinkChangeText } from "../../../base/sink-change.js";
import { type Html, html } from "../../http/html.js";

/** The effects of saving a definition on the sinks of a pipeline, to show before it is saved. */
export interface ToldChanges {
  /** A sentence for each sink with changed rows or settings, in the words of `pipeline apply`. */
  readonly lines: readonly string[];
  /** Names of sinks that start over. */
  readonly anew: readonly string[];
  /** Whether all of them can, with their existing tables. */
  readonly mayReset: boolean;
  /** The sentences if all changed sinks get new tables; `undefined` if they cannot. */
  readonly recreated: readonly string[] | undefined;
}

/** The text about changes for users. @returns `undefined` if all sinks stay unchanged */
export function toldChanges(all: readonly SinkChange[]): ToldChanges | undefined {
  const changes = all.filter(({ change }) => change !== "same" && change !== "new");
  if (changes.length === 0) return undefined;
  const resets = changes.filter(({ change }) => change === "resets");
  const changed = changes.filter(({ change }) => change === "resets" || change === "continues");
  const mayRecreate = resets.length > 0 && changed.every(({ recreate }) => recreate !== null);
  return {
    lines: changes.map((one) => sinkChangeText(one, one.change === "resets" ? "reset" : undefined)),
    anew: resets.map(({ sink }) => sink),
    mayReset: resets.every(({ reset }) => reset !== null),
    recreated: mayRecreate ? changed.map((one) => sinkChangeText(one, "recreate")) : undefined,
  };
}

/** The text with which a form confirms that its user has seen the changes. */
export function toldText({ lines }: ToldChanges): string {
  return lines.join("\n");
}

/** The notice above a form that was not saved yet. */
export function changesNotice({ lines, anew, mayReset }: ToldChanges): Html {
  return html`<div class="notice" id="changes" role="alert"><strong>Not saved yet. Saving does this:</strong>
<ul>${lines.map((line) => html`<li>${line}.</li>`)}</ul>
${!mayReset && html`<p>${anew.join(", ")}: cannot start over with the table as it is.</p>`}</div>`;
}

/** The buttons of such a form. @param word the label of the usual button */
export function changeButtons(told: ToldChanges, word: string): Html {
  const { anew, mayReset, recreated } = told;
  const names = anew.join(", ");
  const settle = mayReset
    ? html`<button class="main" name="on_change" value="settle">Save, and start over with ${names}</button>`
    : html`<button class="main">${word}</button>`;
  return html`<input type="hidden" name="told" value="${toldText(told)}">
<p>${anew.length === 0 ? html`<button class="main">${word}</button>` : settle}</p>
${
  recreated &&
  html`<p class="small">With tables made again: ${recreated.map((line) => html`${line}. `)}</p>
<p><button name="on_change" value="recreate">Save, and make tables again</button></p>`
}`;
}
