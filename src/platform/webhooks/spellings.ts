/** The ways in which an answer may repeat a secret: unchanged, in JSON, and each of them in HTML. */
export function spellingsOf(secret: string): readonly string[] {
  const plain = [secret, JSON.stringify(secret).slice(1, -1)];
  const inHtml = [named, (character: string) => `&#${character.charCodeAt(0)};`].flatMap((reference) =>
    plain.map((text) => text.replace(/[&<>"']/g, reference)),
  );
  return [...new Set([...plain, ...inHtml])];
}

const names: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function named(character: string): string {
  return names[character] ?? "&#39;";
}
