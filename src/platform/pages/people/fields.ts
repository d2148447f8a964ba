import { type Html, html } from "../../http/html.js";
import { passwordLength } from "../../people/passwords/passwords.js";

/** A field for a password. */
export function passwordField(name: string, label: string, kind: "new-password" | "current-password"): Html {
  const least = kind === "new-password" && html` minlength="${passwordLength.least}"`;
  return html`<label>${label} <input name="${name}" type="password" required${least} maxlength="${passwordLength.most}" autocomplete="${kind}"></label>`;
}
