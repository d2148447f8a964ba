const longest = 10_000;

/**
 * Makes a string storable, because mappings and manifests can contain any characters. Cuts long strings, and replaces
 * zero bytes and lone surrogates, which PostgreSQL cannot store.
 */
export function keptText(text: string): string {
  return Buffer.from(text.slice(0, longest).replaceAll("\0", "\u2400")).toString();
}
