import { apiSchemas } from "../../../api/api-document.js";
import { readBudget } from "../../edge/budget.js";
import type { EdgeEndpoint, EdgeProduct } from "../../edge/edge-endpoints.js";
import { type Html, html, linesOf } from "../../http/html.js";
import { type FieldError, Problem } from "../../problem.js";
import { type FormField, FormState, type RefusedForm, typedName } from "../form-state.js";
import { confirmed, digits } from "../parts.js";

export const endpointsAddress = "/endpoints";

export const productWords: Readonly<Record<EdgeProduct, string>> = {
  rpc: "chain nodes",
  data: "the data service",
};

/** The names of the tiers that limit requests. */
const tiers = (apiSchemas.EdgeBudget as { readonly enum: readonly string[] }).enum;

/** The most domains of an endpoint, and the most characters in all of them. */
const mostDomains = 100;
const longestDomains = 10_000;

/** The limits of a tier in words. */
export function budgetWords(tier: string | null): string {
  const { total, perAddress } = readBudget(tier);
  const parts = [
    ...(total === undefined ? [] : [`${digits(total)} requests a minute`]),
    ...(perAddress === undefined
      ? []
      : [`${digits(perAddress)}${total === undefined ? " requests a minute" : ""} from one address`]),
  ];
  return parts.length === 0 ? "no limit" : parts.join(", ");
}

/** The form of a new endpoint, after it was refused. */
export function newEndpointState(refused: RefusedForm): FormState {
  return new FormState([{ name: "name", subject: "The name" }, ...changeFields(refused)], refused);
}

/** The form that changes an endpoint, after it was refused. */
export function changeState(refused: RefusedForm): FormState {
  return new FormState(changeFields(refused), refused);
}

function changeFields({ typed }: RefusedForm): readonly FormField[] {
  const domains = domainsOf(typed);
  const subject = (place: string) => (place === "" ? "The list" : (domains[Number(place)] ?? "A domain"));
  return [
    { name: "budget", subject: "The limit" },
    { name: "domains", path: "allowed_domains", subject },
  ];
}

/**
 * The form of a new endpoint.
 * @param hasDataService whether the server has a data service
 */
export function newEndpointForm(hasDataService: boolean, state = new FormState()): Html {
  const budget = tiers.find((tier) => tier === state.valueOf("budget")) ?? null;
  const products = (["rpc", "data"] as const).filter((product) => product === "rpc" || hasDataService);
  return html`<details${state.refused && html` open`} class="confirm" id="new-endpoint"><summary class="button main">New endpoint</summary>
<form method="post" action="${endpointsAddress}">
<p class="row">${state.field("name", html`<label>Name <input name="name" value="${state.valueOf("name")}" required maxlength="200" autocomplete="off"${state.attributesOf("name")}></label>`)}
<label>Access to <select name="product">${products.map((product) => html`<option value="${product}"${product === state.valueOf("product") && html` selected`}>${productWords[product]}</option>`)}</select></label>
${budgetField(budget, state)}</p>
${domainsField("", state)}
<p><button class="main">Create endpoint</button></p></form></details>`;
}

/** The forms that change and delete an endpoint. @param own the address of its page */
export function changeForms(endpoint: EdgeEndpoint, own: string): Html {
  const { name, pausedAt } = endpoint;
  const pausing = pausedAt
    ? html`<form method="post" action="${own}/resume"><button id="pausing">Resume</button></form>`
    : confirmed({
        id: "pause",
        word: "Pause",
        label: `Pause ${name}`,
        question: "Requests with its key are refused until it is resumed.",
        action: `${own}/pause`,
      });
  return html`<div class="row actions">${pausing}
${changeForm(endpoint, own)}
${endpointDeletion(endpoint, own)}</div>`;
}

/** The form that changes an endpoint. */
export function changeForm(
  { name, budget, domains }: EdgeEndpoint,
  own: string,
  state = new FormState(),
): Html {
  const known = budget === null || tiers.includes(budget) ? tiers : [budget, ...tiers];
  const chosen = known.find((tier) => tier === state.valueOf("budget", budget ?? "")) ?? null;
  return html`<details${state.refused && html` open`} class="confirm" id="change"><summary class="button" aria-label="Change ${name}">Change</summary>
<form method="post" action="${own}/change"><p>${budgetField(chosen, state, known)}</p>
${domainsField(domains.join("\n"), state)}
<p><button>Save ${name}</button></p></form></details>`;
}

/** The form that deletes an endpoint. */
export function endpointDeletion(
  { name }: Pick<EdgeEndpoint, "name">,
  own: string,
  state = new FormState(),
): Html {
  return confirmed({
    id: "delete",
    word: "Delete",
    label: `Delete ${name}`,
    question: "Its key stops working at once, and its counts are deleted. This cannot be undone.",
    action: `${own}/delete`,
    fields: typedName(name, state),
    isOpen: state.refused !== undefined,
  });
}

function budgetField(chosen: string | null, state: FormState, known = tiers): Html {
  const options = known.map(
    (tier) =>
      html`<option value="${tier}"${tier === chosen && html` selected`}>${budgetWords(tier)}</option>`,
  );
  return state.field(
    "budget",
    html`<label>Limit <select name="budget"${state.attributesOf("budget")}><option value="">no limit</option>${options}</select></label>`,
  );
}

function domainsField(domains: string, state: FormState): Html {
  const text = linesOf(state.valueOf("domains", domains));
  return html`<p>${state.field("domains", html`<label>Web pages that may use it, one domain a line (leave empty to allow all) <textarea name="domains" rows="3" maxlength="${longestDomains}" placeholder="example.com&#10;*.example.com" spellcheck="false"${state.attributesOf("domains")}>${text}</textarea></label>`)}</p>`;
}

/** The limit that a form asks for. @throws Problem `bad-request` */
export function budgetIn(form: URLSearchParams, current: string | null = null): string | null {
  const tier = form.get("budget") ?? "";
  if (tier === "") return null;
  if (tier === current || tiers.includes(tier)) return tier;
  throw refusalOf({ field: "budget", message: "is not one of the list" });
}

/** The domains that a form allows. Whether they are domains is checked elsewhere. @throws Problem `bad-request` */
export function domainsIn(form: URLSearchParams): readonly string[] {
  const domains = domainsOf(form);
  const { length } = form.get("domains") ?? "";
  if (domains.length <= mostDomains && length <= longestDomains) return domains;
  const message = `has at most ${mostDomains} domains and ${digits(longestDomains)} characters`;
  throw refusalOf({ field: "allowed_domains", message });
}

function domainsOf(form: URLSearchParams): readonly string[] {
  return (form.get("domains") ?? "").split(/[\s,]+/).filter((each) => each !== "");
}

function refusalOf(error: FieldError): Problem {
  return new Problem("bad-request", "Some fields of the endpoint are invalid.", { errors: [error] });
}
