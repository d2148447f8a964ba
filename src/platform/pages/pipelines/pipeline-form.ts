import { type ResourceSize, resourceSizes } from "../../../pipelines/host/resource-sizes.js";
import { escapeHtml, Html, html } from "../../http/html.js";
import type { FieldError, Problem } from "../../problem.js";
import { changeButtons, changesNotice, type ToldChanges } from "./told-changes.js";

/** The content of the definition form. */
export interface DefinitionFields {
  readonly text: string;
  /** Empty for the size in the definition. */
  readonly size: string;
  /** Lines of names and values. */
  readonly variables: string;
  /** Empty for the description in the definition. */
  readonly description: string;
  /** The version that the text is based on; empty for a new pipeline. */
  readonly from: string;
}

/** The form of a definition, and how it is shown. */
export interface DefinitionForm {
  readonly fields: DefinitionFields;
  /** The address that it is sent to. */
  readonly action: string;
  readonly word: string;
  /** The size without a choice. */
  readonly usual: string;
  /** The effect of saving on sinks, if the user has not seen it yet. */
  readonly told?: ToldChanges | undefined;
  /** Why it was refused. */
  readonly problem?: Pick<Problem, "message" | "errors"> | undefined;
}

/** Longer definitions are shown without the numbers of their lines. */
const mostNumbered = 2_000;
/** Lines below the text that have numbers, too. */
const spare = 30;
/** The most mistakes to show. */
const mostMistakes = 50;

/**
 * A form for the YAML text of a pipeline. After a refusal, it shows the user's input with every mistake at its line.
 */
export function definitionForm({ fields, action, word, usual, told, problem }: DefinitionForm): Html {
  const { text, size, variables, description, from } = fields;
  const names = Object.keys(resourceSizes) as readonly ResourceSize[];
  const isWrong = problem && html` aria-invalid="true" aria-describedby="mistakes"`;
  return html`${problem && mistakes(problem, text)}${told && changesNotice(told)}
<form method="post" action="${action}" class="definition">
<input type="hidden" name="from" value="${from}">
<label for="text">Definition (YAML or JSON)</label>
${editor(text, problem?.errors ?? [], isWrong)}
<div class="row fields">
<label>Resource size <select name="size"><option value="">as in the definition, otherwise ${usual}</option>${names.map(
    (name) => html`<option${name === size && html` selected`}>${name}</option>`,
  )}</select></label>
<label>Description, if not in the definition <input name="description" value="${description}" maxlength="300" autocomplete="off"></label></div>
<label for="variables">Values of variables, one NAME=value in a line</label>
<textarea id="variables" name="variables" rows="3" spellcheck="false" autocomplete="off">${typed(variables)}</textarea>
${told ? changeButtons(told, word) : html`<p><button class="main">${word}</button></p>`}</form>`;
}

function editor(text: string, errors: readonly FieldError[], isWrong: Html | undefined): Html {
  const lines = text.split("\n").length;
  const isNumbered = lines <= mostNumbered;
  const wrong = new Set(errors.map(({ line }) => line));
  const numbers = Array.from({ length: isNumbered ? lines + spare : 0 }, (_, index) => index + 1).map(
    (line) => (wrong.has(line) ? html`<b class="bad">● ${line}</b>\n` : html`${line}\n`),
  );
  const rows = isNumbered ? lines + 3 : 40;
  return html`<div class="editor">${isNumbered && html`<pre aria-hidden="true">${numbers}</pre>`}
<textarea id="text" name="text" rows="${Math.max(rows, 16)}" wrap="off" required spellcheck="false" autocomplete="off" autocapitalize="off"${isWrong}>${typed(text)}</textarea></div>`;
}

/** A text as typed. The first line break in a text area is not part of its text. */
function typed(text: string): Html {
  return new Html(`\n${escapeHtml(text)}`);
}

function mistakes({ message, errors }: Pick<Problem, "message" | "errors">, text: string): Html {
  const lines = text.split("\n");
  const shown = errors.slice(0, mostMistakes);
  const rest = errors.length - shown.length;
  return html`<div class="notice bad" id="mistakes" role="alert"><strong>${message}</strong>
${shown.length > 0 && html`<ul>${shown.map((error) => mistake(error, lines))}</ul>`}
${rest > 0 && html`<p>${rest} more follow once these are corrected.</p>`}</div>`;
}

function mistake(
  { field, message, code, line, column = 1, hint }: FieldError,
  lines: readonly string[],
): Html {
  const place = line === undefined ? field : `Line ${line}, column ${column}`;
  const excerpt = line === undefined ? undefined : lines[line - 1];
  return html`<li>${place !== undefined && html`<b>${place}:</b> `}${message}${code !== undefined && html` <span class="soft">(${code})</span>`}
${excerpt !== undefined && html`<pre>${marked(excerpt, column)}</pre>`}
${hint !== undefined && html`<p class="small">${hint}</p>`}</li>`;
}

/** The most characters of a line to show around a mistake. */
const longest = 160;

/** A line, marked from a column to its end. */
function marked(line: string, column: number): Html {
  const at = Math.min(Math.max(column - 1, 0), line.length);
  const start = Math.max(0, at - longest / 2);
  const end = start + longest;
  return html`${start > 0 && "…"}${line.slice(start, at)}<mark>${line.slice(at, end)}</mark>${line.length > end && "…"}`;
}
