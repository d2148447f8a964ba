import {
  type SecretField,
  type SecretType,
  type SecretValue,
  secretTypeOf,
} from "../../../api/secret-types.js";
import { type Html, html } from "../../http/html.js";
import { type FormField, FormState } from "../form-state.js";

/** The most characters of a description. */
export const longestDescription = 500;

/** Keeps the fields of a value apart from the other fields of a form. */
const prefix = "value.";
/** The id of the sentence that asks to type a value again. */
const anewId = "type-again";

/** The fields of a value in a form. */
export function formFieldsOf({ fields }: SecretType): readonly FormField[] {
  return fields.map(({ name }) => ({ name: prefix + name, subject: name }));
}

/**
 * The inputs for the value of a secret. They are always empty: a value never leaves the server, not even a refused
 * one, which the user must type again.
 */
export function valueFields({ fields }: SecretType, state = new FormState()): Html {
  return html`${state.refused && html`<p id="${anewId}">The server does not send values back, so <strong>type all of the value again</strong>.</p>`}
${fields.map((field) => html`<p>${state.field(prefix + field.name, inputFor(field, state))}</p>\n`)}`;
}

function inputFor(field: SecretField, state: FormState): Html {
  const { name, meaning, isRequired, isHidden, isNumber, isFile, choices } = field;
  const own = prefix + name;
  const more = html` name="${own}"${isRequired && html` required`}${state.attributesOf(own, state.valueOf(own) !== "" && anewId)}`;
  const label = html`${name}: ${meaning}${!isRequired && " (optional)"}`;
  if (choices)
    return html`<label>${label} <select${more}>${!isRequired && html`<option value="">none</option>`}${choices.map((each) => html`<option>${each}</option>`)}</select></label>`;
  if (isFile)
    return html`<label>${label} <textarea${more} rows="6" maxlength="200000" autocomplete="off" spellcheck="false"></textarea></label>`;
  const type = isHidden ? "password" : "text";
  return html`<label>${label} <input${more} type="${type}"${isNumber && html` inputmode="numeric"`} size="40" maxlength="8000" autocomplete="${isHidden ? "new-password" : "off"}" spellcheck="false"></label>`;
}

/** The value of a secret from a form. Empty fields are absent. The value is validated elsewhere. */
export function valueIn(form: URLSearchParams, type: string): SecretValue {
  const fields = secretTypeOf(type)?.fields ?? [];
  const given = fields.flatMap(({ name, isNumber }) => {
    const text = form.get(prefix + name) ?? "";
    if (text === "") return [];
    return [[name, isNumber && /^\d{1,9}$/.test(text.trim()) ? Number(text) : text] as const];
  });
  return { type, ...Object.fromEntries(given) };
}
