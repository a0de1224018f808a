import type { Schedule } from '../../../agent/index.ts'
import { MandateError } from '../../../core/index.ts'
import type { JsonSchema, Route } from '../route.ts'
import { limitsSchema, plain } from './run-schemas.ts'
import { count, list, object, oneOf, text } from './schemas.ts'

const fields: Readonly<Record<string, JsonSchema>> = {
  'cron?': text,
  'everyMs?': count,
  'timeZone?': text,
  'agent?': text,
  'prompt?': text,
  'wake?': text,
  'message?': text,
  'budget?': limitsSchema,
  'overlap?': oneOf('allow', 'skip'),
  'missed?': oneOf('once', 'skip'),
}
const schedule = object({ id: text, ...fields, nextAt: { type: 'number' }, runId: text })

/** Routes for the schedules of the service. */
export const scheduleRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/schedules',
    summary: 'The schedules that the caller may know of, soonest first.',
    tag: 'schedules',
    access: 'identity',
    answer: { status: 200, schema: object({ schedules: list(schedule) }) },
    handle: async ({ service }) => plain({ schedules: await service.schedules.list() }),
  },
  {
    method: 'GET',
    path: '/api/schedules/{scheduleId}',
    summary: 'One schedule.',
    tag: 'schedules',
    access: 'identity',
    answer: { status: 200, schema: schedule },
    async handle({ service, params }) {
      const found = (await service.schedules.list()).find(({ id }) => id === params['scheduleId'])
      if (found === undefined) throw new MandateError('NOT_FOUND', `There is no schedule "${params['scheduleId']}".`)
      return plain(found)
    },
  },
  {
    method: 'PUT',
    path: '/api/schedules/{scheduleId}',
    summary: 'Adds a schedule, or changes the one of this id. The same again changes nothing.',
    tag: 'schedules',
    access: 'identity',
    permission: 'run-agent',
    body: object(fields),
    answer: { status: 200, schema: schedule },
    handle: async ({ service, params, body }) =>
      plain(await service.schedules.put({ ...(body as Omit<Schedule, 'id'>), id: params['scheduleId']! })),
  },
  {
    method: 'DELETE',
    path: '/api/schedules/{scheduleId}',
    summary: 'Ends a schedule. A run of it that is under way goes on.',
    tag: 'schedules',
    access: 'identity',
    answer: { status: 204 },
    async handle({ service, params }) {
      await service.schedules.remove(params['scheduleId']!)
      return null
    },
  },
]
