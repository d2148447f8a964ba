import { apiSchemas } from "../../../api/api-document.js";
import { readBudget } from "../../edge/budget.js";
import type { EdgeEndpoint, EdgeProduct } from "../../edge/edge-endpoints.js";
import { type Html, html, linesOf } from "../../http/html.js";
import { Problem } from "../../problem.js";
import { confirmed, digits } from "../parts.js";

export const endpointsAddress = "/endpoints";

/** What endpoints give access to, in words. */
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

/**
 * The form of a new endpoint.
 * @param hasDataService whether the server has a data service
 * @param typed what was typed before; the form is open then
 */
export function newEndpointForm(hasDataService: boolean, typed?: URLSearchParams): Html {
  const given = (name: string): string => typed?.get(name) ?? "";
  const budget = tiers.find((tier) => tier === given("budget")) ?? null;
  const products = (["rpc", "data"] as const).filter((product) => product === "rpc" || hasDataService);
  return html`<details${typed && html` open`} class="confirm" id="new-endpoint"><summary class="button main">New endpoint</summary>
<form method="post" action="${endpointsAddress}">
<p class="row"><label>Name <input name="name" value="${given("name")}" required maxlength="200" autocomplete="off"></label>
<label>Access to <select name="product">${products.map((product) => html`<option value="${product}"${product === given("product") && html` selected`}>${productWords[product]}</option>`)}</select></label>
${budgetField(budget)}</p>
${domainsField(given("domains"))}
<p><button class="main">Create endpoint</button></p></form></details>`;
}

/** The forms that change and delete an endpoint. @param own the address of its page */
export function changeForms({ name, budget, domains, pausedAt }: EdgeEndpoint, own: string): Html {
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
<details class="confirm" id="change"><summary class="button" aria-label="Change ${name}">Change</summary>
<form method="post" action="${own}/change"><p>${budgetField(budget)}</p>
${domainsField(domains.join("\n"))}
<p><button>Save ${name}</button></p></form></details>
${confirmed({
  id: "delete",
  word: "Delete",
  label: `Delete ${name}`,
  question: "Its key stops working at once, and its counts are deleted. This cannot be undone.",
  action: `${own}/delete`,
  fields: html`<p><label><span>Type <strong>${name}</strong> to confirm</span> <input name="name" required autocomplete="off"></label></p>`,
})}</div>`;
}

function budgetField(chosen: string | null): Html {
  const known = chosen === null || tiers.includes(chosen) ? tiers : [chosen, ...tiers];
  return html`<label>Limit <select name="budget"><option value="">no limit</option>${known.map(
    (tier) =>
      html`<option value="${tier}"${tier === chosen && html` selected`}>${budgetWords(tier)}</option>`,
  )}</select></label>`;
}

function domainsField(domains: string): Html {
  return html`<p><label>Web pages that may use it, one domain a line (leave empty to allow all) <textarea name="domains" rows="3" maxlength="${longestDomains}" placeholder="example.com&#10;*.example.com" spellcheck="false">${linesOf(domains)}</textarea></label></p>`;
}

/** The limit that a form asks for. @throws Problem `bad-request` */
export function budgetIn(form: URLSearchParams, current: string | null = null): string | null {
  const tier = form.get("budget") ?? "";
  if (tier === "") return null;
  if (tier === current || tiers.includes(tier)) return tier;
  throw new Problem("bad-request", "There is no such limit. Choose one from the list.");
}

/** The domains that a form allows. Whether they are domains is checked elsewhere. @throws Problem `bad-request` */
export function domainsIn(form: URLSearchParams): readonly string[] {
  const text = form.get("domains") ?? "";
  const domains = text.split(/[\s,]+/).filter((each) => each !== "");
  if (domains.length <= mostDomains && text.length <= longestDomains) return domains;
  throw new Problem("bad-request", `An endpoint has at most ${mostDomains} domains.`);
}
