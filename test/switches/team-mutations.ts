import type { Mutation } from './mutation.ts'

/** What keeps a team from going on for ever, from naming members that it does not have, and from changing tasks behind each other's back. */
export const TEAM_MUTATIONS: readonly Mutation[] = (
  [
    ['handoffs', 'handoff-team', 'if (count >= maxHandoffs)', 'if (count >= maxHandoffs + 1)', 'teams'],
    ['handoff-targets', 'handoff-team', 'if (unknown !== undefined) throw', 'if (false) throw', 'teams'],
    [
      'routed-member',
      'routed-team',
      'chosen !== undefined && members.ids.includes(chosen)',
      'chosen !== undefined',
      'teams',
    ],
    [
      'chain-speaker',
      'chain-team',
      'index === order.length - 1 ? input.speak : undefined',
      'index < order.length ? input.speak : undefined',
      'streamed-text',
    ],
    ['routed-speaker', 'routed-team', 'input: given, speak: input.speak', 'input: given', 'streamed-text'],
    ['handoff-speaker', 'handoff-team', 'input: given, speak: input.speak', 'input: given', 'streamed-text'],
    [
      'planned-speaker',
      'planned/run-planned',
      'timeoutMs, speak }',
      'timeoutMs, speak: speak.length > 9 ? speak : undefined }',
      'streamed-text',
    ],
    [
      'retries',
      'planned/dispatch',
      'attempts <= this.#scene.settings.maxRetries',
      'attempts <= 9',
      'planned/planned-team',
    ],
    [
      'verified',
      'planned/dispatch',
      'return approved ? undefined :',
      'return approved || reason !== undefined ? undefined :',
      'planned/planned-team',
    ],
    [
      'version',
      'tasks/task-graph',
      'if (expectedVersion !== this.#version)',
      'if (expectedVersion < 0)',
      'tasks/task-graph',
    ],
    [
      'self',
      'tasks/task-rules',
      'if (blockedBy.includes(id)) return',
      'if (id === undefined) return',
      'tasks/task-graph',
    ],
    [
      'same-id',
      'tasks/task-rules',
      'if (tasks.has(task.id)) return',
      'if (task.id === undefined) return',
      'tasks/task-graph',
    ],
  ] as const
).map(([name, file, find, replace, tests]) => ({
  id: `team.${name}`,
  room: 'team',
  file: `src/team/${file}.ts`,
  find,
  replace,
  tests: [`src/team/${tests}.test.ts`],
}))
