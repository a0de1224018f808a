import type { Json, JsonObject } from '../../core/index.ts'
import type { JsonSchema, Route } from './route.ts'

const errorSchema: JsonSchema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: { code: { type: 'string' }, message: { type: 'string' }, info: {} },
      required: ['code', 'message'],
    },
  },
  required: ['error'],
}

/** Returns the OpenAPI 3.1 document of a table of routes. */
function openApiDocument(routes: readonly Route[], version = '1'): JsonObject {
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = operationOf(route)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mandate',
      version,
      description: 'Governed agents over HTTP. Every operation is carried out in the name of the caller.',
    },
    paths,
    components: {
      schemas: { Error: errorSchema },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  }
}

/** Returns the route that serves the OpenAPI document of the other routes and of itself. */
export function documentRoute(routes: readonly Route[], version: string | undefined): Route {
  const route: Route = {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document.',
    tag: 'system',
    access: 'identity',
    answer: { status: 200, schema: { type: 'object' } },
    handle: async () => (document ??= openApiDocument([...routes, route], version)),
  }
  let document: JsonObject | undefined
  return route
}

function operationOf(route: Route): Json {
  const { method, path, summary, tag, access, permission } = route
  const body = bodyOf(route)
  return {
    operationId: operationId(method, path),
    summary,
    tags: [tag],
    ...(permission === undefined
      ? {}
      : { description: `Takes the permission \`${[permission].flat().join('` or `')}\`.` }),
    security: access === 'public' ? [] : [{ token: [] }],
    parameters: [...pathParameters(path), ...queryParameters(route.query)],
    ...(body === undefined ? {} : { requestBody: { required: true, content: body } }),
    responses: answersOf(route),
  }
}

function bodyOf({ body, raw }: Route): JsonObject | undefined {
  if (raw === true) return { '*/*': { schema: {} } }
  return body === undefined ? undefined : { 'application/json': { schema: body } }
}

function operationId(method: string, path: string): string {
  const words = path.split(/[/{}.]+/).filter((word) => word !== '')
  return [method.toLowerCase(), ...words.map((word) => word[0]!.toUpperCase() + word.slice(1))].join('')
}

function pathParameters(path: string): readonly Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name: name!,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

function queryParameters(query: JsonSchema | undefined): readonly Json[] {
  const properties = (query?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
  const required = (query?.['required'] ?? []) as readonly string[]
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    // A list is sent as one comma-separated value.
    ...(schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
    schema,
  }))
}

function answersOf({ answer }: Route): JsonObject {
  const { status, schema, stream, also = {}, type } = answer
  const media = type ?? (stream === true ? 'text/event-stream' : 'application/json')
  const content = (of: JsonSchema | undefined): JsonObject =>
    of === undefined && stream === undefined && type === undefined
      ? {}
      : { content: { [media]: { schema: of ?? { type: 'string' } } } }
  const others = Object.entries(also).map(
    ([code, of]) => [code, { description: 'The answer.', content: { 'application/json': { schema: of } } }] as const,
  )
  return {
    [status]: { description: 'The answer.', ...content(schema) },
    ...Object.fromEntries(others),
    default: {
      description: 'An error.',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  }
}
