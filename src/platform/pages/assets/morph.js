/** The range that the reader has selected. It is looked up once, because the browser lays out the page for each look. */
let selected;

/**
 * Gives an element the content of a new one, and changes only what differs. Unchanged elements keep their focus, their
 * input and whether they are open. Elements with the same id correspond to each other in any position.
 */
export function morphContent(shown, fresh) {
  const focused = document.activeElement;
  const selection = getSelection();
  selected = selection && !selection.isCollapsed ? selection.getRangeAt(0) : undefined;
  morphChildren(shown, fresh);
  if (focused?.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
}

function morphChildren(shown, fresh) {
  const coming = [...fresh.childNodes];
  const ids = new Set(coming.flatMap(({ id }) => id || []));
  const known = new Map();
  for (const child of [...shown.children]) {
    if (ids.has(child.id)) known.set(child.id, child);
    else if (child.id) child.remove();
  }
  let at = shown.firstChild;
  for (const [index, next] of coming.entries()) {
    const isWanted = (node) => ids.has(node.id) || coming.slice(index + 1).some((one) => isSame(node, one));
    const found = matchOf(next, at, known, isWanted);
    if (!found) {
      shown.insertBefore(next, at);
      continue;
    }
    while (at && at !== found && !isWanted(at)) at = removed(at);
    if (at === found) at = found.nextSibling;
    else move(shown, found, at);
    morph(found, next);
  }
  while (at) at = removed(at);
}

/** The old node for the next new node: the one with its id, else an equal one farther on, else the one in its place. */
function matchOf(next, at, known, isWanted) {
  if (next.id) {
    const found = known.get(next.id);
    return found?.nodeName === next.nodeName ? found : undefined;
  }
  if (!at) return undefined;
  if (next.nodeType === Node.ELEMENT_NODE) {
    for (let node = at; node; node = node.nextSibling) if (isSame(node, next)) return node;
  }
  return at.nodeName === next.nodeName && !at.id && !isWanted(at) ? at : undefined;
}

function isSame(node, other) {
  return node.nodeType === Node.ELEMENT_NODE && node.isEqualNode(other);
}

function removed(node) {
  const { nextSibling } = node;
  node.remove();
  return nextSibling;
}

function move(parent, node, before) {
  if (parent.moveBefore) parent.moveBefore(node, before);
  else parent.insertBefore(node, before);
}

function morph(shown, fresh) {
  if (shown.isEqualNode(fresh)) return;
  // A script of the page manages what is in there, until the server names it anew.
  if (shown.dataset?.own !== undefined && shown.dataset.own === fresh.dataset?.own) return;
  if (shown.nodeType !== Node.ELEMENT_NODE) {
    // Selected text changes only after the selection ends.
    if (!selected?.intersectsNode(shown)) shown.data = fresh.data;
    return;
  }
  morphAttributes(shown, fresh);
  morphChildren(shown, fresh);
}

function morphAttributes(shown, fresh) {
  // The reader decides whether details are open.
  const isOwn = (name) => name === "open" && shown.nodeName === "DETAILS";
  for (const { name } of [...shown.attributes]) {
    if (!fresh.hasAttribute(name) && !isOwn(name)) shown.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (shown.getAttribute(name) !== value && !isOwn(name)) shown.setAttribute(name, value);
  }
}
