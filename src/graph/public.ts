// What `mandate/graph` offers: graphs as text, as data and in TypeScript.
export { END } from './index.ts'
export type { Blueprint } from './index.ts'
