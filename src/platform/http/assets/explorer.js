// Starts Swagger UI on the page of an API, in the colors of all pages, and adds the names that it lacks for screen readers.

const main = document.querySelector("#explorer");

/** Levels of headings, and what is a heading but does not say so. */
const headings = [
  ["h2.title", 1],
  [":is(h3.opblock-tag, .models h4, .modal-ux-header h3)", 2],
  [":is(.opblock-body, .auth-container, .errors-wrapper) h4", 3],
  [":is(.opblock-body, .auth-container) h5", 4],
];

/** Buttons that show a drawing, or nothing. */
const names = [
  [".copy-to-clipboard button", "Copy"],
  [".close-modal", "Close"],
];

function mend() {
  for (const [selector, level] of headings) {
    for (const title of main.querySelectorAll(`${selector}:not([role])`)) {
      title.role = "heading";
      title.ariaLevel = String(level);
    }
  }
  for (const [selector, name] of names) {
    for (const button of main.querySelectorAll(`${selector}:not([aria-label])`)) button.ariaLabel = name;
  }
  // A button is named what it shows.
  for (const button of main.querySelectorAll(".auth-btn-wrapper [aria-label]"))
    button.removeAttribute("aria-label");
  // The button around it opens the operation.
  for (const link of main.querySelectorAll("button a[href]")) link.removeAttribute("href");
  // A table with answers is a table.
  for (const table of main.querySelectorAll("table[role=region]")) table.removeAttribute("role");
  // What scrolls can be scrolled with the keyboard.
  for (const code of main.querySelectorAll("pre.microlight:not([tabindex])")) code.tabIndex = 0;
  for (const field of main.querySelectorAll(":is(input, select, textarea):not([aria-label])")) {
    const row = field.closest("tr")?.querySelector(".parameter__name, td");
    const name = field.placeholder || row?.textContent || field.closest("label")?.textContent || "Choice";
    field.setAttribute("aria-label", name);
  }
}
new MutationObserver(mend).observe(main, { childList: true, subtree: true });

SwaggerUIBundle({
  domNode: main,
  url: new URL(main.dataset.document, location.href).href,
  deepLinking: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  validatorUrl: null,
  // Its colors know no theme.
  syntaxHighlight: { activated: false },
});
