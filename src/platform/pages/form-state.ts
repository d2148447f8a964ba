import { type Html, html } from "../http/html.js";
import { type FieldError, Problem } from "../problem.js";

/** A field of a form, and its name in sentences. */
export interface FormField {
  readonly name: string;
  /** Its name in refusals, as in the API; by default, its name in the form. */
  readonly path?: string;
  /**
   * The start of a sentence about it.
   * @param place a place within the field: `2` in `domains.2`
   */
  readonly subject: string | ((place: string) => string);
}

export interface RefusedForm {
  readonly typed: URLSearchParams;
  readonly problem: Problem;
}

/** The state of a form: after a refusal, the user's input, with the errors beside each field. It needs no script. */
export class FormState {
  readonly refused: RefusedForm | undefined;
  /** Sentences, by the name of the field in the form. */
  readonly #faults = new Map<string, string>();
  /** Errors that belong to no field. */
  readonly #others: readonly string[];
  readonly #first: string | undefined;

  /** @param fields in the order of the form @param refused absent for an empty form */
  constructor(fields: readonly FormField[] = [], refused?: RefusedForm) {
    this.refused = refused;
    const others: string[] = [];
    for (const error of refused?.problem.errors ?? []) {
      const field = fields.find((each) => placeIn(each, error) !== undefined);
      if (!field) others.push(`${error.field ?? "the form"} ${error.message}`);
      else this.#add(field, error);
    }
    this.#others = others;
    this.#first = fields.find(({ name }) => this.#faults.has(name))?.name;
  }

  #add(field: FormField, error: FieldError): void {
    const { name, subject } = field;
    const start = typeof subject === "string" ? subject : subject(placeIn(field, error) ?? "");
    const before = this.#faults.get(name);
    const sentence = `${start} ${error.message}.`;
    this.#faults.set(name, before === undefined ? sentence : `${before} ${sentence}`);
  }

  /** Why the form was refused, with the errors that belong to no field. */
  get notice(): Html | undefined {
    if (!this.refused) return undefined;
    const others = this.#others.length > 0 && ` ${this.#others.join("; ")}.`;
    return html`<p class="notice bad" role="alert">${this.refused.problem.message}${others}</p>`;
  }

  /**
   * The content of a field.
   * @param initial the content before the user has typed
   */
  valueOf(name: string, initial = ""): string {
    // Browsers send line breaks as two characters.
    return this.refused ? (this.refused.typed.get(name) ?? "").replaceAll("\r\n", "\n") : initial;
  }

  /** Whether a box is ticked. @param initial before the user ticked it */
  isTicked(name: string, initial = false): boolean {
    return this.refused ? this.refused.typed.has(name) : initial;
  }

  /** The attributes that tie an input to its error. @param described ids of other descriptions */
  attributesOf(name: string, ...described: readonly (string | false)[]): Html {
    const isWrong = this.#faults.has(name);
    const ids = [isWrong && faultId(name), ...described].filter((id) => id !== false);
    return html`${ids.length > 0 && html` aria-describedby="${ids.join(" ")}"`}${isWrong && html` aria-invalid="true"`}${name === this.#first && html` autofocus`}`;
  }

  /** A field, with its error. @param label with the input */
  field(name: string, label: Html): Html {
    const fault = this.#faults.get(name);
    if (fault === undefined) return label;
    return html`<span class="refused">${label}<span class="fault" id="${faultId(name)}">${fault}</span></span>`;
  }
}

/**
 * Runs a step that may refuse fields, and refuses all of them at once. @param faults the known faults @throws
 * Problem
 */
export function withFaults<Made>(faults: readonly FieldError[], step: () => Made): Made {
  try {
    const made = step();
    if (faults.length === 0) return made;
  } catch (error) {
    if (!(error instanceof Problem) || error.type !== "bad-request" || faults.length === 0) throw error;
    throw new Problem(error.type, error.message, { errors: [...faults, ...error.errors] });
  }
  throw new Problem("bad-request", "Some fields are invalid.", { errors: faults });
}

export const typedNameField: FormField = { name: "name", subject: "The name" };

/** The field in which the user types the name of the thing to delete. */
export function typedName(name: string, state = new FormState()): Html {
  return html`<p>${state.field("name", html`<label><span>Type <strong>${name}</strong> to confirm</span> <input name="name" value="${state.valueOf("name")}" required autocomplete="off"${state.attributesOf("name")}></label>`)}</p>`;
}

/** Refuses to delete something unless the user has typed its name. @throws Problem `bad-request` */
export function requireTypedName(form: URLSearchParams, name: string): void {
  if (form.get("name")?.trim() === name) return;
  const errors = [{ field: "name", message: `must be exactly ${name}` }];
  throw new Problem("bad-request", `Nothing was deleted. To delete ${name}, type its name exactly.`, {
    errors,
  });
}

function faultId(name: string): string {
  return `fault-${name}`;
}

/** The place within a field that an error names; `undefined` if it names another field. */
function placeIn({ name, path = name }: FormField, { field = "" }: FieldError): string | undefined {
  if (field === path) return "";
  return field.startsWith(`${path}.`) ? field.slice(path.length + 1) : undefined;
}
