import { expect, it } from 'vitest'
import { routedApp } from './app.ts'
import type { Route } from './route.ts'

const route = (path: string): Route => ({
  method: 'GET',
  path,
  summary: path,
  tag: 'test',
  access: 'public',
  answer: { status: 200 },
  handle: async () => path,
})

it('a path that is named exactly is answered by its own route, whichever part brought it first', async () => {
  const app = routedApp([route('/{page}'), route('/metrics'), route('/{page}/all'), route('/runs/all')], {
    serve: async ({ route: { path } }) => path,
    admit: async () => {},
    answerError: () => new Response(null, { status: 500 }),
  })
  const answer = async (path: string): Promise<unknown> =>
    (await app.fetch(new Request(`http://localhost${path}`), '::1')).json()
  expect(await answer('/metrics')).toBe('/metrics')
  expect(await answer('/runs/all')).toBe('/runs/all')
  expect(await answer('/else')).toBe('/{page}')
  expect(app.routeOf('GET', '/metrics')?.path).toBe('/metrics')
})
