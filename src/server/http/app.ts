import { Hono } from 'hono'
import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { Refusal, isFault } from './error-answers.ts'
import type { InputChecks } from './request-input.ts'
import { inputChecks } from './request-input.ts'
import type { Route } from './route.ts'

/** A request with the route that it matches. */
export interface Matched {
  readonly route: Route
  readonly checks: InputChecks
  readonly params: Readonly<Record<string, string>>
  readonly request: Request
  /** The address of the client, if known. */
  readonly address: string
}

export interface RoutedApp {
  /** Handles one request that passed the host and origin checks. */
  fetch(request: Request, address: string): Promise<Response>
  /** Returns the route of a request without handling the request. */
  routeOf(method: string, path: string): Route | undefined
}

interface Handling {
  readonly serve: (matched: Matched) => Promise<Response | Json>
  /** Throws unless the caller is authenticated. Called for unknown paths, so that unauthenticated clients cannot probe which paths exist. */
  readonly admit: (request: Request, address: string) => Promise<void>
  readonly onFault?: ((error: unknown, request: Request) => void) | undefined
  /** Returns the response for a request that failed or is refused. */
  readonly answerError: (error: unknown, request: Request) => Response
}

/** Builds the application from a table of routes. */
export function routedApp(routes: readonly Route[], { serve, admit, onFault, answerError }: Handling): RoutedApp {
  checkTable(routes)
  // Routes with fewer parameters are matched first, regardless of which part added them.
  const ordered = routes.toSorted((a, b) => parameterCount(a) - parameterCount(b))
  const app = new Hono<{ Bindings: { readonly address: string } }>()
  for (const route of ordered) {
    const checks = inputChecks(route)
    app.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (context) => {
      const { raw: request } = context.req
      // HEAD is answered as GET without the body; the body of a stream would never be read.
      if (request.method === 'HEAD' && route.answer.stream === true) throw wrongMethod([route.method])
      const matched = { route, checks, params: context.req.param(), request, address: context.env.address }
      return toResponse(await serve(matched), route)
    })
  }
  app.notFound(async (context) => {
    const { raw: request } = context.req
    await admit(request, context.env.address)
    const methods = routes.filter(({ path }) => isAt(path, new URL(request.url).pathname)).map(({ method }) => method)
    if (methods.length > 0) throw wrongMethod(methods)
    throw new Refusal(404, 'NOT_FOUND', 'There is nothing at this path. /openapi.json lists what there is.')
  })
  app.onError((error, context) => {
    if (isFault(error, context.req.raw)) onFault?.(error, context.req.raw)
    return answerError(error, context.req.raw)
  })
  return {
    fetch: async (request, address) => app.fetch(request, { address }),
    routeOf: (method, path) => ordered.find((route) => route.method === method && isAt(route.path, path)),
  }
}

function toResponse(answer: Response | Json, { answer: { status } }: Route): Response {
  if (answer instanceof Response) return answer
  return status === 204 ? new Response(null, { status }) : Response.json(answer, { status })
}

function wrongMethod(methods: readonly string[]): Refusal {
  const allow = methods.join(', ')
  return new Refusal(405, 'INPUT_INVALID', `This path takes ${allow}.`, { allow })
}

function isAt(path: string, pathname: string): boolean {
  const [asked, given] = [path.split('/'), pathname.split('/')]
  return asked.length === given.length && asked.every((part, at) => part === given[at] || isParameter(part, given[at]!))
}

function parameterCount({ path }: Route): number {
  return path.split('/').filter((part) => part.startsWith('{')).length
}

function isParameter(part: string, given: string): boolean {
  return part.startsWith('{') && given !== ''
}

function checkTable(routes: readonly Route[]): void {
  const seen = new Set<string>()
  for (const { method, path } of routes) {
    const place = `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`
    if (seen.has(place))
      throw new MandateError('CONFIG_INVALID', `Two routes answer ${place}. Give one of them another path.`)
    seen.add(place)
  }
}
