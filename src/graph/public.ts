// What `mandate/graph` offers: graphs as text, as data and in TypeScript.
export { END, graphRegistry } from './index.ts'
export type { Blueprint } from './index.ts'
