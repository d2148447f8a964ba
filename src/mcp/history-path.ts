/** The path of an entity's history on a server, with its query. */
export function historyPath(
  of: { readonly name: string; readonly version: string; readonly entity: string },
  asked: { readonly id: string; readonly before?: string | undefined },
): string {
  const [name, version, entity] = [of.name, of.version, of.entity].map(encodeURIComponent);
  const query = new URLSearchParams({ id: asked.id });
  if (asked.before !== undefined) query.set("before", asked.before);
  return `/dashboard/${name}/${version}/data/${entity}/history.json?${query}`;
}
