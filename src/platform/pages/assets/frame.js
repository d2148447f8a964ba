// Shortcuts for the keyboard: / searches, g and a letter goes to a page, ? lists them. They can be switched off, because
// programs that listen to speech may type letters.

/** Milliseconds within which the second key must follow. */
const patience = 1_500;

const places = {
  ...{ s: "/", p: "/pipelines", d: "/data", n: "/nodes", e: "/endpoints", x: "/secrets" },
  ...{ m: "/members", k: "/keys", a: "/audit", h: "/docs" },
};
const setting = "graphloom-shortcuts";

let began = 0;

const footer = document.createElement("footer");
const help = document.createElement("button");
help.type = "button";
help.className = "plain";
help.textContent = "Keyboard shortcuts";
help.addEventListener("click", explain);
footer.append(help);
document.body.append(footer);

if (location.hash === "#search") document.getElementById("search")?.focus();

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !isOn()) return;
  const isSecond = Date.now() - began < patience;
  began = 0;
  if (isSecond && links()[event.key]) return act(event, () => links()[event.key].click());
  if (event.key === "g") began = Date.now();
  else if (event.key === "/") act(event, search);
  else if (event.key === "?") act(event, explain);
});

// Menus close by Escape, and when something else is pressed.
addEventListener("keydown", (event) => {
  const open = event.key === "Escape" && document.querySelector("details.menu[open]");
  if (!open) return;
  open.open = false;
  open.querySelector("summary").focus();
});
addEventListener("click", ({ target }) => {
  for (const menu of document.querySelectorAll("details.menu[open]"))
    if (!menu.contains(target)) menu.open = false;
});

function act(event, perform) {
  event.preventDefault();
  perform();
}

function isTyping(target) {
  return target instanceof Element && target.closest("input, textarea, select, dialog, [contenteditable]");
}

function isOn() {
  return localStorage.getItem(setting) !== "off";
}

/** The links of the navigation by the letter that follows g. */
function links() {
  const found = [...document.querySelectorAll("body > header nav a")];
  const known = Object.entries(places).map(([letter, address]) => [
    letter,
    found.find((link) => link.getAttribute("href") === address),
  ]);
  return Object.fromEntries(known.filter(([, link]) => link));
}

function search() {
  const field = document.getElementById("search") ?? document.querySelector("main input[type=search]");
  if (field) field.focus();
  else location.href = "/#search";
}

/** Opens the list of shortcuts. */
function explain() {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "shortcuts-title");
  const title = document.createElement("h2");
  title.id = "shortcuts-title";
  title.textContent = "Keyboard shortcuts";
  const list = document.createElement("dl");
  const rows = [
    ["/", "Search"],
    ...Object.entries(links()).map(([key, { textContent }]) => [`g ${key}`, textContent]),
    ["?", "This list"],
  ];
  for (const [keys, what] of rows) {
    const term = document.createElement("dt");
    for (const key of keys.split(" ")) {
      const cap = document.createElement("kbd");
      cap.textContent = key;
      term.append(cap, " ");
    }
    const words = document.createElement("dd");
    words.textContent = what;
    list.append(term, words);
  }
  const choice = document.createElement("label");
  choice.className = "box";
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = isOn();
  box.addEventListener("change", () => localStorage.setItem(setting, box.checked ? "on" : "off"));
  choice.append(box, " Use shortcuts in this browser");
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "Close";
  close.addEventListener("click", () => dialog.close());
  dialog.append(title, list, choice, close);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
