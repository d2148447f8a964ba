/**
 * The query page's scripts and style, as texts. The build puts them into this module, so that who installs the package
 * does not install the server that the page was made for.
 */
export {
  css,
  editorWorkerService,
  graphqlWorker,
  js,
  jsonWorker,
} from "@graphql-yoga/render-graphiql/graphiql";
