import type { AgentService } from '../../agent/index.ts'
import type { Part } from '../http/route.ts'
import { RunFigures } from './run-figures.ts'

const TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Returns the part with `GET /metrics` for Prometheus: metrics of this process and of the added parts, for callers that may read journals. */
export function metricsPart(service: AgentService, given: readonly Part[]): Part {
  const figures = new RunFigures(service.events)
  return {
    routes: [
      {
        method: 'GET',
        path: '/metrics',
        summary: 'Figures of this process in the text format of Prometheus.',
        tag: 'system',
        access: 'identity',
        permission: 'read-journal',
        answer: { status: 200, type: 'text/plain' },
        handle: async () => {
          const more = await Promise.all(given.map(async (part) => part.figures?.() ?? ''))
          return new Response([figures.text(), ...more].join(''), { headers: { 'content-type': TYPE } })
        },
      },
    ],
    close: () => figures.close(),
  }
}
