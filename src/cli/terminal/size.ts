/** A number of bytes: `70 KB`, `3.4 MB`, `1.2 GB`. */
export function size(bytes: number): string {
  const kilobytes = Math.ceil(bytes / 1024);
  if (kilobytes < 1024) return `${kilobytes} KB`;
  const megabytes = kilobytes / 1024;
  return megabytes < 10_240 ? `${rounded(megabytes)} MB` : `${rounded(megabytes / 1024)} GB`;
}

function rounded(number: number): number {
  return Number(number.toFixed(1));
}
