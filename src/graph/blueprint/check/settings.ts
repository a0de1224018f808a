import type { RetryBlueprint } from '../blueprint.ts'
import { END } from '../blueprint.ts'
import { didYouMean } from '../report.ts'
import type { GraphView } from './graph-view.ts'

/** Checks that numbers are within the limits of the runtime, and lists have no duplicates. */
export function checkSettings(view: GraphView): void {
  const { defaults, checkpoint, nodes, channels, allow } = view.blueprint
  if (checkpoint !== undefined && !['sync', 'batch', 'exit'].includes(checkpoint))
    view.report.error(
      'E-rag-invalid-value',
      `\`checkpoint\` is \`sync\`, \`batch\` or \`exit\`, not \`${checkpoint}\`.`,
      {
        path: '/checkpoint',
        help: didYouMean(checkpoint, ['sync', 'batch', 'exit']),
      },
    )
  for (const [field, name] of [
    ['maxSteps', 'max_steps'],
    ['maxVisits', 'max_visits'],
    ['maxConcurrency', 'max_concurrency'],
    ['timeoutMs', 'timeout'],
  ] as const)
    count(defaults?.[field], name, `/defaults/${field}`, view)
  checkRetry(defaults?.retry, '/defaults/retry', view)
  nodes.forEach((node, index) => {
    const path = `/nodes/${index}`
    count(node.timeoutMs, 'timeout', `${path}/timeoutMs`, view)
    count(node.maxVisits, 'visits', `${path}/maxVisits`, view)
    checkRetry(node.retry, `${path}/retry`, view)
    distinct(node.tools, 'tool', `${path}/tools`, view)
    distinct(node.options, 'answer', `${path}/options`, view)
  })
  channels.forEach((channel, index) => {
    if (channel.reducer.trim() === '' || channel.reducer === END)
      view.report.error('E-rag-invalid-value', `The channel \`${channel.name}\` has no reducer.`, {
        path: `/channels/${index}/reducer`,
      })
  })
  for (const [kind, names] of Object.entries(allow ?? {})) distinct(names, kind, `/allow/${kind}`, view)
}

function checkRetry(retry: RetryBlueprint | undefined, path: string, view: GraphView): void {
  if (retry === undefined) return
  count(retry.attempts, 'attempts', `${path}/attempts`, view)
  count(retry.delayMs, 'delay', `${path}/delayMs`, view, 0)
  count(retry.maxDelayMs, 'max_delay', `${path}/maxDelayMs`, view, 0)
  if (retry.factor !== undefined && !(retry.factor >= 1 && retry.factor <= 1000))
    view.report.error('E-rag-invalid-value', `\`factor\` is ${retry.factor}.`, {
      path: `${path}/factor`,
      help: 'Give a number from 1 to 1000; with 1, every wait is as long as the first.',
    })
}

// oxlint-disable-next-line max-params -- one line for each number above
function count(value: number | undefined, name: string, path: string, { report }: GraphView, least = 1): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return
  report.error('E-rag-invalid-value', `\`${name}\` is ${value}.`, {
    path,
    help: path.endsWith('Ms') ? 'Give a duration above zero, such as `60s`.' : `Give a whole number from ${least} up.`,
  })
}

function distinct(names: readonly string[] | undefined, what: string, path: string, { report }: GraphView): void {
  const seen = new Set<string>()
  names?.forEach((name, index) => {
    if (name.trim() === '') report.error('E-rag-invalid-value', 'A name cannot be empty.', { path: `${path}/${index}` })
    else if (seen.has(name))
      report.warning('W-rag-repeated-name', `The ${what} "${name.slice(0, 60)}" is listed twice.`, {
        path: `${path}/${index}`,
        help: 'Name it once.',
      })
    seen.add(name)
  })
}
