import { saidSoFar } from '../../agent/index.ts'
import type { Json } from '../../core/index.ts'
import type { Call, Route } from '../http/route.ts'
import { allEntries } from './all-entries.ts'

/**
 * `GET /api/runs/{runId}/said`: returns the conversation of a run, each message with the seq of its entry. It contains only recorded messages: a call that
 * has not run has no result here, while `messages` adds one so that a model can be asked again. Messages of earlier turns are marked.
 */
export const saidRoute: Route = {
  method: 'GET',
  path: '/api/runs/{runId}/said',
  summary: 'The conversation of a run, each message with the entry that it came with.',
  tag: 'journal',
  access: 'identity',
  answer: {
    status: 200,
    schema: {
      type: 'object',
      properties: { said: { type: 'array', items: { type: 'object' } } },
      required: ['said'],
    },
  },
  handle: readSaid,
}

async function readSaid({ service, params }: Call): Promise<Json> {
  const entries = await allEntries(service, params['runId']!)
  const [start] = entries
  const input = start?.type === 'run-start' ? (start.data?.input as Given | null | undefined) : undefined
  const earlier = (input?.history ?? []).map((message) => ({ seq: 1, message, isEarlier: true }))
  const prompt = input?.prompt === undefined || input.prompt === null ? [] : [{ seq: 1, message: input.prompt }]
  const said = saidSoFar(entries).map(({ message, seq }) => ({ seq, message: message as unknown as Json }))
  return { said: [...earlier, ...prompt, ...said] }
}

/** The input of a run of an agent; runs of other kinds have neither field. */
interface Given {
  readonly history?: readonly Json[]
  readonly prompt?: Json
}
