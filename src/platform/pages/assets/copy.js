// Lets buttons copy the text of another element, or what another address answers. Without this script there are no such buttons.
document.documentElement.classList.add("scripted");

/** The line that screen readers read out. A page that renews itself has one. */
const news = document.querySelector(".heard[role=status]") ?? document.createElement("p");
news.className = "heard";
news.setAttribute("role", "status");
if (!news.isConnected) document.body.append(news);

/** Milliseconds for which a button says that it has copied. */
const shown = 2_000;

document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("button[data-copies], button[data-copies-from]");
  if (!button) return;
  const { copies, copiesFrom } = button.dataset;
  const source = document.getElementById(copies);
  if (!source && copiesFrom === undefined) return;
  const word = await (source ? copy(source) : copyFrom(copiesFrom));
  button.textContent = word;
  news.textContent = word;
  setTimeout(() => {
    button.textContent = "Copy";
    if (news.textContent === word) news.textContent = "";
  }, shown);
});

/** @returns what happened, in a word */
async function copy(source) {
  try {
    await navigator.clipboard.writeText(rawOf(source));
    return "Copied";
  } catch {
    // Browsers let only pages with an https address use the clipboard.
    getSelection().selectAllChildren(source);
    return "Selected";
  }
}

/** The text of an element; of a time, the value that it stands for. */
function rawOf(source) {
  const [only, ...others] = source.children;
  return only?.nodeName === "TIME" && others.length === 0 ? only.title : source.textContent.trim();
}

/** @returns what happened, in a word or two */
async function copyFrom(address) {
  try {
    const answer = await fetch(address);
    if (!answer.ok) return "Not copied";
    await navigator.clipboard.writeText(await answer.text());
    return "Copied";
  } catch {
    return "Not copied";
  }
}
