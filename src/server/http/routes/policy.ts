import { MandateError } from '../../../core/index.ts'
import type { Json } from '../../../core/index.ts'
import { mandateHash } from '../../../gate/index.ts'
import type { Mandate } from '../../../gate/index.ts'
import type { ServiceAs } from '../../../agent/index.ts'
import type { Route } from '../route.ts'
import { plain } from './run-schemas.ts'
import { anything, count, flag, list, object, openObject, text, texts } from './schemas.ts'

const policy = object({ mandate: { type: ['object', 'null'] }, hash: text })

function shown(service: ServiceAs): Json {
  const mandate = service.policy()
  return plain({ mandate: mandate ?? null, hash: mandateHash(mandate) })
}

/** Routes that read and change the mandate of the host, evaluate a call against it, and audit runs. */
export const policyRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/policy',
    summary: 'The mandate of the host.',
    tag: 'policy',
    access: 'identity',
    permission: ['change-policy', 'read-journal'],
    answer: { status: 200, schema: policy },
    handle: async ({ service }) => shown(service),
  },
  {
    method: 'PUT',
    path: '/api/policy',
    summary:
      'Changes the mandate of the host, for runs that are started or resumed from now on. `before` is the hash of the one that it replaces.',
    tag: 'policy',
    access: 'identity',
    permission: 'change-policy',
    body: object({ mandate: { type: ['object', 'null'] }, 'before?': text }),
    answer: { status: 200, schema: policy },
    async handle({ service, body }) {
      const { mandate, before } = body as unknown as { readonly mandate: Mandate | null; readonly before?: string }
      if (before !== undefined && before !== mandateHash(service.policy()))
        throw new MandateError(
          'JOURNAL_CONFLICT',
          'The policy was changed meanwhile. Read it again, and repeat the change.',
        )
      await service.setPolicy(mandate ?? undefined)
      return plain({ mandate, hash: mandateHash(mandate ?? undefined) })
    },
  },
  {
    method: 'POST',
    path: '/api/policy/test',
    summary:
      'What the gate would answer to a call of a tool in the name of the caller; nothing is called. With `mandate`, as if that were the policy.',
    tag: 'policy',
    access: 'identity',
    permission: ['change-policy', 'read-journal'],
    reads: true,
    body: object({ tool: text, input: anything, 'agent?': text, 'labels?': texts, 'mandate?': openObject({}) }),
    answer: {
      status: 200,
      schema: openObject({
        decision: openObject({ verdict: text, rule: text, reason: text }),
        opinions: list(openObject({ guard: text, level: count, verdict: text })),
        risk: openObject({}),
        left: openObject({}),
      }),
    },
    async handle({ service, body }) {
      const { tool, ...call } = body as unknown as { readonly tool: string } & Omit<
        Parameters<ServiceAs['explain']>[0],
        'name'
      >
      return plain(await service.explain({ name: tool, ...call }))
    },
  },
  {
    method: 'GET',
    path: '/api/audit',
    summary: 'Verifies every run, and lists the incidents and all that was blocked or changed.',
    tag: 'journal',
    access: 'identity',
    permission: 'read-journal',
    answer: { status: 200, schema: openObject({ ok: flag }) },
    handle: async ({ service }) => plain(await service.audit()),
  },
]
