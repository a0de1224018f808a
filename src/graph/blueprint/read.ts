import { MandateError, checkFields, messageOf } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import { CATALOG_KINDS } from './blueprint.ts'
import type { Blueprint, Provenance } from './blueprint.ts'
import { checkBlueprint } from './check/check.ts'
import { viewOf } from './check/graph-view.ts'
import { checkSettings } from './check/settings.ts'
import type { Diagnostic } from './diagnostic.ts'
import { normalBlueprint } from './normal.ts'
import { ORIGINS, checkOrigin } from './origin.ts'
import { DIAGNOSTICS_MAX, Report } from './report.ts'
import { ShapeReader, optional, required } from './shape.ts'
import type { Shape } from './shape.ts'

const text: Shape = { type: 'text' }
const number: Shape = { type: 'number' }
const texts: Shape = { type: 'list', of: text }
const pause: Shape = { type: 'one of', words: ['before', 'after'] }
const fieldType: Shape = {
  type: 'one of',
  words: ['string', 'number', 'integer', 'boolean', 'object', 'list', 'any'],
}

const retry = object('`retry`', {
  attempts: required(number),
  delayMs: optional(number),
  factor: optional(number),
  maxDelayMs: optional(number),
})

const update = object('an update', {
  channel: required(text),
  value: optional({ type: 'json' }),
  expr: optional(text),
})

const node = object('a node', {
  name: required(text),
  kind: required(text),
  ...fields(
    ['model', 'prompt', 'system', 'agent', 'graph', 'script', 'router', 'tool', 'input', 'writes', 'next'],
    text,
  ),
  ...fields(['tools', 'options', 'sources', 'ends'], texts),
  routes: optional(listOf('a route', { to: required(text), label: optional(text), when: optional(text) })),
  command: optional(object('a command', { goto: optional(text), update: required({ type: 'list', of: update }) })),
  sends: optional(listOf('a send', { to: required(text), input: optional({ type: 'json' }), each: optional(text) })),
  pause: optional(pause),
  checkpoint: optional({ type: 'one of', words: ['sync'] }),
  retry: optional(retry),
  ...fields(['timeoutMs', 'maxVisits'], number),
  metadata: optional({ type: 'record' }),
})

const span = object('a span', {
  start: required(number),
  end: required(number),
  line: required(number),
  column: required(number),
})

const stateFields = listOf('a field', {
  name: required(text),
  type: required(fieldType),
  items: optional(fieldType),
  optional: optional({ type: 'boolean' }),
})

const blueprintShape = object('a blueprint', {
  blueprint: required({ type: 'one of', words: [1] }),
  name: required(text),
  description: optional(text),
  start: required(text),
  nodes: required({ type: 'list', of: node }),
  channels: required(
    listOf('a channel', {
      name: required(text),
      reducer: required(text),
      args: required({ type: 'list', of: { type: 'scalar' } }),
      initial: optional({ type: 'json' }),
    }),
  ),
  edges: required(listOf('an edge', { from: required(text), to: required(text) })),
  joins: required(listOf('a join', { sources: required(texts), to: required(text) })),
  ...fields(['state', 'input', 'output'], stateFields),
  defaults: optional(
    object('`defaults`', {
      ...fields(['model', 'system'], text),
      ...fields(['timeoutMs', 'maxSteps', 'maxVisits', 'maxConcurrency'], number),
      retry: optional(retry),
    }),
  ),
  checkpoint: optional({ type: 'one of', words: ['sync', 'batch', 'exit'] }),
  pause: optional(pause),
  allow: optional(object('`allow`', fields(CATALOG_KINDS, texts))),
  metadata: optional({ type: 'record' }),
  provenance: optional(
    object('`provenance`', {
      origin: required({ type: 'one of', words: ORIGINS }),
      label: optional(text),
      spans: optional({ type: 'map', of: span }),
      labels: optional(texts),
    }),
  ),
})

function object(what: string, members: (Shape & { type: 'object' })['fields']): Shape {
  return { type: 'object', what, fields: members }
}

function listOf(what: string, members: (Shape & { type: 'object' })['fields']): Shape {
  return { type: 'list', of: object(what, members) }
}

function fields(names: readonly string[], shape: Shape): (Shape & { type: 'object' })['fields'] {
  return Object.fromEntries(names.map((name) => [name, optional(shape)]))
}

interface ReadOptions {
  /** The origin of the JSON, which replaces the one it claims. A `generated` graph needs a review. */
  readonly origin?: Provenance['origin'] | undefined
  /** The name of the source, for reviewers. */
  readonly label?: string | undefined
}

const READ_OPTIONS: FieldNames<ReadOptions> = { origin: true, label: 'text' }

interface ReadBlueprint {
  /** Absent if there is an error. */
  readonly blueprint?: Blueprint | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Reads a blueprint from untrusted JSON: every field and type is checked, then everything that the compiler of `.rag` checks. The result is a copy;
 * invalid JSON never throws. Read JSON of a model or a program with `origin: 'generated'`: its own claim about its origin proves nothing.
 *
 * @example
 * ```ts
 * import { readBlueprint } from 'mandate/graph'
 * const { blueprint, diagnostics } = readBlueprint(JSON.parse('{"blueprint": 1, "name": "hello"}'), { origin: 'generated' })
 * for (const { path, message, help } of diagnostics) console.log(path, message, help)
 * if (blueprint) console.log(blueprint.name)
 * ```
 */
export function readBlueprint(json: unknown, options: ReadOptions = {}): ReadBlueprint {
  checkFields(options, 'an option of `readBlueprint`', READ_OPTIONS)
  checkOrigin(options.origin)
  const report = new Report(DIAGNOSTICS_MAX)
  let read: Blueprint | undefined
  try {
    read = new ShapeReader(report).read(json, blueprintShape, '') as unknown as Blueprint
  } catch (error) {
    report.error('E-rag-invalid-type', `The blueprint cannot be read: ${messageOf(error)}.`, { path: '' })
  }
  if (read === undefined || report.errors > 0) return { diagnostics: report.diagnostics() }
  const provenance = provenanceOf(read, options)
  const blueprint = { ...normalBlueprint(read), ...(provenance && { provenance }) }
  checkUpdates(blueprint, report)
  checkBlueprint(blueprint, report)
  return { ...(report.errors === 0 && { blueprint }), diagnostics: report.diagnostics() }
}

/** Returns a checked copy of a blueprint, or throws: whatever its source, it is checked before it can run. */
export function requireBlueprint(given: Blueprint): Blueprint {
  const { blueprint, diagnostics } = readBlueprint(given)
  if (blueprint !== undefined) return blueprint
  throw refusal('This is no blueprint that can run.', diagnostics)
}

/** Throws unless the blueprint of a graph that was built in TypeScript passes the checks of text and JSON. Initial values are the host's own data. */
export function checkBuilt(built: Blueprint): Blueprint {
  const report = new Report(DIAGNOSTICS_MAX)
  report.isBuilt = true
  const channels = built.channels.map(({ initial: _, ...channel }) => channel)
  const read = new ShapeReader(report).read({ ...built, channels }, blueprintShape, '') as unknown as Blueprint
  if (report.errors === 0) checkBlueprint(read, report)
  if (report.errors > 0) throw refusal(`The graph "${built.name}" cannot run.`, report.diagnostics())
  return built
}

/** Throws on options of a builder that text and JSON would refuse too, where they are given: `what` names the node or the graph. */
export function checkBuiltOptions(
  part: Partial<Pick<Blueprint, 'checkpoint' | 'defaults' | 'nodes'>>,
  what: string,
): void {
  const report = new Report(DIAGNOSTICS_MAX)
  const whole = { blueprint: 1, name: 'g', start: 'n', nodes: [], channels: [], edges: [], joins: [], ...part }
  const read = new ShapeReader(report).read(whole, blueprintShape, '') as unknown as Blueprint
  if (report.errors === 0) checkSettings(viewOf(read, report))
  if (report.errors === 0) return
  const found = report
    .diagnostics()
    .map((each) => ({ ...each, path: each.path?.replace(/^\/(?:nodes\/0|defaults)/, '') }))
  throw refusal(`${what} has options that it cannot have.`, found)
}

function refusal(what: string, diagnostics: readonly Diagnostic[]): MandateError {
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  const told = errors.map(({ path, message, help }) =>
    `${path ?? ''} ${message}${help === undefined ? '' : ` ${help}`}`.trim(),
  )
  return new MandateError('CONFIG_INVALID', `${what} ${told.slice(0, 5).join(' ')}`, {
    info: { errors: errors.map(({ code, path, message }) => ({ code, path, message })) },
  })
}

function provenanceOf({ provenance }: Blueprint, { origin, label }: ReadOptions): Provenance | undefined {
  if (origin === undefined && label === undefined) return provenance
  return { origin: 'file', ...provenance, ...(origin && { origin }), ...(label !== undefined && { label }) }
}

/** Checks what text cannot express: an update without a value or with two, and two updates of one channel. */
function checkUpdates({ nodes }: Blueprint, report: Report): void {
  nodes.forEach(({ command }, index) => {
    const seen = new Set<string>()
    command?.update.forEach((each, at) => {
      const path = `/nodes/${index}/command/update/${at}`
      if ('value' in each === 'expr' in each)
        report.error('E-rag-invalid-value', 'An update has a `value` or an `expr`, and only one of them.', { path })
      if (seen.has(each.channel))
        report.error('E-rag-invalid-value', `The command updates \`${each.channel.slice(0, 60)}\` twice.`, {
          path: `${path}/channel`,
          help: 'Keep one of the updates.',
        })
      seen.add(each.channel)
    })
  })
}
