/** The environment variable that holds a secret. */
export function secretVariable(name: string): string {
  return `GRAPHLOOM_SECRET_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
}
