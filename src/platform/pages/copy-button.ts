import { type Html, html, linesOf } from "../http/html.js";

/**
 * A button that copies the text of an element on the page. It needs the script `copy.js`, and is absent without it.
 * @param id of the element
 * @param what the button copies, for screen readers: `the public address`
 */
export function copyButton(id: string, what: string): Html {
  return html`<button type="button" class="copy" data-copies="${id}" aria-label="Copy ${what}">Copy</button>`;
}

/** A text in a box, with a button in its corner that copies it. @param what the button copies, for screen readers */
export function copiedText(id: string, text: string, what: string): Html {
  return html`<div class="code"><pre id="${id}">${linesOf(text)}</pre>${copyButton(id, what)}</div>`;
}

/**
 * A button that copies the response of an address of this server. It needs the same script.
 * @param address relative to the page, or a path
 */
export function copyFromButton(address: string, what: string): Html {
  return html`<button type="button" class="copy" data-copies-from="${address}" aria-label="Copy ${what}">Copy</button>`;
}
