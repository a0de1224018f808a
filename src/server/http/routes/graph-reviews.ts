import type { AgentService } from '../../../agent/index.ts'
import { MandateError } from '../../../core/index.ts'
import type { Json } from '../../../core/index.ts'
import type * as GraphRoom from '../../../graph/index.ts'
import type { Call, Route } from '../route.ts'
import { oneGraph } from './graphs.ts'
import { plain } from './run-schemas.ts'
import { flag, list, object, oneOf, openObject, text } from './schemas.ts'

const review = openObject({
  id: text,
  graph: text,
  hash: text,
  source: text,
  state: oneOf('waiting', 'approved', 'registered', 'rejected', 'revoked', 'expired', 'unproven'),
  'approvalId?': text,
  'token?': text,
})

type Reviews = ReturnType<typeof GraphRoom.graphReviews>

/** Returns the reviews of graphs in the name of the caller. */
async function reviewsFor(host: AgentService, { identity }: Call): Promise<Reviews> {
  const { graphReviews } = await import('../../../graph/index.ts')
  return graphReviews(host).as(identity)
}

async function requested(host: AgentService, call: Call): Promise<Json> {
  const { source, reason } = call.body as { readonly source: string; readonly reason?: string }
  const graph = oneGraph(await import('../../../graph/index.ts'), host, source)
  return plain(await (await reviewsFor(host, call)).request(graph, { reason }))
}

/** Registers a reviewed graph, compiled from the source that the review contains. */
async function registered(host: AgentService, call: Call): Promise<Json> {
  const reviews = await reviewsFor(host, call)
  const { token } = call.body as { readonly token: string }
  const { source, state } = await reviews.read(call.params['reviewId']!)
  if (state !== 'approved')
    throw new MandateError(
      'RUN_STATE',
      `The review is "${state}". Only a graph whose review is approved can be registered.`,
    )
  const graph = oneGraph(await import('../../../graph/index.ts'), host, source)
  return plain(await reviews.register(graph, token))
}

/** Returns the routes for reviews of graphs. A graph that was received over the network is registered only after a person has reviewed it. */
export function graphReviewRoutes(host: AgentService): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/api/graph-reviews',
      summary: 'Asks for a review of a graph. It waits among the approvals, with its text and what it can reach.',
      tag: 'graphs',
      access: 'identity',
      permission: 'run-agent',
      body: object({ source: text, 'reason?': text }),
      answer: { status: 201, schema: review },
      handle: (call) => requested(host, call),
    },
    {
      method: 'GET',
      path: '/api/graph-reviews',
      summary: 'The reviews that wait or can be used; with `all`, also those that are over.',
      tag: 'graphs',
      access: 'identity',
      query: object({ 'all?': flag }),
      answer: { status: 200, schema: object({ reviews: list(review) }) },
      handle: async (call) => plain({ reviews: await (await reviewsFor(host, call)).list(call.query) }),
    },
    {
      method: 'GET',
      path: '/api/graph-reviews/{reviewId}',
      summary: 'Where a review stands; one that is approved has a token.',
      tag: 'graphs',
      access: 'identity',
      answer: { status: 200, schema: review },
      handle: async (call) => plain(await (await reviewsFor(host, call)).read(call.params['reviewId']!)),
    },
    {
      method: 'POST',
      path: '/api/graph-reviews/{reviewId}/register',
      summary: 'Registers the reviewed graph with the token of its review.',
      tag: 'graphs',
      access: 'identity',
      permission: 'create-agent',
      body: object({ token: text }),
      answer: { status: 200, schema: review },
      handle: (call) => registered(host, call),
    },
    {
      method: 'POST',
      path: '/api/graph-reviews/{reviewId}/revoke',
      summary: 'Ends a token that was not used, or takes a registered graph back.',
      tag: 'graphs',
      access: 'identity',
      permission: 'approve',
      body: object({ 'reason?': text }),
      answer: { status: 200, schema: object({ id: text }) },
      async handle(call) {
        const { reason } = call.body as { readonly reason?: string }
        await (await reviewsFor(host, call)).revoke(call.params['reviewId']!, reason)
        return { id: call.params['reviewId']! }
      },
    },
  ]
}
