import { expect, it } from 'vitest'
import { seededRandom } from '../../core/index.ts'
import { TaskGraph } from './task-graph.ts'
import type { NewTask, TaskPatch } from './task.ts'

const task = (id: string, ...blockedBy: readonly string[]): NewTask => ({ id, description: `Do ${id}.`, blockedBy })
const done = (graph: TaskGraph, id: string): void => {
  graph.submitResult(id, 'x')
  graph.completeTask(id)
}

it('has at least one task, ids of their own, known dependencies, and no circle', () => {
  const bad: readonly (readonly [readonly unknown[], RegExp])[] = [
    [[], /no task/],
    [[task('a'), task('a')], /two tasks "a"/],
    [[task('a', 'b')], /"b", which there is not/],
    [[task('a', 'a')], /depends on itself/],
    [
      [task('a', 'c'), task('b', 'a'), task('c', 'b'), task('d', 'a')],
      /circle: (a → c → b → a|b → a → c → b|c → b → a → c)/,
    ],
    [[{ id: '', description: 'x' }], /id/],
    [[{ id: 'a' }], /description/],
    [[{ ...task('a'), prioritty: 1 }], /priority/],
    [['a'], /An object/],
  ]
  for (const [tasks, message] of bad) expect(() => new TaskGraph(tasks as readonly NewTask[])).toThrow(message)
})

it('gives out what nothing blocks: the highest priority first, then the oldest', () => {
  const graph = new TaskGraph([task('a'), { ...task('b'), priority: 2 }, task('c', 'b'), { ...task('d'), priority: 2 }])
  expect(graph.claimReady(2).map(({ id }) => id)).toEqual(['b', 'd'])
  expect(graph.claimReady().map(({ id }) => id)).toEqual(['a'])
  expect(graph.claimReady()).toEqual([])
  done(graph, 'b')
  expect(graph.claimReady()).toMatchObject([{ id: 'c', status: 'in_progress', attempts: 1 }])
})

it('answers a stale version with a conflict, and nothing changes', () => {
  const graph = new TaskGraph([task('a')])
  expect(graph.change([{ op: 'add', task: task('b') }], 0)).toMatchObject({ status: 'changed', version: 1 })
  expect(graph.change([{ op: 'add', task: task('c') }], 0)).toEqual({
    status: 'conflict',
    expectedVersion: 0,
    version: 1,
  })
  expect(graph.tasks.map(({ id }) => id)).toEqual(['a', 'b'])
})

it('changes all or nothing, keeps ids, removes nothing that others need, and never touches what is over or under way', () => {
  const graph = new TaskGraph([task('a'), task('b', 'a'), task('c')])
  graph.claimReady()
  done(graph, 'a')
  const refused: readonly (readonly [readonly unknown[], RegExp])[] = [
    [
      [
        { op: 'add', task: task('d') },
        { op: 'remove', id: 'ghost' },
      ],
      /no task "ghost"/,
    ],
    [[{ op: 'update', id: 'a', changes: { description: 'x' } }], /is done/],
    [[{ op: 'remove', id: 'c' }], /is in_progress/],
    [[{ op: 'update', id: 'b', changes: { id: 'z' } }], /`id` is not/],
    [[{ op: 'update', id: 'b', changes: { status: 'done' } }], /`status` is not/],
    [[{ op: 'move', id: 'b', changes: { status: 'failed' } }], /add, update, remove/],
    [[{ op: 'update', id: 'b', changes: { blockedBy: ['b'] } }], /itself/],
    [[null], /A patch is an object/],
  ]
  const { version } = graph
  for (const [patches, problem] of refused)
    expect(graph.change(patches as readonly TaskPatch[], version)).toEqual({
      status: 'refused',
      problem: expect.stringMatching(problem),
    })
  expect([graph.version, graph.tasks.length]).toEqual([version, 3])
  const fresh = new TaskGraph([task('a'), task('b', 'a')])
  expect(fresh.change([{ op: 'remove', id: 'a' }], 0)).toMatchObject({ problem: expect.stringContaining('depends') })
  expect(
    fresh.change(
      [
        { op: 'remove', id: 'b' },
        { op: 'remove', id: 'a' },
      ],
      0,
    ),
  ).toMatchObject({ status: 'refused' })
})

it('moves a task only where it may go', () => {
  const graph = new TaskGraph([task('a')])
  expect(graph.completeTask('a')).toMatchObject({ status: 'refused' })
  expect(graph.requeueTask('a')).toMatchObject({ status: 'refused' })
  graph.claimReady()
  expect(graph.completeTask('a')).toMatchObject({ problem: expect.stringContaining('no result') })
  expect(graph.submitResult('a', 1)).toMatchObject({ status: 'changed' })
  expect(graph.task('a')).toMatchObject({ status: 'in_progress', result: 1 })
  expect(graph.rejectTask('a', 'no')).toMatchObject({ status: 'changed' })
  expect(graph.task('a')!.status).toBe('deferred')
  expect(graph.requeueTask('a')).toMatchObject({ status: 'changed' })
  expect(graph.claimReady()).toMatchObject([{ id: 'a', attempts: 2 }])
  done(graph, 'a')
  for (const change of [graph.failTask('a', 'x'), graph.rejectTask('a', 'x'), graph.submitResult('a', 2)])
    expect(change).toMatchObject({ status: 'refused' })
  expect(graph.isSettled).toBe(true)
})

it('fails whatever a failed task blocks, however far away', () => {
  const graph = new TaskGraph([task('c', 'b'), task('b', 'a'), task('a'), task('d')])
  graph.claimReady()
  graph.failTask('a', 'broken')
  expect(graph.markBlockedTasksAsFailed().toSorted()).toEqual(['b', 'c'])
  expect(graph.tasks.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed', 'in_progress'])
  expect(graph.markBlockedTasksAsFailed()).toEqual([])
})

it('is what its events say, version by version, and no others can be replayed', () => {
  const initial = ['a', 'b', 'c', 'd', 'e'].map((id, index) => task(id, ...(index > 1 ? ['a'] : [])))
  for (let seed = 0; seed < 50; seed++) {
    const random = seededRandom(String(seed))
    const graph = new TaskGraph(initial)
    for (let step = 0; step < 40; step++) {
      const id = graph.tasks[Math.floor(random.next() * graph.tasks.length)]!.id
      const act = [
        () => graph.claimReady(2),
        () => graph.submitResult(id, step),
        () => graph.completeTask(id),
        () => graph.rejectTask(id, 'no'),
        () => graph.requeueTask(id),
        () => (step > 30 ? graph.failTask(id, 'no') : undefined),
        () => graph.markBlockedTasksAsFailed(),
        () => graph.change([{ op: 'add', task: task(`n${step}`, id) }], graph.version),
        () => graph.change([{ op: 'remove', id }], graph.version),
      ]
      act[Math.floor(random.next() * act.length)]!()
      const again = TaskGraph.replay(initial, graph.events)
      expect([again.version, again.tasks]).toEqual([graph.version, graph.tasks])
    }
    expect(graph.events.map(({ version }) => version)).toEqual(graph.events.map((_, index) => index + 1))
    expect(() => TaskGraph.replay(initial, graph.events.slice(1))).toThrow(/version/)
  }
})
