import { type Html, html } from "../http/html.js";

/**
 * A button that copies the text of an element on the page. It needs the script `copy.js`, and is absent without it.
 * @param id of the element
 * @param what the button copies, for screen readers: `the public address`
 */
export function copyButton(id: string, what: string): Html {
  return html`<button type="button" class="copy" data-copies="${id}" aria-label="Copy ${what}">Copy</button>`;
}

/**
 * A button that copies what an address of this server answers. It needs the same script.
 * @param address relative to the page, or a path
 */
export function copyFromButton(address: string, what: string): Html {
  return html`<button type="button" class="copy" data-copies-from="${address}" aria-label="Copy ${what}">Copy</button>`;
}
