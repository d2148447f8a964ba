/** What of this machine an event tells: the version of Node, and the kind of system. */
export function describeMachine(): { readonly node: string; readonly platform: string } {
  return { node: process.version, platform: process.platform };
}
