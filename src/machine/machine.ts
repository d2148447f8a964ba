/** A usage event's facts about this machine: the version of Node and the platform. */
export function describeMachine(): { readonly node: string; readonly platform: string } {
  return { node: process.version, platform: process.platform };
}
