/** Words that YAML 1.1 readers, the peer's among them, take for something else than text. */
const notText = /^(?:~|null|true|false|yes|no|on|off|y|n)$/i;

/** A text as a YAML scalar on one line: plain where every reader takes it for the same text, else quoted. */
export function yamlScalar(text: string): string {
  const isPlain = /^[A-Za-z_./][\w$./-]*(?:[\w$ (),[\]./-]*[\w)\]])?$/.test(text);
  return isPlain && !notText.test(text) ? text : JSON.stringify(text);
}
