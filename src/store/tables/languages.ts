/** The database's text search configuration, by the language as a schema names it. */
export const languages: ReadonlyMap<string, string> = new Map([
  ["simple", "simple"],
  ["da", "danish"],
  ["nl", "dutch"],
  ["en", "english"],
  ["fi", "finnish"],
  ["fr", "french"],
  ["de", "german"],
  ["hu", "hungarian"],
  ["it", "italian"],
  ["no", "norwegian"],
  ["pt", "portuguese"],
  ["ro", "romanian"],
  ["ru", "russian"],
  ["es", "spanish"],
  ["sv", "swedish"],
  ["tr", "turkish"],
]);
