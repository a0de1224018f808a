import { MandateError } from '../../core/index.ts'
import type { RunStartData } from '../../journal/index.ts'
import type { Mind, MindNeed } from '../mind/mind.ts'
import { findModel, findTool, findable } from './registry.ts'
import type { Registry } from './registry.ts'

/** The first thing that a run with this start refers to and that is not registered here. */
export function missingNeed(
  registry: Registry,
  mind: Mind,
  { pins, input }: Pick<RunStartData, 'pins' | 'input'>,
  kinds?: readonly MindNeed['kind'][],
): MindNeed | undefined {
  return mind
    .needs?.(pins, input)
    .find(
      ({ kind, anyOf }) =>
        (kinds === undefined || kinds.includes(kind)) && !anyOf.some((name) => isThere(registry, mind, kind, name)),
    )
}

/**
 * Why a run cannot go on here because of its models; `undefined` if it can. Without any of them every further step would fail, and end a run that another
 * process can continue. Asked before anything is written, so that the run keeps its answers. Other things that are missing matter only where the run asks for
 * them.
 */
export function modelProblem(
  registry: Registry,
  mind: Mind,
  run: string,
  start: RunStartData,
): MandateError | undefined {
  const missing = missingNeed(registry, mind, start, ['model'])
  if (missing === undefined) return undefined
  const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')
  const known = quoted(findable('models', mind.resources ?? {}, registry))
  return new MandateError(
    'NOT_FOUND',
    `Run "${run}" cannot go on here: ${start.mind} "${start.name}" has none of the models that the run began with (${quoted(missing.anyOf)}; here: ${known || 'none'}). Nothing was changed: the run stays as it is, with its answers. Resume it in a process that has one of them, add one of them to the \`models\` of the ${start.mind}, or start it over with another one: fork with \`edit: { input: { model } }\`.`,
    { info: { run, missing: { ...missing } } },
  )
}

function isThere(registry: Registry, { resources = {} }: Mind, kind: MindNeed['kind'], name: string): boolean {
  if (kind === 'tool') return findTool(resources, registry, name) !== undefined
  if (kind === 'model') return findModel(resources, registry, name) !== undefined
  return registry.mind(kind, name) !== undefined
}
